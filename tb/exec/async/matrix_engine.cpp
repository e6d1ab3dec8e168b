#include "exec/async/matrix_engine.hpp"

#include <algorithm>

#include "exec/machine/machine.hpp"
#include "exec/machine/mma_ops.hpp"
#include "tensor/descriptor.hpp"
#include "tensor/fragment.hpp"

namespace gsu::exec {
namespace {

constexpr std::uint32_t kSink = ~0u;
constexpr std::uint32_t kLine = 128;  ///< bytes: what is remembered of reading is that coarse
constexpr unsigned kWarpgroup = 4;
// Flags of a register.
constexpr std::uint8_t kAccumulator = 1, kOperandA = 2, kWritten = 4;
/// What a register holds that nobody may read: a NaN of f16, bf16 and f32.
constexpr std::uint64_t kPoison = 0x7fff'7fffull;

std::uint64_t keyOfWarp(const CtaKey& cta, unsigned warp) { return cta.serial << 10 | warp; }

/// Learns which units an operation reads.
struct Probe final : WgmmaOperands {
    std::vector<std::uint32_t> units;
    const std::uint8_t* unit(std::uint32_t address) override
    {
        units.push_back(address);
        return nullptr;
    }
};

struct Window final : WgmmaOperands {
    Window(Memory& m, const Cta& c) : memory(m), cta(c) {}
    Memory& memory;
    const Cta& cta;
    const std::uint8_t* unit(std::uint32_t address) override { return memory.shared(cta, address); }
};

}  // namespace

MatrixEngine::WarpState& MatrixEngine::stateOf(const Ctx& x)
{
    WarpState& w = warps_[keyOfWarp(keyOf(*x.cta), x.warp->index)];
    if (w.flags.empty()) {
        w.cta = keyOf(*x.cta);
        w.warp = x.warp->index;
        w.group = 1;
    }
    w.flags.resize(x.warp->regs.size() / 32);
    return w;
}

void MatrixEngine::report(const Ctx& x, const char* rule, Severity severity, std::string text,
                          std::uint32_t line)
{
    s_.findings.add({rule, severity, std::move(text), x.cta->linear, x.warp->index, x.group->lanes,
                     line, s_.now()});
}

/// All warps of a warpgroup execute the same wgmma with the same descriptors.
void MatrixEngine::agree(const Ctx& x, WarpState& w, const MicroOp& op, const Operation& o)
{
    Agreement& a = agreements_[keyOfWarp(w.cta, w.warp / kWarpgroup)];
    const std::array<std::uint64_t, 4> mine{op.line, o.descriptorA, o.descriptorB, o.scaleD};
    const std::uint64_t at = w.issued++ - a.first;
    if (at >= a.issued.size()) {
        a.issued.push_back(mine);
    } else if (a.issued[at] != mine) {
        report(x, "TEN-012", Severity::Error,
               "the warps of a warpgroup execute different wgmma.mma_async: here with other "
               "operands than, or instead of, that of " +
                   s_.module.lineText(static_cast<std::uint32_t>(a.issued[at][0])),
               op.line);
    }
    std::uint64_t all = ~0ull;  // what every warp has issued needs no comparison any more
    for (unsigned i = 0; i < kWarpgroup; ++i) {
        const auto other = warps_.find(keyOfWarp(w.cta, w.warp / kWarpgroup * kWarpgroup + i));
        all = std::min(all, other == warps_.end() ? 0 : other->second.issued);
    }
    for (; a.first < all; ++a.first) a.issued.pop_front();
}

void MatrixEngine::noteRead(Operation& o, std::uint32_t address) const
{
    o.low = std::min(o.low, address);
    o.high = std::max(o.high, address + 16);
}

/// Where the operands lie; false: outside the CTA's shared memory, and the lanes have a fault.
bool MatrixEngine::checkDescriptors(Ctx& x, const MicroOp& op, Operation& o)
{
    const WgmmaInfo& info = *o.info;
    for (const auto& [bits, there] :
         {std::pair{o.descriptorA, info.a == 0}, std::pair{o.descriptorB, true}}) {
        if (!there) continue;
        const std::string problem = tensor::problemOfDescriptor(bits);
        if (!problem.empty())
            report(x, "TEN-015", Severity::Warning, "matrix descriptor: " + problem, op.line);
        const tensor::Descriptor d = tensor::Descriptor::of(bits);
        const unsigned mask = d.width == 0 ? 0 : d.width / 16 - 1;
        if (((d.start >> 7) & mask) != (d.base & mask))
            report(x, "TEN-015", Severity::Warning,
                   "matrix descriptor: the start address lies on another line of the swizzle "
                   "pattern than its base offset says",
                   op.line);
    }
    Probe probe;
    const unsigned row = x.warp->index % kWarpgroup * 16;
    wgmmaUnits(info, o.descriptorA, o.descriptorB, row, probe);
    o.low = ~0u;
    for (const std::uint32_t unit : probe.units) noteRead(o, unit);
    const std::uint32_t window = x.cta->launch.size;
    if (o.high > window) {
        faultLane(x, 0, "TEN-014",
                  "wgmma reads shared memory up to byte " + std::to_string(o.high) +
                      " of a window of " + std::to_string(window) +
                      ": the descriptor leads outside");
        return false;
    }
    o.lines.assign((o.high - o.low + kLine - 1) / kLine + 1, 0);
    for (const std::uint32_t unit : probe.units) o.lines[(unit - o.low) / kLine] = 1;
    return true;
}

void MatrixEngine::poison(const Ctx& x, const Accumulator& a) const
{
    for (const std::uint32_t row : a.rows) {
        if (row == kSink) continue;
        std::fill_n(x.warp->regs.begin() + std::size_t{row} * 32, 32, kPoison);
    }
}

/// The accumulator of an operation: taken from registers when none of them is under way.
std::size_t MatrixEngine::open(const Ctx& x, WarpState& w, const Operation& o)
{
    const WgmmaInfo& info = *o.info;
    Accumulator a;
    for (unsigned i = 0; i < info.d; ++i) {
        const Row r = o.rows[info.a + i];
        a.rows.push_back(r == kNoRow ? kSink : o.regBase + static_cast<std::uint32_t>(r));
    }
    a.elem = info.form.d;
    a.n = info.form.n;
    a.line = o.line;
    bool overlaps = false, written = false;
    for (const std::uint32_t row : a.rows) {
        if (row == kSink) continue;
        overlaps |= (w.flags[row] & kAccumulator) != 0;
        written |= (w.flags[row] & kWritten) != 0;
    }
    for (unsigned i = 0; i < info.a; ++i) {
        const auto row = static_cast<std::size_t>(o.rows[i]) + o.regBase;
        written |= o.rows[i] >= 0 && (w.flags[row] & kWritten) != 0;
    }
    if (written || !x.warp->matrix)
        report(x, "TEN-013", Severity::Error,
               written ? "registers of this wgmma were written since the last wgmma.fence"
                       : "the first wgmma of a warp needs a wgmma.fence before it",
               o.line);
    for (std::size_t i = 0; i < w.accumulators.size(); ++i) {
        Accumulator& old = w.accumulators[i];
        if (old.open == 0 || old.rows != a.rows || old.elem != a.elem) continue;
        return i;
    }
    if (overlaps)
        report(x, "TEN-010", Severity::Error,
               "accumulators of another wgmma of this warp, in another order or of another type, "
               "before wgmma.wait_group",
               o.line);
    std::vector<std::uint64_t> sink(32);
    std::vector<const tensor::Cell*> cells;
    for (const std::uint32_t row : a.rows)
        cells.push_back(row == kSink ? sink.data() : x.warp->regs.data() + std::size_t{row} * 32);
    a.values.resize(std::size_t{16} * a.n);
    if (a.elem == tensor::Elem::F16) {
        std::vector<float> halves(a.values.size());
        tensor::unpackC(a.elem, 16, a.n, cells.data(), halves.data());
        std::transform(halves.begin(), halves.end(), a.values.begin(), tensor::halfOf);
    } else {
        std::vector<std::int32_t> words(a.values.size());
        tensor::unpackC(16, a.n, cells.data(), words.data());
        std::copy(words.begin(), words.end(), a.values.begin());
    }
    for (const std::uint32_t row : a.rows) {
        if (row != kSink) w.flags[row] |= kAccumulator;
    }
    poison(x, a);
    const auto free = std::find_if(w.accumulators.begin(), w.accumulators.end(),
                                   [](const Accumulator& one) { return one.open == 0; });
    const auto at = static_cast<std::size_t>(free - w.accumulators.begin());
    if (free == w.accumulators.end())
        w.accumulators.push_back(std::move(a));
    else
        *free = std::move(a);
    return at;
}

/// In order on the tensor core of the warp's scheduler; the seed adds to latency and time.
Cycle MatrixEngine::drawTime(const Ctx& x, WarpState& w, const Operation& o)
{
    const tensor::Form& f = o.info->form;
    const std::uint64_t work = std::uint64_t{16} * f.n * f.storedK() * tensor::bitsOf(f.a) / 16;
    const std::uint64_t time = std::max<std::uint64_t>(1, work * kWarpgroup / s_.ep.mma_rate);
    const auto jittered = [&](std::uint64_t t) {
        const std::uint64_t more = t * s_.ep.mma_jitter / 100;
        return t + (more == 0 ? 0 : s_.random() % (more + 1));
    };
    Cycle& free = freeAt_[{x.cta->launch.sm, x.warp->index % 4u}];
    const Cycle start = std::max({s_.now() + jittered(s_.ep.mma_async_lat), free, w.last});
    free = start + time;
    w.last = start + jittered(time);
    return w.last;
}

void MatrixEngine::issue(Ctx& x, const MicroOp& op, Lanes lanes)
{
    WarpState& w = stateOf(x);
    const WgmmaInfo& info = s_.program.wgmmas[op.extra];
    Operation o;
    o.info = &info;
    o.rows = s_.program.rows.data() + op.list;
    o.regBase = x.group->regBase;
    o.line = op.line;
    const auto lane = static_cast<unsigned>(__builtin_ctz(lanes));
    if (op.a != kNoRow) o.descriptorA = x.src(op.a)[lane];
    o.descriptorB = x.src(op.b)[lane];
    o.scaleD = (x.pred(info.scaleD) >> lane & 1) != 0;
    bool same = true;
    eachLane(lanes, [&](unsigned l) {
        same = same && (op.a == kNoRow || x.src(op.a)[l] == o.descriptorA) &&
               x.src(op.b)[l] == o.descriptorB;
    });
    const Lanes scale = x.pred(info.scaleD) & lanes;
    if (!same || (scale != 0 && scale != lanes))
        report(x, "TEN-011", Severity::Error,
               "threads of a warp give a wgmma different descriptors or scale-d", op.line);
    if (x.cta->warps.size() / kWarpgroup == x.warp->index / kWarpgroup)
        report(x, "TEN-012", Severity::Error,
               "wgmma needs a warpgroup: four warps from a multiple of four on", op.line);
    if (!checkDescriptors(x, op, o)) {
        x.fault.lanes = lanes;
        return;
    }
    agree(x, w, op, o);
    if (info.form.sparse) {
        const std::uint64_t* metadata = x.src(info.metadata);
        o.metadata.assign(metadata, metadata + 32);
    }
    o.accumulator = open(x, w, o);
    ++w.accumulators[o.accumulator].open;
    for (unsigned i = 0; i < info.a; ++i) {
        if (o.rows[i] >= 0) w.flags[o.regBase + static_cast<std::size_t>(o.rows[i])] |= kOperandA;
    }
    o.group = w.group;
    ++w.waiting;
    ++x.cta->matrixReads;
    s_.events.at(drawTime(x, w, o), s_.now(), *this, keyOfWarp(w.cta, w.warp));
    w.operations.push_back(std::move(o));
    s_.progress.changed();
}

void MatrixEngine::due(std::uint64_t token)
{
    const auto found = warps_.find(token);
    if (found == warps_.end()) return;
    WarpState& w = found->second;
    const auto next = std::find_if(w.operations.begin(), w.operations.end(),
                                   [](const Operation& o) { return !o.performed; });
    if (next == w.operations.end()) return;
    --w.waiting;
    Cta* cta = residents_.live(w.cta);
    if (cta == nullptr || cta->warps[w.warp].live == 0) {  // ended without waiting
        if (cta != nullptr) --cta->matrixReads;
        next->performed = true;
        if (w.waiting == 0) warps_.erase(found);
        return;
    }
    --cta->matrixReads;
    perform(w, *next);
    const unsigned first = w.warp / kWarpgroup * kWarpgroup;
    for (unsigned index = first; index < first + kWarpgroup && index < cta->warps.size(); ++index) {
        const auto other = warps_.find(keyOfWarp(w.cta, index));
        if (other != warps_.end()) settle(other->second, cta->warps[index]);
    }
}

void MatrixEngine::perform(WarpState& w, Operation& o)
{
    const Cta& cta = *residents_.live(w.cta);
    const Warp& warp = cta.warps[w.warp];
    const WgmmaInfo& info = *o.info;
    std::array<const std::uint64_t*, 4> registers{};
    for (unsigned i = 0; i < info.a; ++i) {
        const Row r = o.rows[i];
        registers[i] = r < 0 ? s_.program.consts.data() + std::ptrdiff_t{~r} * 32
                             : warp.regs.data() + (std::size_t{o.regBase} + r) * 32;
    }
    Window window(memory_, cta);
    wgmmaProduct(info, o.descriptorA, o.descriptorB, w.warp % kWarpgroup * 16,
                 info.a == 0 ? nullptr : registers.data(),
                 o.metadata.empty() ? nullptr : o.metadata.data(), o.scaleD, window,
                 w.accumulators[o.accumulator].values.data());
    o.performed = true;
    s_.progress.changed();
}

/// A wgmma is one operation of the warpgroup: it is complete when the parts of all four warps are.
bool MatrixEngine::done(const WarpState& w) const
{
    const auto covered = static_cast<std::uint64_t>(
        std::count_if(w.operations.begin(), w.operations.end(),
                      [&](const Operation& o) { return o.group < w.waitsBelow; }));
    if (covered == 0) return true;
    const std::uint64_t needed = w.issued - w.operations.size() + covered;
    const Cta* cta = residents_.live(w.cta);
    if (cta == nullptr) return true;
    const unsigned first = w.warp / kWarpgroup * kWarpgroup;
    for (unsigned index = first; index < first + kWarpgroup && index < cta->warps.size(); ++index) {
        if (cta->warps[index].live == 0) continue;
        const auto other = warps_.find(keyOfWarp(w.cta, index));
        if (other == warps_.end() || other->second.issued - other->second.waiting < needed)
            return false;
    }
    return true;
}

/// The wait is over when all it covers is performed: accumulators that nothing later uses are in their registers again.
void MatrixEngine::settle(WarpState& w, Warp& warp)
{
    if (w.waitsBelow == 0 || !done(w)) return;
    while (!w.operations.empty() && w.operations.front().group < w.waitsBelow) {
        const Operation& o = w.operations.front();
        Accumulator& a = w.accumulators[o.accumulator];
        for (unsigned i = 0; i < o.info->a; ++i) {
            if (o.rows[i] >= 0)
                w.flags[o.regBase + static_cast<std::size_t>(o.rows[i])] &= ~kOperandA;
        }
        if (--a.open == 0) {
            std::vector<tensor::Cell*> cells;
            for (const std::uint32_t row : a.rows) {
                cells.push_back(row == kSink ? nullptr : warp.regs.data() + std::size_t{row} * 32);
                if (row != kSink) w.flags[row] &= ~kAccumulator;
            }
            if (a.elem == tensor::Elem::F16) {
                std::vector<float> halves;
                for (const std::uint32_t v : a.values)
                    halves.push_back(tensor::valueOf(tensor::Elem::F16, v));
                tensor::packD(a.elem, 16, a.n, halves.data(), cells.data());
            } else {
                const std::vector<std::int32_t> words(a.values.begin(), a.values.end());
                tensor::packD(16, a.n, words.data(), cells.data());
            }
        }
        w.operations.pop_front();
    }
    w.waitsBelow = 0;
    // A register may be A's of an operation that is still under way.
    for (const Operation& o : w.operations) {
        for (unsigned i = 0; i < o.info->a; ++i) {
            if (o.rows[i] >= 0)
                w.flags[o.regBase + static_cast<std::size_t>(o.rows[i])] |= kOperandA;
        }
    }
    for (std::size_t i = 0; i < warp.groups.size(); ++i) {
        if (warp.groups[i].state != GroupState::Matrix) continue;
        lanes_.wake(warp, warp.groups[i]);
        break;
    }
}

void MatrixEngine::fence(const Ctx& x)
{
    WarpState& w = stateOf(x);
    for (std::uint8_t& f : w.flags) f &= static_cast<std::uint8_t>(~kWritten);
}

void MatrixEngine::commit(const Ctx& x) { ++stateOf(x).group; }

void MatrixEngine::wait(Ctx& x, const MicroOp& op, std::uint32_t pending)
{
    WarpState& w = stateOf(x);
    const bool open = std::any_of(w.operations.begin(), w.operations.end(),
                                  [&](const Operation& o) { return o.group == w.group; });
    const bool any = w.group > 1;  // something was ever committed
    if (open || !any)
        report(x, "TEN-016", Severity::Warning,
               open ? "wgmma.wait_group does not wait for the wgmma that are not committed yet"
                    : "wgmma.wait_group waits for nothing: no group was committed",
               op.line);
    w.waitsBelow = w.group > pending ? w.group - pending : 0;
    if (w.waitsBelow == 0) return;
    if (!done(w)) {
        x.group->state = GroupState::Matrix;
        x.group->line = op.line;
        return;
    }
    settle(w, *x.warp);
}

void MatrixEngine::watch(Ctx& x, const MicroOp& op)
{
    const auto& touched = s_.program.codes[x.group->code].touched;
    const std::uint32_t pc = x.group->pc;
    if (pc >= touched.size() || touched[pc].empty()) return;
    WarpState& w = stateOf(x);
    for (const Row r : touched[pc]) {
        const bool writes = r >= kWrites;
        const auto row = x.group->regBase + static_cast<std::size_t>(r & (kWrites - 1));
        if (row >= w.flags.size()) continue;
        if ((w.flags[row] & kAccumulator) != 0)
            report(x, "TEN-010", Severity::Error,
                   "touches an accumulator of a wgmma.mma_async before wgmma.wait_group", op.line);
        if (writes && (w.flags[row] & kOperandA) != 0)
            report(x, "TEN-010", Severity::Error,
                   "writes a register that a wgmma.mma_async still reads, before "
                   "wgmma.wait_group",
                   op.line);
        if (writes) w.flags[row] |= kWritten;
    }
}

void MatrixEngine::overwritten(const Cta& owner, std::uint32_t offset, std::uint32_t bytes)
{
    for (unsigned index = 0; index < owner.warps.size(); ++index) {
        const auto found = warps_.find(keyOfWarp(keyOf(owner), index));
        if (found == warps_.end()) continue;
        for (const Operation& o : found->second.operations) {
            if (o.performed || offset >= o.high || offset + bytes <= o.low) continue;
            const std::uint32_t from = std::max(offset, o.low) - o.low,
                                to = std::min(offset + bytes, o.high) - o.low;
            bool hit = false;
            for (std::uint32_t l = from / kLine; l <= (to - 1) / kLine && l < o.lines.size(); ++l)
                hit |= o.lines[l] != 0;
            if (!hit) continue;
            s_.findings.add({"TEN-017", Severity::Error,
                             "shared memory is overwritten that this wgmma.mma_async is still to "
                             "read: no wgmma.wait_group has covered it",
                             owner.linear, index, owner.warps[index].live, o.line, s_.now()});
        }
    }
}

void MatrixEngine::forget(const Warp& warp)
{
    const CtaKey cta = keyOf(*warp.cta);
    const auto found = warps_.find(keyOfWarp(cta, warp.index));
    if (found == warps_.end()) return;
    const auto group = agreements_.find(keyOfWarp(cta, warp.index / kWarpgroup));
    if (group != agreements_.end()) {
        Agreement& a = group->second;
        a.most = std::max(a.most, found->second.issued);
        a.least = std::min(a.least, found->second.issued);
        if (++a.ended == kWarpgroup) {
            if (a.most != a.least)
                s_.findings.add({"TEN-012", Severity::Error,
                                 "the warps of a warpgroup executed " + std::to_string(a.least) +
                                     " to " + std::to_string(a.most) + " wgmma.mma_async",
                                 warp.cta->linear, warp.index, warp.full, 0, s_.now()});
            agreements_.erase(group);
        }
    }
    if (found->second.waiting == 0) warps_.erase(found);
    for (Warp& sibling : warp.cta->warps) {  // who waits for the whole warpgroup waits for one less
        const auto other = warps_.find(keyOfWarp(cta, sibling.index));
        if (sibling.index / kWarpgroup == warp.index / kWarpgroup && sibling.live != 0 &&
            other != warps_.end())
            settle(other->second, sibling);
    }
}

void wgmmaOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    checkWhole(x, o, lanes, "wgmma.mma_async");
    x.machine->matrix.issue(x, o, lanes);
    x.warp->matrix = true;
}

void wgmmaFenceOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    checkWhole(x, o, lanes, "wgmma.fence");
    x.machine->matrix.fence(x);
    x.warp->matrix = true;
}

void wgmmaCommitOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    checkWhole(x, o, lanes, "wgmma.commit_group");
    x.machine->matrix.commit(x);
}

void wgmmaWaitOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    checkWhole(x, o, lanes, "wgmma.wait_group");
    x.machine->matrix.wait(x, o, static_cast<std::uint32_t>(o.offset));
}

void watchMatrix(Ctx& x, const MicroOp& op) { x.machine->matrix.watch(x, op); }

void matrixForget(Machine& machine, const Warp& warp) { machine.matrix.forget(warp); }

void matrixOverwritten(Machine& machine, const Cta& owner, std::uint32_t offset,
                       std::uint32_t bytes)
{
    machine.matrix.overwritten(owner, offset, bytes);
}

}  // namespace gsu::exec
