/// Checked access of one lane to memory, for the instructions that load, store or update; private to tb/exec.
#pragma once
#include "exec/machine/machine.hpp"

namespace gsu::exec {

[[nodiscard]] std::string accessText(const Machine& machine, const char* what,
                                     std::uint64_t address, unsigned bytes, const char* why);
/// Of a place that locate() did not find.
[[nodiscard]] std::string accessText(const Machine& machine, const char* what,
                                     std::uint64_t address, unsigned bytes, const Place& missed);

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
    Place p = ctx.machine->locate(ctx, space, address, bytes, lane);
    if (p.bytes == nullptr) {
        const std::string text = accessText(*ctx.machine, what, address, bytes, p);
        if (ctx.machine->options.keepGoing && p.where == Place::Where::Global)
            return ctx.machine->standIn(ctx, lane, text);
        faultLane(ctx, lane, "GEN-002", text);
        return p;
    }
    if ((address & (bytes - 1)) != 0) {
        faultLane(ctx, lane, alignRule,
                  accessText(*ctx.machine, what, address, bytes, "not aligned to the size"));
        p.bytes = nullptr;
    }
    if (p.owner != nullptr && p.owner != ctx.cta) ctx.remote = true;
    return p;
}

/// Collects the shared bytes an instruction stores, so that neighbours are reported to the port as one range.
class StoreRun {
public:
    explicit StoreRun(Machine& machine) noexcept : machine_(&machine) {}
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
        if (owner_ != nullptr) machine_->stored(*owner_, offset_, bytes_);
        owner_ = nullptr;
    }

private:
    Machine* machine_;
    const Cta* owner_{};
    std::uint32_t offset_{}, bytes_{};
};

/// Writes bytes and notes whether anything changed.
inline void writeBytes(Machine& machine, const Place& place, const void* from, unsigned bytes)
{
    if (place.standIn || std::memcmp(place.bytes, from, bytes) == 0) return;
    std::memcpy(place.bytes, from, bytes);
    if (place.where != Place::Where::Local) machine.changed();
}

}  // namespace gsu::exec
