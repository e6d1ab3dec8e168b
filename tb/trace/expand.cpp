// Expands a step of a trace into its request.
#include "trace/program.hpp"

namespace gsu::trace {

void Program::expand(const Step& s, SyncRequest& r) const
{
    r.op = s.op;
    r.at = s.at;
    r.lanes = s.lanes;
    r.tag = s.tag;
    r.arg0 = s.arg0;
    r.arg1 = s.arg1;
    r.pred = s.pred;
    r.sem = s.sem;
    r.scope = s.scope;
    r.kind = s.kind;
    r.aligned = (s.flags & kAligned) != 0;
    r.noComplete = (s.flags & kNoComplete) != 0;
    r.wantValue = (s.flags & kWantValue) != 0;
    r.diverged = (s.flags & kDiverged) != 0;
    r.remote = (s.flags & kRemote) != 0;
    r.source = s.source;
    std::size_t from = s.operands;
    for (Lanes rest = s.lanes; rest != 0; rest &= rest - 1) {
        const auto lane = std::size_t(__builtin_ctz(rest));
        if (s.operands == kNoIndex) {
            r.addr[lane] = 0;
            r.data[lane] = 0;
            r.limit[lane] = 0;
            continue;
        }
        r.addr[lane] = std::uint32_t(operands[from]);
        r.limit[lane] = std::uint32_t(operands[from] >> 32);
        r.data[lane] = operands[from + 1];
        from += 2;
    }
}

}  // namespace gsu::trace
