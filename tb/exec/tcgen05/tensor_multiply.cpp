// tcgen05.mma, cp and shift: their issue to the tensor core, their times, and their effect.
#include <algorithm>

#include "exec/tcgen05/tensor_cores.hpp"

namespace gsu::exec {
namespace {

std::uint32_t tensorAddress(const Ctx& x, const Tcgen05Info::Address& at, unsigned lane)
{
    if (at.row == kNoRow) return 0;
    return static_cast<std::uint32_t>(x.src(at.row)[lane]) + static_cast<std::uint32_t>(at.offset);
}

std::uint64_t valueOf(const Ctx& x, Row row, unsigned lane)
{
    return row == kNoRow ? 0 : x.src(row)[lane];
}

/// Bytes of shared memory that one CTA of the group gives the tensor core, at 128 a clock.
Cycle clocksOfShared(const tmem::Plan& plan)
{
    std::uint64_t bytes = 0;
    for (const tmem::SharedAccess& a : plan.shared) bytes += a.cta == 0 ? a.bytes : 0;
    return (bytes + 127) / 128;
}

/// Bits of an element of A, which determine the rate of a kind.
unsigned bitsOf(tmem::Kind kind)
{
    if (tmem::isPackedFp4(kind)) return 4;
    return kind == tmem::Kind::F16 ? 16 : kind == tmem::Kind::Tf32 ? 32 : 8;
}

/// Clocks by the published rule: the products at the rate of the type, or the bytes of the operands, whichever takes longer.
Cycle clocksOf(const tmem::Instruction& i, const tmem::Plan& plan, std::uint32_t rate)
{
    std::uint64_t work =
        std::uint64_t{i.m} * i.n * i.storedK() / i.modifiers.group * bitsOf(i.modifiers.kind) / 16;
    if (i.m / i.modifiers.group <= 64) work *= 2;  // half of the data path
    return std::max<Cycle>({1, work / rate, clocksOfShared(plan)});
}

Cycle latencyOf(const tmem::Instruction& i, std::uint32_t latency)
{
    constexpr std::int64_t kHalf = -16, kInside = -32, kPair = 34;  // published, against 136
    const std::int64_t more = i.modifiers.group == 2 ? kPair
                              : i.modifiers.aInside  ? kInside
                              : i.m <= 64            ? kHalf
                                                     : 0;
    return static_cast<Cycle>(std::max<std::int64_t>(1, latency + more * latency / 136));
}

/// The product in the form of the timing model.
timing::Product productOf(const tmem::Instruction& i)
{
    timing::Product p;
    p.m = i.m;
    p.n = i.n;
    p.k = i.storedK();
    p.bits = bitsOf(i.modifiers.kind);
    p.sparse = i.modifiers.sparse;
    p.sharedA = !i.modifiers.aInside;
    p.tcgen = true;
    p.pair = i.modifiers.group == 2;
    return p;
}

/// The plan of a group: an instruction has the same effect in the other CTA of a pair, from its own shared memory.
std::shared_ptr<const tmem::Plan> planOfGroup(const tmem::Plan& one, unsigned ctas)
{
    auto all = std::make_shared<tmem::Plan>(one);
    if (ctas == 1) return all;
    for (tmem::CellAccess cell : one.cells) all->cells.push_back((cell.cta = 1, cell));
    for (tmem::SharedAccess a : one.shared) all->shared.push_back((a.cta = 1, a));
    return all;
}

}  // namespace

tmem::Operands TensorCores::operandsOf(const Ctx& x, const MicroOp& op, unsigned lane) const
{
    const Tcgen05Info& info = s_.program.tcgen05s[op.extra];
    tmem::Operands o;
    o.d = tensorAddress(x, info.d, lane);
    o.aInside = tensorAddress(x, info.a, lane);
    o.a = valueOf(x, info.descriptor, lane);
    o.b = valueOf(x, info.b, lane);
    o.metadata = tensorAddress(x, info.metadata, lane);
    o.scaleA = tensorAddress(x, info.scaleA, lane);
    o.scaleB = tensorAddress(x, info.scaleB, lane);
    o.accumulate = (x.pred(info.enable) >> lane & 1) != 0;
    for (unsigned i = 0; i < op.count && i < o.disabled.size(); ++i)
        o.disabled[i] = static_cast<std::uint32_t>(x.src(s_.program.rows[op.list + i])[lane]);
    o.zeroColumns = valueOf(x, info.zeroColumns, lane);
    return o;
}

/// The checked instruction. Loops give the same operands again and again: they are checked once.
const TensorCores::Known& TensorCores::known(const Tcgen05Info& info, std::uint32_t instruction,
                                             const tmem::Operands& o)
{
    constexpr std::size_t kMost = 4096;
    const auto two = [](std::uint32_t a, std::uint32_t b) { return std::uint64_t{a} << 32 | b; };
    const MultiplyKey key{static_cast<std::uint64_t>(&info - s_.program.tcgen05s.data()),
                          two(instruction, o.accumulate ? 1 : 0),
                          two(o.d, o.aInside),
                          o.a,
                          o.b,
                          two(o.metadata, o.scaleA),
                          o.scaleB,
                          two(o.disabled[0], o.disabled[1]),
                          two(o.disabled[2], o.disabled[3]),
                          two(o.disabled[4], o.disabled[5]),
                          two(o.disabled[6], o.disabled[7]),
                          o.zeroColumns};
    if (multiplies_.size() == kMost) multiplies_.clear();
    const auto [at, fresh] = multiplies_.try_emplace(key);
    Known& k = at->second;
    if (!fresh) return k;
    const auto judged = tmem::instructionOf(instruction, info.modifiers);
    if (!judged) {
        k.problem = judged.refusal();
        return k;
    }
    k.instruction = *judged;
    const auto plan = tmem::planOf(k.instruction, o);
    if (plan)
        k.plan = std::make_shared<tmem::Plan>(*plan);
    else
        k.problem = plan.refusal();
    return k;
}

/// The tensor cores of the group perform one after the other.
void TensorCores::timeOnCore(TensorOp& op, const Group& group, Cycle interval, Cycle latency)
{
    Cycle start = s_.now(), last = 0;
    for (unsigned i = 0; i < group.count; ++i) {
        const TensorMemoryOfSm& r = tensorMemory(group.ctas[i]->launch.sm);
        start = std::max(start, r.freeAt);
        last = std::max(last, r.last);
    }
    const Cycle end = start + interval;
    const Cycle done =
        std::max(end + jittered(*group.ctas[0], latency, s_.ep.tcgen05_jitter), last);
    for (unsigned i = 0; i < group.count; ++i) {
        TensorMemoryOfSm& r = tensorMemory(group.ctas[i]->launch.sm);
        r.freeAt = end;
        r.last = done;
    }
    op.begins = start;
    op.performs = done;
    op.busy = interval * group.count;
}

/// exec.timing other than simple: the tensor pipe of the issuer's SM. The other SM of a pair does its half in the same time.
void TensorCores::timeOfServers(const Ctx& x, TensorOp& op, const Group& group,
                                const tmem::Instruction& i)
{
    const timing::ProductClocks times = s_.timingAdapter->product(*x.warp, productOf(i));
    op.begins = std::max(times.start, s_.now());
    op.performs = std::max(times.done, s_.now() + 1);
    for (unsigned c = 0; c < group.count; ++c)
        op.performs = std::max(op.performs, tensorMemory(group.ctas[c]->launch.sm).last);
    for (unsigned c = 0; c < group.count; ++c) {
        TensorMemoryOfSm& r = tensorMemory(group.ctas[c]->launch.sm);
        r.freeAt = std::max(r.freeAt, op.begins);
        r.last = op.performs;
    }
}

/// Begins a thread's mma, cp or shift, whose time is known.
template <class What>
void TensorCores::begin(const Ctx& x, unsigned lane, const Group& group, const OpPtr& made,
                        What what)
{
    for (unsigned c = 0; c < group.count; ++c) what.ctas[c] = keyOf(*group.ctas[c]);
    sideOf(*x.cta).lastOf[x.warp->index * 32u + lane] = made->performs;
    issue(x, made, group, {nullptr, std::move(what)});
}

void TensorCores::multiply(Ctx& x, const MicroOp& op, unsigned lane)
{
    const Tcgen05Info& info = s_.program.tcgen05s[op.extra];
    const Lanes lanes = 1u << lane;
    const Group group = groupOf(x, op, lanes, info.group);
    if (group.count == 0) return;
    const tmem::Operands o = operandsOf(x, op, lane);
    const auto bits = static_cast<std::uint32_t>(x.src(info.instruction)[lane]);
    const Known& k = known(info, bits, o);
    if (k.problem) return refuse(x, op, lanes, *k.problem);
    if (auto problem = sideOf(*group.ctas[0]).collectors.use(info.modifiers, info.collector))
        report(x, op.line, *problem);
    checkColumns(x, op, group, *k.plan);
    if (!checkShared(x, op, lane, group, *k.plan)) return;
    const tmem::Instruction& i = k.instruction;
    const OpPtr made = operation(x, op, TensorOp::Kind::Multiply, lane, k.plan);
    made->accumulator = {o.d, i.m << 16 | i.n, (i.modifiers.weightStationary ? 1u : 0u)};
    if (s_.timingAdapter != nullptr)
        timeOfServers(x, *made, group, i);
    else
        timeOnCore(*made, group,
                   jittered(*x.cta, clocksOf(i, *k.plan, s_.ep.tcgen05_rate), s_.ep.tcgen05_jitter),
                   latencyOf(i, s_.ep.tcgen05_lat));
    begin(x, lane, group, made, Multiply{{}, i, o});
}

/// TensorMode::Skip: clears the cells that the product overwrites.
void TensorCores::clear(const TensorOp& op, const Multiply& what)
{
    if (what.operands.accumulate) return;
    for (const tmem::CellAccess& cell : op.plan->cells) {
        if (!cell.writes) continue;
        tmem::TensorMemory& memory = tensorMemory(what.ctas[cell.cta].sm).memory;
        for (unsigned l = 0; l < cell.window.lanes; ++l)
            std::fill_n(memory.lane(cell.window.at.lane + l) + cell.window.at.column,
                        cell.window.columns, 0);
    }
}

void TensorCores::perform(const TensorOp& op, const Multiply& what)
{
    std::array<tmem::Side, 2> sides;
    const unsigned count = what.instruction.modifiers.group;
    const Cta* issuer = residents_.live(op.issuer);
    for (unsigned c = 0; c < count; ++c) {
        const Cta* cta = residents_.live(what.ctas[c]);
        if (cta == nullptr || issuer == nullptr) return;  // ended without waiting
        sides[c] = {&tensorMemory(cta->launch.sm).memory,
                    {memory_.shared(*cta, 0), cta->launch.size}};
    }
    if (s_.options.tensor == TensorMode::Skip) return clear(op, what);
    const std::span<const tmem::Side> all(sides.data(), count);
    auto problem = tmem::multiply(what.instruction, what.operands, all, scratch_, true);
    const bool copies = problem && problem->rule == tmem::Rule::ScaleCopies;
    const bool codes = problem && problem->rule == tmem::Rule::MetadataCode;
    const auto tell = [&](const tmem::Refusal& r, Severity severity) {
        s_.findings.add({tmem::textOf(r.rule).id, severity,
                         std::string(tmem::textOf(r.rule).statement) + " (" + r.text + ")",
                         issuer->linear, op.warp, Lanes{1} << op.lane, op.line, s_.now()});
    };
    if (copies ||
        codes) {  // hardware reads the first quarter, and takes the codes, as far as is known
        tell(*problem, copies ? Severity::Warning : Severity::Error);
        problem = tmem::multiply(what.instruction, what.operands, all, scratch_, false);
    }
    if (problem) tell(*problem, Severity::Error);
}

void TensorCores::copy(Ctx& x, const MicroOp& op, unsigned lane)
{
    const Tcgen05Info& info = s_.program.tcgen05s[op.extra];
    const Lanes lanes = 1u << lane;
    const Group group = groupOf(x, op, lanes, info.group);
    if (group.count == 0) return;
    CopyIn what{
        {}, group.count, info.copy, x.src(info.descriptor)[lane], tensorAddress(x, info.d, lane)};
    const auto source = tmem::SharedDescriptor::of(what.descriptor);
    if (!source) return refuse(x, op, lanes, source.refusal());
    PlanPtr& plan = copies_[{op.extra, what.descriptor, what.to}];
    if (plan == nullptr) {
        const auto judged = tmem::planOf(info.copy, *source, tmem::Address::of(what.to));
        if (!judged) return refuse(x, op, lanes, judged.refusal());
        plan = planOfGroup(*judged, group.count);
    }
    checkColumns(x, op, group, *plan);
    if (!checkShared(x, op, lane, group, *plan)) return;
    const OpPtr made = operation(x, op, TensorOp::Kind::Copy, lane, plan);
    made->narrow = info.copy.shape == tmem::CopyShape::L4x256b;
    timeOnCore(*made, group, std::max<Cycle>(1, clocksOfShared(*plan)), s_.ep.tcgen05_lat);
    begin(x, lane, group, made, what);
}

void TensorCores::perform(const TensorOp& op, const CopyIn& what)
{
    if (residents_.live(op.issuer) == nullptr) return;
    for (unsigned c = 0; c < what.count; ++c) {
        const Cta* cta = residents_.live(what.ctas[c]);
        if (cta == nullptr) continue;
        // The copy was checked when it was issued, so it cannot be refused here.
        static_cast<void>(tmem::copyIn(what.copy, *tmem::SharedDescriptor::of(what.descriptor),
                                       {memory_.shared(*cta, 0), cta->launch.size},
                                       tensorMemory(cta->launch.sm).memory,
                                       tmem::Address::of(what.to)));
    }
}

void TensorCores::shift(Ctx& x, const MicroOp& op, unsigned lane)
{
    const Tcgen05Info& info = s_.program.tcgen05s[op.extra];
    const Lanes lanes = 1u << lane;
    const auto at = tmem::Address::of(tensorAddress(x, info.d, lane));
    const auto judged = tmem::shiftOf(static_cast<tmem::ShiftReach>(s_.ep.tcgen05_shift), at);
    if (!judged) return refuse(x, op, lanes, judged.refusal());
    const Group group = groupOf(x, op, lanes, info.group);
    if (group.count == 0) return;
    PlanPtr& plan = copies_[{op.extra, 0, std::uint64_t{at.lane} << 16 | at.column}];
    if (plan == nullptr) plan = planOfGroup(tmem::planOf(*judged), group.count);
    checkColumns(x, op, group, *plan);
    const OpPtr made = operation(x, op, TensorOp::Kind::Shift, lane, plan);
    timeOnCore(*made, group, 1, s_.ep.tcgen05_lat);
    begin(x, lane, group, made, ShiftDown{{}, group.count, *judged});
}

void TensorCores::perform(const TensorOp& op, const ShiftDown& what)
{
    if (residents_.live(op.issuer) == nullptr) return;
    for (unsigned c = 0; c < what.count; ++c) {
        const Cta* cta = residents_.live(what.ctas[c]);
        if (cta != nullptr) tmem::shiftDown(tensorMemory(cta->launch.sm).memory, what.shift);
    }
}

}  // namespace gsu::exec
