/// Observer of what only the executor knows of a run. What passes the port is observed there (observers/tap_port.hpp). Observers return nothing and cannot
/// change the run.
#pragma once
#include <cstdint>

#include "golden/types.hpp"

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
    /// A CTA has its place, and will be launched there: before the port is offered it.
    virtual void onPlaced(const CtaPlace&) {}
};

}  // namespace gsu
