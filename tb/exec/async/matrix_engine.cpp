#include "exec/async/matrix_parts.hpp"

#include <algorithm>

#include "exec/state/report.hpp"
#include "exec/state/run_parts.hpp"

namespace gsu::exec {
namespace {

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

/// Time by the timing model, for all four warps together.
Cycle MatrixEngine::pacedTime(const Ctx& x, WarpState& w, const Operation& o)
{
    constexpr std::uint32_t kRows = 64;
    const tensor::Form& f = o.info->form;
    timing::Product p;
    p.m = kRows;
    p.n = f.n;
    p.k = f.storedK();
    p.bits = tensor::bitsOf(f.a);
    p.sparse = f.sparse;
    p.sharedA = o.info->a == 0;
    w.last = std::max({w.last, s_.now() + 1, s_.timingAdapter->product(*x.warp, p).done});
    return w.last;
}

/// Time without a timing model: in order on the tensor core of the warp's scheduler; the seed adds to latency and time.
Cycle MatrixEngine::drawTime(const Ctx& x, WarpState& w, const Operation& o)
{
    if (s_.timingAdapter != nullptr) return pacedTime(x, w, o);
    const tensor::Form& f = o.info->form;
    const std::uint64_t work = std::uint64_t{16} * f.n * f.storedK() * tensor::bitsOf(f.a) / 16;
    const std::uint64_t time = std::max<std::uint64_t>(1, work * kWarpgroup / s_.ep.mma_rate);
    const auto jittered = [&](std::uint64_t t) {
        const std::uint64_t more = t * s_.ep.mma_jitter / 100;
        return t + (more == 0 ? 0 : s_.random(x.cta->launch.sm) % (more + 1));
    };
    Cycle& free = freeAt_[{x.cta->launch.sm, x.warp->index % 4u}];
    const Cycle start = std::max({s_.now() + jittered(s_.ep.mma_async_lat), free, w.last});
    free = start + time;
    w.last = start + jittered(time);
    return w.last;
}

/// The operands of a wgmma, the same for all lanes.
MatrixEngine::Operation MatrixEngine::operandsOf(const Ctx& x, const MicroOp& op, Lanes lanes)
{
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
    return o;
}

void MatrixEngine::issue(Ctx& x, const MicroOp& op, Lanes lanes)
{
    WarpState& w = stateOf(x);
    Operation o = operandsOf(x, op, lanes);
    const WgmmaInfo& info = *o.info;
    if (x.cta->warps.size() / kWarpgroup == x.warp->index / kWarpgroup)
        report(x, "TEN-012", Severity::Error,
               "wgmma needs a warpgroup: four warps from a multiple of four on", op.line);
    if (!checkDescriptors(x, op, o)) {
        x.fault.lanes = lanes;
        return;
    }
    checkProxy(x, o);
    if (s_.accesses != nullptr) tell(x, o, lanes);
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
        if (cta != nullptr)
            readOnce(*cta);
        else
            known_.erase(w.cta.serial);
        next->performed = true;
        if (w.waiting == 0) warps_.erase(found);
        return;
    }
    perform(w, *next);
    readOnce(*cta);
    const unsigned first = w.warp / kWarpgroup * kWarpgroup;
    for (unsigned index = first; index < first + kWarpgroup && index < cta->warps.size(); ++index) {
        const auto other = warps_.find(keyOfWarp(w.cta, index));
        if (other != warps_.end()) settle(other->second, cta->warps[index]);
    }
}

/// One of the CTA's wgmma has read its operands. Writes to a window without wgmma in flight are not reported.
void MatrixEngine::readOnce(Cta& cta)
{
    if (--cta.matrixReads == 0) known_.erase(keyOf(cta).serial);
}

/// B is read and decoded once for the warps that use it, while its bytes stay.
const WgmmaFactor& MatrixEngine::factorOf(const Cta& cta, const Operation& o, WgmmaOperands& memory)
{
    constexpr std::size_t kMost = 16;
    std::deque<Known>& all = known_[keyOf(cta).serial];
    const auto found = std::find_if(all.begin(), all.end(), [&](const Known& k) {
        return k.info == o.info && k.descriptor == o.descriptorB;
    });
    if (found != all.end()) return found->factor;
    if (all.size() == kMost) all.pop_front();
    all.push_back({o.info, o.descriptorB, *o.reads, wgmmaFactor(*o.info, o.descriptorB, memory)});
    return all.back().factor;
}

void MatrixEngine::perform(WarpState& w, Operation& o)
{
    o.performed = true;
    s_.progress.changed();
    if (s_.options.tensor == TensorMode::Skip) return;
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
    wgmmaProduct(info, o.descriptorA, factorOf(cta, o, window), w.warp % kWarpgroup * 16,
                 info.a == 0 ? nullptr : registers.data(),
                 o.metadata.empty() ? nullptr : o.metadata.data(), o.scaleD,
                 s_.options.tensor == TensorMode::Truncate, window,
                 w.accumulators[o.accumulator].values.data());
}

void wgmmaOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    checkWhole(x, o, lanes, "wgmma.mma_async");
    x.parts->matrix.issue(x, o, lanes);
    x.warp->matrix = true;
}

void wgmmaFenceOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    checkWhole(x, o, lanes, "wgmma.fence");
    x.parts->matrix.fence(x);
    x.warp->matrix = true;
}

void wgmmaCommitOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    checkWhole(x, o, lanes, "wgmma.commit_group");
    x.parts->matrix.commit(x);
}

void wgmmaWaitOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    checkWhole(x, o, lanes, "wgmma.wait_group");
    x.parts->matrix.wait(x, o, static_cast<std::uint32_t>(o.offset));
}

}  // namespace gsu::exec
