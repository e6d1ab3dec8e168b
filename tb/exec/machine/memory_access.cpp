// Address resolution: state spaces and generic windows to bytes (GEN-002, D-66, NVVM-008, NVVM-017).
#include "exec/machine/machine.hpp"

namespace gsu::exec {
namespace {

Place missing(const char* why, std::uint64_t size = 0)
{
    Place p;
    p.why = why;
    p.size = size;
    return p;
}

std::string hex(std::uint64_t value)
{
    char text[24];
    std::snprintf(text, sizeof text, "0x%llx", static_cast<unsigned long long>(value));
    return text;
}

}  // namespace

void faultLane(Ctx& ctx, unsigned lane, const char* rule, std::string message)
{
    if (ctx.fault.lanes == 0) {
        ctx.fault.rule = rule;
        ctx.fault.message = std::move(message);
    }
    ctx.fault.lanes |= 1u << lane;
}

namespace {

/// Shared and local addresses have 32 bits: what a 32-bit register and an offset carry or borrow beyond them is lost. Other
/// bits above are no such sum but a pointer to somewhere else.
std::uint64_t narrowed(std::uint64_t address)
{
    const std::uint64_t high = address >> 32;
    return high == 1 || high == 0xffff'ffff ? address & 0xffff'ffff : address;
}

}  // namespace

Place Machine::locateShared(const Ctx& ctx, std::uint32_t address, unsigned bytes, bool ctaOnly)
{
    Cta* owner = ctx.cta;
    const std::uint32_t rank = address >> 24, offset = address & 0xff'ffff;
    if (rank != 0 && rank - 1 != ctx.cta->launch.rank) {
        if (ctaOnly && rank - 1 >= ctx.cta->cluster->ctas)
            return missing("outside the CTA's shared memory", owner->launch.size);
        if (ctaOnly) return missing("a shared::cta access names another CTA of the cluster");
        if (rank - 1 >= ctx.cta->cluster->ctas) return missing("the rank is outside the cluster");
        owner = ctx.cta->cluster->ranks[rank - 1];
        if (owner == nullptr || owner->liveWarps == 0) {
            return missing("the CTA that owns the shared memory has exited");
        }
    }
    if (offset >= owner->launch.size || bytes > owner->launch.size - offset) {
        return missing("outside the CTA's shared memory", owner->launch.size);
    }
    Place p;
    p.bytes = shared->at(owner->launch.sm, owner->launch.base + offset);
    p.owner = owner;
    p.offset = offset;
    p.where = Place::Where::Shared;
    return p;
}

Place Machine::locate(const Ctx& ctx, ptx::Space space, std::uint64_t address, unsigned bytes,
                      unsigned lane)
{
    using ptx::Space;
    Place p;
    switch (space) {
        case Space::SharedCta:
        case Space::SharedCluster:
            // Both a window offset and a generic address inside the window serve.
            address = inWindow(address, kSharedWindow) ? address & kWindowMask : narrowed(address);
            if (address > 0xffff'ffff) return missing("outside the shared window");
            return locateShared(ctx, static_cast<std::uint32_t>(address), bytes,
                                space == Space::SharedCta);
        case Space::Local: {
            const std::uint64_t at =
                inWindow(address, kLocalWindow) ? address & kWindowMask : narrowed(address);
            if (at >= kStackBase && !ctx.warp->stacks.empty()) {
                std::vector<std::uint8_t>& stack = ctx.warp->stacks[lane];
                if (at - kStackBase + bytes > stack.size()) return missing("outside the stack");
                p.bytes = stack.data() + (at - kStackBase);
                p.where = Place::Where::Stack;
                return p;
            }
            if (at >= ctx.warp->localStride || bytes > ctx.warp->localStride - at) {
                return missing("outside the thread's local memory", ctx.warp->localStride);
            }
            p.bytes = ctx.warp->local.data() + lane * ctx.warp->localStride + at;
            p.where = Place::Where::Local;
            return p;
        }
        case Space::Const:
        case Space::Param: {
            auto& bank = space == Space::Const ? constBank : paramBank;
            const std::uint64_t window = space == Space::Const ? kConstWindow : kParamWindow;
            const std::uint64_t at = inWindow(address, window) ? address & kWindowMask : address;
            if (at >= bank.size() || bytes > bank.size() - at) {
                return missing(space == Space::Const ? "outside constant memory"
                                                     : "outside the kernel parameters",
                               bank.size());
            }
            p.bytes = bank.data() + at;
            p.where = space == Space::Const ? Place::Where::Const : Place::Where::Param;
            return p;
        }
        case Space::Generic:
            if (inWindow(address, kSharedWindow))
                return locate(ctx, Space::SharedCluster, address, bytes, lane);
            if (inWindow(address, kLocalWindow))
                return locate(ctx, Space::Local, address, bytes, lane);
            if (inWindow(address, kConstWindow))
                return locate(ctx, Space::Const, address, bytes, lane);
            if (inWindow(address, kParamWindow))
                return locate(ctx, Space::Param, address, bytes, lane);
            [[fallthrough]];
        case Space::Global:
            p.bytes = global.find(address, bytes);
            p.where = Place::Where::Global;
            if (p.bytes == nullptr) p.why = "outside every allocation";
            return p;
        case Space::Reg: break;
    }
    return missing("not an address space");
}

Place Machine::standIn(const Ctx& ctx, unsigned lane, const std::string& message)
{
    const MicroOp& op = program.codes[ctx.group->code].ops[ctx.group->pc];
    finding({"GEN-002", Severity::Error, message, ctx.cta->linear, ctx.warp->index, 1u << lane,
             op.line, now});
    nowhere.fill(0);
    Place p;
    p.bytes = nowhere.data();
    p.where = Place::Where::Global;
    p.standIn = true;
    return p;
}

void Machine::stored(const Cta& owner, std::uint32_t offset, std::uint32_t bytes)
{
    const std::uint32_t address = owner.launch.base + offset;
    port->stored(owner.launch.sm, address, bytes);
    if (!notes.empty()) takeNotes(&owner, 0, 0, 0);
    inputGiven = true;
    for (ExecObserver* o : observers) o->onStored(now, owner.launch.sm, address, bytes);
}

std::string accessText(const Machine& machine, const char* what, std::uint64_t address,
                       unsigned bytes, const char* why)
{
    std::string text = std::string(what) + " of " + std::to_string(bytes) + " bytes at " +
                       hex(address) + ": " + why;
    if (address >= kGlobalBase && address < kGlobalBase + (1ull << 44)) {
        text += " (" + machine.global.describe(address) + ")";
    }
    return text;
}

std::string accessText(const Machine& machine, const char* what, std::uint64_t address,
                       unsigned bytes, const Place& missed)
{
    return accessText(machine, what, address, bytes, missed.why) +
           (missed.size != 0 ? ", which has " + std::to_string(missed.size) + " bytes" : "");
}

}  // namespace gsu::exec
