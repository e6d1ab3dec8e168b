/// \file
/// Observer of a sync port, with one function for each kind of event. Observers return nothing and change nothing.
/// Every call carries the RTL clock of its event; references are valid only during the call.
#pragma once
#include "golden/port.hpp"

namespace gsu {

/// An observer of a port. Calls come in the order in which the driver and the port acted. The defaults ignore the event.
class PortObserver : public SyncSink {
public:
    // Calls of the driver. A launch is reported once it was accepted.
    /// The next CTA that is launched in this slot is number `linear` of the grid; a replay does not know it.
    virtual void onPlace(const Launch&, std::uint32_t /*linear*/) {}
    virtual void onRoute(Cycle, const ClusterRoute&) {}   ///< routes of a cluster
    virtual void onGridStart(Cycle, const GridStart&) {}  ///< a grid, or the end of one elsewhere
    virtual void onLaunch(Cycle, const Launch&) {}        ///< accepted
    virtual void onExit(Cycle, const Exit&) {}            ///< lanes exit
    virtual void onRequest(Cycle, const SyncRequest&) {}  ///< a request is presented
    virtual void onNotify(Cycle, const AsyncUpdate&) {}   ///< an asynchronous completion
    /// An ordinary store changed shared memory.
    virtual void onStored(Cycle, std::uint8_t /*sm*/, std::uint32_t /*addr*/,
                          std::uint32_t /*bytes*/)
    {
    }
    /// A query of try_cancel is answered.
    virtual void onCancelAnswer(Cycle, const CancelAnswer&) {}
    /// Ordinary accesses are announced, or are performed.
    virtual void onAccesses(Cycle, const Accesses&, bool /*performed*/) {}
    // Reports of the port; the cycle is in the record.
    void onResponse(const SyncResponse&) override {}
    void onRelease(const Release&) override {}
    void onCommit(const Commit&) override {}
    void onDelivered(const Delivered&) override {}
    void onCtaFree(const CtaFree&) override {}
    /// Called from time to time during a long run.
    virtual void onProgress(Cycle) {}
    /// The run is over; no further call follows.
    virtual void onEnd(Cycle) {}
};

}  // namespace gsu
