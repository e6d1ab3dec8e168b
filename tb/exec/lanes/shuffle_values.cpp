#include "exec/lanes/shuffle.hpp"

namespace gsu::exec {
void shuffle(const Ctx& ctx, const MicroOp& op, Lanes to, Lanes over, const MeetValues& v)
{
    std::uint64_t* d = op.d != kNoRow ? ctx.row(op.d) : nullptr;
    Lanes valid = 0;
    eachLane(to, [&](unsigned l) {
        const auto lane = static_cast<int>(l);
        const int b = static_cast<int>(v.b[l] & 31), clamp = static_cast<int>(v.c[l] & 31);
        const int segment = static_cast<int>(v.c[l] >> 8 & 31);
        const int top = (lane & segment) | (clamp & ~segment), bottom = lane & segment;
        int from = 0;
        bool inside = false;
        switch (op.shuffle.mode) {
            case ShflMode::Up:
                from = lane - b;
                inside = from >= top;
                break;
            case ShflMode::Down:
                from = lane + b;
                inside = from <= top;
                break;
            case ShflMode::Bfly:
                from = lane ^ b;
                inside = from <= top;
                break;
            case ShflMode::Idx:
                from = bottom | (b & ~segment);
                inside = from <= top;
                break;
        }
        if (!inside) from = lane;
        valid |= inside ? 1u << l : 0;
        // The value of a lane that does not take part is unspecified: here it is the reader's own.
        const auto source = static_cast<unsigned>(from) & 31;
        if (d != nullptr) d[l] = v.value[(over >> source & 1) != 0 ? source : l];
    });
    ctx.setPred(op.pd, to, valid);
}

}  // namespace gsu::exec
