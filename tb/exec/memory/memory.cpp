// Address resolution: state spaces and generic windows to bytes (GEN-002, D-66, NVVM-008, NVVM-017).
#include "exec/memory/memory.hpp"

#include <fmt/format.h>

#include "exec/state/window_watcher.hpp"

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

void faultLane(Ctx& ctx, unsigned lane, const char* rule, std::string message, TrapKind kind)
{
    if (ctx.fault.lanes == 0) {
        ctx.fault.rule = rule;
        ctx.fault.message = std::move(message);
        ctx.fault.kind = kind;
    }
    ctx.fault.lanes |= 1u << lane;
}

namespace {

/// Shared and local addresses have 32 bits: bits that a 32-bit register and an offset carry or borrow beyond them are lost. Other upper
/// bits are a pointer to other memory.
std::uint64_t narrowed(std::uint64_t address)
{
    const std::uint64_t high = address >> 32;
    return high == 1 || high == 0xffff'ffff ? address & 0xffff'ffff : address;
}

}  // namespace

Place Memory::locateShared(const Ctx& ctx, std::uint32_t address, unsigned bytes,
                           bool ctaOnly) const
{
    Cta* owner = ctx.cta;
    const std::uint32_t own = ctx.cta->launch.rank, offset = clusterOffset(address);
    // An offset alone means the executing CTA if no other can be meant.
    const std::uint32_t rank =
        ctaOnly && clusterRank(address) == 0 ? own : s_.program.rankOf(address, own);
    Place p;
    p.elsewhere = rank != own;
    const auto none = [&p](const char* why, std::uint64_t size = 0) {
        p.why = why;
        p.size = size;
        return p;
    };
    if (p.elsewhere) {
        if (ctaOnly && rank >= ctx.cta->cluster->ctas)
            return none("outside the CTA's shared memory", owner->launch.size);
        if (ctaOnly) return none("a shared::cta access names another CTA of the cluster");
        p.noRank = rank >= ctx.cta->cluster->ctas;
        if (p.noRank) return none("the rank is outside the cluster");
        owner = ctx.cta->cluster->ranks[rank];
        if (owner == nullptr || owner->liveWarps == 0)
            return none("the CTA that owns the shared memory has exited");
    }
    if (offset >= owner->launch.size || bytes > owner->launch.size - offset)
        return none("outside the CTA's shared memory", owner->launch.size);
    p.bytes = shared(*owner, offset);
    p.owner = owner;
    p.offset = offset;
    p.where = Place::Where::Shared;
    return p;
}

Place Memory::locateLocal(const Ctx& ctx, std::uint64_t address, unsigned bytes,
                          unsigned lane) const
{
    Place p;
    const std::uint64_t at =
        inWindow(address, kLocalWindow) ? address & kWindowMask : narrowed(address);
    if (at >= kStackBase && !ctx.warp->stacks.empty()) {
        std::vector<std::uint8_t>& stack = ctx.warp->stacks[lane];
        if (at - kStackBase + bytes > stack.size()) return missing("outside the stack");
        p.bytes = stack.data() + (at - kStackBase);
        p.where = Place::Where::Stack;
        return p;
    }
    if (at >= ctx.warp->localStride || bytes > ctx.warp->localStride - at)
        return missing("outside the thread's local memory", ctx.warp->localStride);
    p.bytes = ctx.warp->local.data() + lane * ctx.warp->localStride + at;
    p.where = Place::Where::Local;
    return p;
}

std::uint8_t* Memory::bankAt(ptx::Space space, std::uint64_t address, unsigned bytes) const noexcept
{
    const bool constant = space == ptx::Space::Const;
    std::vector<std::uint8_t>& bank = constant ? device_.constBank : params_;
    const std::uint64_t window = constant ? kConstWindow : kParamWindow;
    const std::uint64_t at = inWindow(address, window) ? address & kWindowMask : address;
    return at >= bank.size() || bytes > bank.size() - at ? nullptr : bank.data() + at;
}

Place Memory::locateBank(ptx::Space space, std::uint64_t address, unsigned bytes) const
{
    const bool constant = space == ptx::Space::Const;
    Place p;
    p.bytes = bankAt(space, address, bytes);
    if (p.bytes == nullptr) {
        return missing(constant ? "outside constant memory" : "outside the kernel parameters",
                       (constant ? device_.constBank : params_).size());
    }
    p.where = constant ? Place::Where::Const : Place::Where::Param;
    return p;
}

Place Memory::locate(const Ctx& ctx, ptx::Space space, std::uint64_t address, unsigned bytes,
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
        case Space::Local: return locateLocal(ctx, address, bytes, lane);
        case Space::Const:
        case Space::Param: return locateBank(space, address, bytes);
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
            p.bytes = device_.global.find(address, bytes);
            p.where = Place::Where::Global;
            if (p.bytes == nullptr) p.why = "outside every allocation";
            return p;
        case Space::Reg: break;
    }
    return missing("not an address space");
}

Place Memory::standIn(const Ctx& ctx, unsigned lane, const std::string& message)
{
    const MicroOp& op = s_.program.codes[ctx.group->code].ops[ctx.group->pc];
    s_.findings.add({"GEN-002", Severity::Error, message, ctx.cta->linear, ctx.warp->index,
                     1u << lane, op.line, s_.now()});
    nowhere_.fill(0);
    Place p;
    p.bytes = nowhere_.data();
    p.where = Place::Where::Global;
    p.standIn = true;
    return p;
}

void Memory::stored(const Cta& owner, std::uint32_t offset, std::uint32_t bytes, const StoredBy& by)
{
    const std::uint32_t address = owner.launch.base + offset;
    if (owner.matrixReads != 0) s_.windows->overwritten(owner, offset, bytes);
    s_.port.stored(owner.launch.sm, address, bytes);
    s_.findings.takeNotes(by.cta, by.warp, by.lanes, by.line, s_.now());
}

std::string Memory::text(const char* what, std::uint64_t address, unsigned bytes,
                         const char* why) const
{
    std::string text = fmt::format("{} of {} bytes at {}: {}", what, bytes, hex(address), why);
    const bool global = address >= kGlobalBase && address < kGlobalBase + (1ull << 44);
    const std::string near = global ? device_.global.describe(address) : "";
    return near.empty() ? text : text + " (" + near + ")";
}

std::string Memory::text(const char* what, std::uint64_t address, unsigned bytes,
                         const Place& missed) const
{
    return text(what, address, bytes, missed.why) +
           (missed.size != 0 ? fmt::format(", which has {} bytes", missed.size) : "");
}

}  // namespace gsu::exec
