#include "trace/wait_watch.hpp"

#include <fmt/format.h>

#include "golden/mbarrier_unit.hpp"
#include "golden/op_traits.hpp"
#include "observers/mbar_word.hpp"
#include "observers/open_table.hpp"

namespace gsu::trace {

namespace {

std::uint64_t keyOf(WarpRef at, std::uint32_t object)
{
    return std::uint64_t{at.sm} << 32 | std::uint64_t{at.cta} << 24 | clusterOffset(object);
}

bool phaseOf(Op op, std::uint64_t data)
{
    return isMbarParity(op) ? (data & 1) != 0 : data >> 63 != 0;
}

}  // namespace

void WaitWatch::given(const Step& step, std::uint32_t index)
{
    std::vector<Part>& parts = warps_[OpenTable::indexOf(step.at)];
    if (!parts.empty()) {
        for (Part& p : parts) p.lanes &= ~step.lanes;
        std::erase_if(parts, [](const Part& p) { return p.lanes == 0; });
    }
    if (isMbarWait(step.op)) parts.push_back({step.lanes, index});
}

void WaitWatch::answered(const SyncResponse& r)
{
    std::vector<Part>& parts = warps_[OpenTable::indexOf(r.at)];
    if (parts.empty()) return;
    const Lanes done = r.cause == Cause::Refused ? r.lanes : r.lanes & r.pred;
    for (Part& p : parts) p.lanes &= ~done;
    std::erase_if(parts, [](const Part& p) { return p.lanes == 0; });
}

void WaitWatch::committed(const Commit& c)
{
    // Refusals before the object is read, atomics and time-outs do not carry its word.
    if (c.unit != Unit::Mbarrier || c.op == Op::EvTimeout || isAtomic(c.op) ||
        (c.refused && c.newWord == c.oldWord))
        return;
    words_[keyOf(c.at, c.object)] = c.newWord;
}

std::vector<OpenWait> WaitWatch::split(const Program& program, Part part, Lanes lanes) const
{
    std::vector<OpenWait> found;
    const Step& step = program.steps[part.step];
    SyncRequest request;
    program.expand(step, request);
    for (Lanes rest = part.lanes & lanes; rest != 0;) {
        const auto lead = static_cast<unsigned>(__builtin_ctz(rest));
        const Lanes group = mbarGroup(request, rest);
        rest &= ~group;
        const auto word = words_.find(keyOf(step.at, request.addr[lead]));
        const bool phase = phaseOf(step.op, request.data[lead]);
        if (word == words_.end() || (word->second >> 63 != 0) != phase) continue;
        found.push_back({step.at, group, step.op, request.addr[lead], word->second,
                         program.firstLine + step.order, step.source});
    }
    return found;
}

std::string WaitWatch::explain(const Program& program, WarpRef at, Lanes lanes) const
{
    for (const Part& part : warps_[OpenTable::indexOf(at)]) {
        for (const OpenWait& w : split(program, part, lanes))
            return fmt::format("; mbarrier {}:{} (wait in line {}): {}", clusterRank(w.object),
                               clusterOffset(w.object), w.line, mbarStateText(w.word));
    }
    return {};
}

std::vector<OpenWait> WaitWatch::finish(const Program& program) const
{
    std::vector<OpenWait> found;
    for (const std::vector<Part>& parts : warps_) {
        for (const Part& part : parts) {
            for (const OpenWait& w : split(program, part, part.lanes)) found.push_back(w);
        }
    }
    return found;
}

}  // namespace gsu::trace
