/// Watchers of a run: they see requests, blocked and woken warps, launches, exits and all a port reports. They return nothing
/// and cannot change the run.
#pragma once
#include "exec/machine/result.hpp"
#include "golden/port.hpp"

namespace gsu {

/// Where a CTA of the grid runs.
struct CtaPlace {
    std::uint32_t linear{};
    std::uint32_t id[3]{};
    Launch launch;
};

class ExecObserver {
public:
    virtual ~ExecObserver() = default;
    /// True when onIssue is wanted: it costs a call per instruction.
    [[nodiscard]] virtual bool wantsIssue() const { return false; }
    virtual void onIssue(Cycle, WarpRef, std::uint32_t line, Lanes) { static_cast<void>(line); }
    virtual void onLaunch(Cycle, const CtaPlace&) {}
    /// A request as presented; `line` of the PTX file.
    virtual void onRequest(Cycle, const SyncRequest&, std::uint32_t line)
    {
        static_cast<void>(line);
    }
    virtual void onNotify(Cycle, const AsyncUpdate&) {}
    virtual void onStored(Cycle, std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes)
    {
        static_cast<void>(sm), static_cast<void>(addr), static_cast<void>(bytes);
    }
    /// Ordinary accesses are announced to the port, or are performed.
    virtual void onAccesses(Cycle, const Accesses&, bool performed)
    {
        static_cast<void>(performed);
    }
    /// Lanes stop at a synchronization instruction, and continue.
    virtual void onBlocked(Cycle, WarpRef, Lanes, std::uint32_t line) { static_cast<void>(line); }
    virtual void onWoken(Cycle, WarpRef, Lanes) {}
    virtual void onResponse(const SyncResponse&) {}
    virtual void onRelease(const Release&) {}
    virtual void onCommit(const Commit&) {}
    virtual void onDelivered(const Delivered&) {}
    virtual void onRoute(Cycle, const ClusterRoute&) {}
    virtual void onExit(Cycle, const Exit&) {}
    virtual void onCtaFree(const CtaFree&) {}
    virtual void onFinding(const Finding&) {}
};

}  // namespace gsu
