#include "timing/driver.hpp"

#include <algorithm>

namespace gsu::timing::test {

LaneAccess lanesFrom(std::uint64_t address, unsigned bytes, unsigned stride, unsigned count)
{
    LaneAccess a;
    a.bytes = bytes;
    for (unsigned l = 0; l < count; ++l) {
        a.address[l] = address + std::uint64_t{l} * stride;
        a.lanes |= Lanes{1} << l;
    }
    return a;
}

Step& Stream::add(Step::Kind kind, InstructionClass cls, Order order)
{
    Step s;
    s.kind = kind;
    s.cls = cls;
    s.order = order;
    steps_.push_back(std::move(s));
    return steps_.back();
}

Stream& Stream::op(InstructionClass cls, std::vector<Register> writes, std::vector<Register> reads)
{
    Step& s = add(Step::Kind::Plain, cls, Order::Free);
    s.writes = std::move(writes);
    s.reads = std::move(reads);
    return *this;
}

namespace {

Footprint footprintOf(Register base, const MemoryAccess& access)
{
    using Where = MemoryAccess::Where;
    const bool shared = access.where == Where::Shared || access.where == Where::Remote;
    return {access.where == Where::Constant ? Footprint::Space::Constant
            : shared                        ? Footprint::Space::Shared
                                            : Footprint::Space::Global,
            base, 0, static_cast<std::int64_t>(access.lanes.address[0]), access.lanes.bytes};
}

}  // namespace

Stream& Stream::load(Register d, Register address, const MemoryAccess& access)
{
    Step& s =
        add(Step::Kind::Load, access.matrix ? InstructionClass::Matrix : InstructionClass::Memory,
            access.atomic ? Order::Fixed : Order::Load);
    s.writes = {d};
    s.reads = {address};
    s.access = access;
    s.footprint = footprintOf(address, access);
    return *this;
}

Stream& Stream::store(Register data, Register address, const MemoryAccess& access)
{
    Step& s =
        add(Step::Kind::Store, access.matrix ? InstructionClass::Matrix : InstructionClass::Memory,
            Order::Store);
    s.reads = {data, address};
    s.access = access;
    s.footprint = footprintOf(address, access);
    return *this;
}

Stream& Stream::mma(Register d, std::vector<Register> reads, std::uint32_t work)
{
    op(InstructionClass::MmaSync, {d}, std::move(reads));
    steps_.back().work = work;
    return *this;
}

Stream& Stream::product(const Product& product)
{
    add(Step::Kind::Product, InstructionClass::Product, Order::Fixed).product = product;
    return *this;
}

Stream& Stream::waitProducts(std::uint32_t pending)
{
    add(Step::Kind::WaitProducts, InstructionClass::Control, Order::Fixed).pending = pending;
    return *this;
}

Stream& Stream::copyIn(const CopyRequest& request, std::vector<unsigned> to)
{
    Step& s =
        add(Step::Kind::CopyIn,
            to.size() > 1 ? InstructionClass::Multicast : InstructionClass::Copy, Order::Fixed);
    s.copy = request;
    s.to = std::move(to);
    return *this;
}

Stream& Stream::waitCopies()
{
    add(Step::Kind::WaitCopies, InstructionClass::Control, Order::Fixed);
    return *this;
}

Stream& Stream::copyAsync(const LaneAccess& from, const LaneAccess& to)
{
    Step& s = add(Step::Kind::CopyAsync, InstructionClass::CopyAsync, Order::Fixed);
    s.access.where = MemoryAccess::Where::Global;
    s.access.lanes = from;
    s.copy.map = to.address[0];
    return *this;
}

Stream& Stream::drain()
{
    add(Step::Kind::Drain, InstructionClass::Control, Order::Fixed);
    return *this;
}

Stream& Stream::fixed(InstructionClass cls)
{
    add(Step::Kind::Plain, cls, Order::Fixed);
    return *this;
}

Stream& Stream::loop(unsigned count, const std::function<void(Stream&, unsigned)>& body)
{
    for (unsigned i = 0; i < count; ++i) {
        body(*this, i);
        fixed(i + 1 < count ? InstructionClass::BackEdge : InstructionClass::Branch);
    }
    return *this;
}

Driver::Driver(const TimingParams& params, unsigned sms)
    : p_(params), model_(serverTiming(params, sms))
{
}

void Driver::add(const Stream& stream, unsigned sm, unsigned index)
{
    Warp w;
    w.steps = stream.steps();
    w.sm = sm;
    w.handle = model_->enter({sm, index % 4, index / 4, sm, sm * 64ull + index / 4 + 1}, 0);
    warps_.push_back(std::move(w));
}

Cycle Driver::effect(Warp& w, const Step& s, const Instruction& i, Cycle issued)
{
    switch (s.kind) {
        case Step::Kind::Plain: return issued;
        case Step::Kind::Load: return model_->load(w.handle, i, s.access, issued);
        case Step::Kind::Store: return model_->store(w.handle, s.access, issued);
        case Step::Kind::CopyAsync: {
            MemoryAccess to;
            to.lanes = lanesFrom(s.copy.map, s.access.lanes.bytes, s.access.lanes.bytes);
            const Cycle done = model_->copyAsync(w.handle, s.access, to, issued);
            w.copies = std::max(w.copies, done);
            return done;
        }
        case Step::Kind::Product:
            w.products.push_back(model_->product(w.handle, s.product, issued).done);
            return w.products.back();
        case Step::Kind::WaitProducts: {
            Cycle until = issued;
            for (; w.products.size() > s.pending; w.products.pop_front())
                until = std::max(until, w.products.front());
            model_->waited(w.handle, Stall::TensorPipe, until);
            return until;
        }
        case Step::Kind::CopyIn: {
            const std::vector<unsigned> to = s.to.empty() ? std::vector{w.sm} : s.to;
            w.copies = std::max(w.copies, model_->copyIn(w.sm, s.copy, to, issued).last);
            return w.copies;
        }
        case Step::Kind::WaitCopies:
            model_->waited(w.handle, Stall::Copies, w.copies);
            return w.copies;
        case Step::Kind::Drain: {
            const Wait wait = model_->drained(w.handle, Drain::Fence, issued);
            model_->waited(w.handle, Stall::Fence, wait.at);
            return std::max(issued, wait.at);
        }
    }
    return issued;
}

/// As timing_notes.md tells the executor: what has an effect that others see waits for its time, the rest only when that is far ahead.
void Driver::step(Warp& w)
{
    const Step& s = w.steps[w.at];
    const Instruction i{s.cls, s.reads, s.writes, s.order, s.footprint, s.work, 0};
    const Cycle lead = s.order == Order::Free ? Calendar::kLead : 0;
    if (const Wait wait = model_->earliest(w.handle, i); wait.at > w.next + lead) {
        w.next = wait.at - lead;
        return;
    }
    const Cycle issued = model_->issue(w.handle, i, w.next);
    const Cycle result = effect(w, s, i, issued);
    w.trace.issued.push_back(issued);
    w.trace.results.push_back(result);
    w.trace.end = std::max({w.trace.end, issued, result});
    ++w.next;
    ++w.at;
}

std::vector<Trace> Driver::run()
{
    for (;;) {
        Warp* next = nullptr;
        for (Warp& w : warps_) {
            if (w.at < w.steps.size() && (next == nullptr || w.next < next->next)) next = &w;
        }
        if (next == nullptr) break;
        step(*next);
    }
    std::vector<Trace> traces;
    for (Warp& w : warps_) {
        end_ = std::max(end_, w.trace.end);
        model_->leave(w.handle, std::max(w.trace.end, model_->front(w.handle)));
        traces.push_back(w.trace);
    }
    return traces;
}

}  // namespace gsu::timing::test
