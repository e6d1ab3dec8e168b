#include "exec/memory/access.hpp"

#include "exec/alu/wide_host.hpp"
#include "exec/storage/written_bytes.hpp"

namespace gsu::exec {

void watchAccess(const Ctx& ctx, std::uint64_t address, unsigned bytes, unsigned lane,
                 const char* what)
{
    WrittenBytes& watched = *ctx.parts->memory.global().watched();
    const MicroOp& op = ctx.parts->program.codes[ctx.group->code].ops[ctx.group->pc];
    if (op.touch != Touch::Writes) {
        if (const auto at = watched.unwritten(address, bytes))
            report(ctx, op, "INIT-001", Severity::Error,
                   ctx.parts->memory.text(what, *at, bytes, "nobody has written it"), 1u << lane);
    }
    if (op.touch == Touch::Writes || op.touch == Touch::Updates) watched.wrote(address, bytes);
}

WarpAccess::Pattern WarpAccess::wholeWarp(const Ctx& ctx, const MicroOp& op) noexcept
{
    std::uint64_t base = static_cast<std::uint64_t>(op.offset);
    if (op.frame) base += ctx.group->localBase;
    if (op.a == kNoRow) {
        at_.fill(base);
        return Pattern::One;
    }
    struct Differences {
        std::uint64_t fromRow{}, fromOne{};
    };
    const auto [fromRow, fromOne] =
        widely([from = ctx.src(op.a), to = at_.data(), base, bytes = bytes_] {
            Differences d;
            const std::uint64_t first = from[0] + base;
            for (unsigned l = 0; l < 32; ++l) {
                const std::uint64_t address = from[l] + base;
                to[l] = address;
                d.fromRow |= address ^ (first + std::uint64_t{l} * bytes);
                d.fromOne |= address ^ first;
            }
            return d;
        });
    if (fromOne == 0) return Pattern::One;
    return fromRow == 0 && at_[31] > at_[0] ? Pattern::Behind : Pattern::Mixed;
}

void WarpAccess::someLanes(const Ctx& ctx, const MicroOp& op, Lanes lanes) noexcept
{
    eachLane(lanes, [&](unsigned l) { at_[l] = addressOf(ctx, op, l); });
}

WarpAccess::Range WarpAccess::rangeOfLanes(Lanes lanes) const noexcept
{
    Range all{~std::uint64_t{0}, 0, 0};
    const auto add = [&](unsigned l) {
        all.least = std::min(all.least, at_[l]);
        all.most = std::max(all.most, at_[l]);
        all.bits |= at_[l];
    };
    eachLane(lanes, add);
    return all;
}

}  // namespace gsu::exec
