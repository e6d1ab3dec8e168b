/// Checked access of one lane to memory, for the instructions that load, store or update; private to tb/exec.
#pragma once
#include <algorithm>
#include <array>
#include <bit>

#include "exec/memory/memory.hpp"
#include "exec/state/report.hpp"
#include "exec/state/run_parts.hpp"

namespace gsu::exec {

/// The bytes of a place in the form of observers. Empty for private memory of a thread, and if there is no memory.
[[nodiscard]] inline MemoryRange rangeOf(const Place& p, std::uint64_t address,
                                         std::uint32_t bytes) noexcept
{
    if (p.bytes == nullptr || p.standIn) return {};
    if (p.owner != nullptr) return {p.offset, bytes, p.owner->launch.sm, p.owner->launch.cta};
    return p.where == Place::Where::Global ? MemoryRange{address, bytes} : MemoryRange{};
}

/// The address operand of a lane.
[[nodiscard]] inline std::uint64_t addressOf(const Ctx& ctx, const MicroOp& op,
                                             unsigned lane) noexcept
{
    std::uint64_t address = static_cast<std::uint64_t>(op.offset);
    if (op.a != kNoRow) address += ctx.src(op.a)[lane];
    if (op.frame) address += ctx.group->localBase;
    return address;
}

/// Reports a lane that reads unwritten global memory, and notes its writes. `what` names the instruction. Pre: watched().
void watchAccess(const Ctx& ctx, std::uint64_t address, unsigned bytes, unsigned lane,
                 const char* what);

/// Notes that the instruction touches global memory, if SMs are executed in parallel.
inline void touchBesides(const Ctx& ctx, std::uint64_t address, std::uint64_t bytes)
{
    ParallelPart* part = ctx.parts->state.part;
    if (part == nullptr) return;
    const MicroOp& op = ctx.parts->program.codes[ctx.group->code].ops[ctx.group->pc];
    if (op.touch == Touch::Updates) part->giveUp("an atomic on global memory");
    part->touch(address, bytes, op.touch != Touch::Reads);
}

/// Finds `bytes` bytes aligned to their size; a bad access becomes the lane's fault and returns an empty place.
[[nodiscard]] inline Place access(Ctx& ctx, ptx::Space space, std::uint64_t address, unsigned bytes,
                                  unsigned lane, const char* what,
                                  const char* alignRule = "GEN-002")
{
    Memory& memory = ctx.parts->memory;
    Place p = memory.locate(ctx, space, address, bytes, lane);
    if (p.bytes == nullptr) {
        const std::string text = memory.text(what, address, bytes, p);
        if (ctx.parts->options.keepGoing && p.where == Place::Where::Global)
            return memory.standIn(ctx, lane, text);
        faultLane(ctx, lane, "GEN-002", text);
        return p;
    }
    if ((address & (bytes - 1)) != 0) {
        faultLane(ctx, lane, alignRule,
                  memory.text(what, address, bytes, "not aligned to the size"),
                  TrapKind::Misaligned);
        p.bytes = nullptr;
    }
    if (p.owner != nullptr && p.owner != ctx.cta) ctx.remote = true;
    if (p.where != Place::Where::Global || p.bytes == nullptr) return p;
    if (memory.global().watched() != nullptr) watchAccess(ctx, address, bytes, lane, what);
    touchBesides(ctx, address, bytes);
    return p;
}

/// The places of the lanes of a load or a store. Most warps stay within one piece of memory: then it is looked up once.
class WarpAccess {
public:
    /// Pattern of the lanes' addresses.
    enum class Pattern : std::uint8_t {
        Mixed,
        Behind,  ///< all 32, consecutive
        One      ///< all 32 at one address
    };
    /// `bytes` bytes for each of `lanes`, aligned to their size.
    WarpAccess(Ctx& ctx, const MicroOp& op, Lanes lanes, unsigned bytes, const char* what,
               const char* alignRule = "GEN-002")
        : ctx_(&ctx), op_(&op), what_(what), alignRule_(alignRule), bytes_(bytes)
    {
        Pattern pattern = Pattern::Mixed;
        if (lanes == ~Lanes{0})
            pattern = wholeWarp(ctx, op);
        else
            someLanes(ctx, op, lanes);
        const auto [least, most, odd] =
            pattern == Pattern::Mixed ? rangeOfLanes(lanes) : Range{at_[0], at_[31], at_[0]};
        Memory& memory = ctx.parts->memory;
        const std::uint64_t span = most - least + bytes;
        if (lanes == 0 || op.space == ptx::Space::Local || span > kSpan ||
            (odd & (bytes - 1)) != 0 || memory.global().watched() != nullptr)
            return;
        all_ = memory.locate(ctx, op.space, least, static_cast<unsigned>(span), lowest(lanes));
        if (all_.bytes == nullptr || !shared(all_.where)) {
            all_ = {};
            return;
        }
        least_ = least;
        span_ = static_cast<std::uint32_t>(span);
        pattern_ = pattern;
        if (all_.owner != nullptr && all_.owner != ctx.cta) ctx.remote = true;
        if (ctx.parts->state.part != nullptr && all_.where == Place::Where::Global)
            touchLanes(lanes);
    }
    [[nodiscard]] std::uint64_t address(unsigned lane) const noexcept { return at_[lane]; }
    /// The place of one lane, found and checked as access() does it.
    [[nodiscard]] Place place(unsigned lane)
    {
        if (span_ == 0)
            return access(*ctx_, op_->space, at_[lane], bytes_, lane, what_, alignRule_);
        Place p = all_;
        const auto offset = static_cast<std::uint32_t>(at_[lane] - least_);
        p.bytes += offset;
        p.offset += offset;
        return p;
    }
    /// The piece of memory with the bytes of all lanes. It has no bytes if there is no such piece, or none was looked for.
    [[nodiscard]] const Place& all() const noexcept { return all_; }
    /// Length of that piece in bytes; 0 if there is none.
    [[nodiscard]] std::uint32_t span() const noexcept { return span_; }
    /// First address of that piece. Pre: span() is not 0.
    [[nodiscard]] std::uint64_t least() const noexcept { return least_; }
    /// Pattern of the lanes. Pre: span() is not 0.
    [[nodiscard]] Pattern pattern() const noexcept { return pattern_; }
    /// Offset of a lane's bytes in that piece. Pre: span() is not 0.
    [[nodiscard]] std::uint32_t offset(unsigned lane) const noexcept
    {
        return static_cast<std::uint32_t>(at_[lane] - least_);
    }

private:
    /// Calls touchBesides() for each lane.
    void touchLanes(Lanes lanes) const
    {
        if (pattern_ != Pattern::Mixed)
            return touchBesides(*ctx_, least_, pattern_ == Pattern::One ? bytes_ : span_);
        eachLane(lanes, [&](unsigned l) { touchBesides(*ctx_, at_[l], bytes_); });
    }
    static constexpr std::uint64_t kSpan = 1u << 30;  ///< most bytes that are looked up at once
    /// Sets the addresses of all 32 lanes, and finds their pattern.
    [[nodiscard]] Pattern wholeWarp(const Ctx& ctx, const MicroOp& op) noexcept;
    /// Sets the addresses of these lanes.
    void someLanes(const Ctx& ctx, const MicroOp& op, Lanes lanes) noexcept;
    /// The range of the addresses, and all of their bits.
    struct Range {
        std::uint64_t least{}, most{}, bits{};
    };
    [[nodiscard]] Range rangeOfLanes(Lanes lanes) const noexcept;
    [[nodiscard]] static unsigned lowest(Lanes lanes) noexcept
    {
        return static_cast<unsigned>(std::countr_zero(lanes));
    }
    /// Whether every lane has the same memory there, not one of its own.
    [[nodiscard]] static bool shared(Place::Where where) noexcept
    {
        return where != Place::Where::Local && where != Place::Where::Stack;
    }

    Ctx* ctx_;
    const MicroOp* op_;
    const char *what_, *alignRule_;
    unsigned bytes_;
    std::uint32_t span_{};
    Pattern pattern_{Pattern::Mixed};
    std::uint64_t least_{};
    Place all_;
    std::array<std::uint64_t, 32> at_;  ///< addresses of the accessing lanes
};

[[nodiscard]] inline StoredBy doneBy(const Ctx& ctx, const MicroOp& op, Lanes lanes) noexcept
{
    return {ctx.cta->linear, ctx.warp->index, lanes, op.line};
}

/// Collects the shared bytes that an instruction stores, so that neighbours are reported to the port as one range.
class StoreRun {
public:
    StoreRun(Memory& memory, const StoredBy& by) noexcept : memory_(&memory), by_(by) {}
    /// The stores of an instruction.
    StoreRun(const Ctx& ctx, const MicroOp& op, Lanes lanes) noexcept
        : StoreRun(ctx.parts->memory, doneBy(ctx, op, lanes))
    {
    }
    ~StoreRun() { flush(); }
    StoreRun(const StoreRun&) = delete;
    StoreRun& operator=(const StoreRun&) = delete;

    void add(const Place& place, std::uint32_t bytes)
    {
        if (place.owner == nullptr) return;
        if (place.owner == owner_ && place.offset == offset_ + bytes_) {
            bytes_ += bytes;
            return;
        }
        flush();
        owner_ = place.owner;
        offset_ = place.offset;
        bytes_ = bytes;
    }
    void flush()
    {
        if (owner_ != nullptr) memory_->stored(*owner_, offset_, bytes_, by_);
        owner_ = nullptr;
    }

private:
    Memory* memory_;
    const StoredBy by_;
    const Cta* owner_{};
    std::uint32_t offset_{}, bytes_{};
};

}  // namespace gsu::exec
