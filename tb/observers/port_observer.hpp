/// What may be seen at a sync port, as one call per kind; observers return nothing and change nothing.
/// Every call carries the RTL clock it belongs to; references live only for the call.
#pragma once
#include "golden/types.hpp"

namespace gsu {

/// Calls come in the order in which the driver and the port acted. The defaults ignore the event.
class PortObserver {
public:
    virtual ~PortObserver() = default;
    // What the driver does. A launch is reported once it was accepted.
    /// The next CTA that is launched in this slot is number `linear` of the grid; a replay does not know it.
    virtual void onPlace(const Launch&, std::uint32_t /*linear*/) {}
    virtual void onRoute(Cycle, const ClusterRoute&) {}
    virtual void onGridStart(Cycle, const GridStart&) {}
    virtual void onLaunch(Cycle, const Launch&) {}
    virtual void onExit(Cycle, const Exit&) {}
    virtual void onRequest(Cycle, const SyncRequest&) {}
    virtual void onNotify(Cycle, const AsyncUpdate&) {}
    virtual void onStored(Cycle, std::uint8_t /*sm*/, std::uint32_t /*addr*/,
                          std::uint32_t /*bytes*/)
    {
    }
    /// A query of try_cancel is answered.
    virtual void onCancelAnswer(Cycle, const CancelAnswer&) {}
    /// Ordinary accesses are announced, or are performed.
    virtual void onAccesses(Cycle, const Accesses&, bool /*performed*/) {}
    // What the port reports; the cycle is in the record.
    virtual void onResponse(const SyncResponse&) {}
    virtual void onRelease(const Release&) {}
    virtual void onCommit(const Commit&) {}
    virtual void onDelivered(const Delivered&) {}
    virtual void onCtaFree(const CtaFree&) {}
    virtual void onGrid(const GridEvent&) {}
    virtual void onCancel(const CancelQuery&) {}
    /// Now and then during a long run.
    virtual void onProgress(Cycle) {}
    /// The run is over; no further call follows.
    virtual void onEnd(Cycle) {}
};

}  // namespace gsu
