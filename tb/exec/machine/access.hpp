/// Checked access of one lane to memory, for the instructions that load, store or update; private to tb/exec.
#pragma once
#include "exec/machine/machine.hpp"
#include "exec/machine/written.hpp"

namespace gsu::exec {

/// The address operand of a lane.
[[nodiscard]] inline std::uint64_t addressOf(const Ctx& ctx, const MicroOp& op,
                                             unsigned lane) noexcept
{
    std::uint64_t address = static_cast<std::uint64_t>(op.offset);
    if (op.a != kNoRow) address += ctx.src(op.a)[lane];
    if (op.frame) address += ctx.group->localBase;
    return address;
}

/// Finds `bytes` bytes aligned to their size; a bad access becomes the lane's fault and gives an empty place.
[[nodiscard]] inline Place access(Ctx& ctx, ptx::Space space, std::uint64_t address, unsigned bytes,
                                  unsigned lane, const char* what,
                                  const char* alignRule = "GEN-002")
{
    Memory& memory = ctx.machine->memory;
    Place p = memory.locate(ctx, space, address, bytes, lane);
    if (p.bytes == nullptr) {
        const std::string text = memory.text(what, address, bytes, p);
        if (ctx.machine->options.keepGoing && p.where == Place::Where::Global)
            return memory.standIn(ctx, lane, text);
        faultLane(ctx, lane, "GEN-002", text);
        return p;
    }
    if ((address & (bytes - 1)) != 0) {
        faultLane(ctx, lane, alignRule,
                  memory.text(what, address, bytes, "not aligned to the size"));
        p.bytes = nullptr;
    }
    if (p.owner != nullptr && p.owner != ctx.cta) ctx.remote = true;
    if (p.where == Place::Where::Global && p.bytes != nullptr &&
        memory.global().watched() != nullptr)
        watchAccess(ctx, address, bytes, lane, what);
    return p;
}

/// Collects the shared bytes an instruction stores, so that neighbours are reported to the port as one range.
class StoreRun {
public:
    explicit StoreRun(Memory& memory) noexcept : memory_(&memory) {}
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
        if (owner_ != nullptr) memory_->stored(*owner_, offset_, bytes_);
        owner_ = nullptr;
    }

private:
    Memory* memory_;
    const Cta* owner_{};
    std::uint32_t offset_{}, bytes_{};
};

/// Reports what lanes of the running instruction did wrong, or should not have done.
inline void report(const Ctx& ctx, const MicroOp& op, const char* rule, Severity severity,
                   std::string message, Lanes lanes)
{
    ctx.machine->state.findings.add({rule, severity, std::move(message), ctx.cta->linear,
                                     ctx.warp->index, lanes, op.line, ctx.machine->state.now()});
}

}  // namespace gsu::exec
