/// Observer of events that only the executor sees. Events at the port are observed there (observers/tap_port.hpp). Observers return nothing
/// and cannot change the run.
#pragma once
#include <cstdint>

#include "golden/types.hpp"

namespace gsu {

/// The place of a CTA of the grid.
struct CtaPlace {
    std::uint32_t linear{};
    std::uint32_t id[3]{};
    Launch launch;
};

class ExecObserver {
public:
    virtual ~ExecObserver() = default;
    /// True if onIssue is wanted: it costs a call per instruction.
    [[nodiscard]] virtual bool wantsIssue() const { return false; }
    virtual void onIssue(Cycle, WarpRef, std::uint32_t line, Lanes) { static_cast<void>(line); }
    /// A CTA has been placed, and will be launched there: called before the port gets it.
    virtual void onPlaced(const CtaPlace&) {}
};

}  // namespace gsu
