/// \file
/// SyncPort: the interface through which every sync unit is driven: golden model, RTL, both in lockstep, SystemC.
#pragma once
#include <optional>

#include "golden/structure.hpp"
#include "golden/types.hpp"

namespace gsu {

/// Receives everything a port reports. Calls come from inside step(), in order (cycle, sm, unit); references live only for the call.
class SyncSink {
public:
    virtual ~SyncSink() = default;
    virtual void onResponse(const SyncResponse&) = 0;  ///< lanes may continue
    virtual void onRelease(const Release&) = 0;        ///< waiting warps may continue
    virtual void onCommit(const Commit&) = 0;          ///< a barrier changed, or refused
    virtual void onDelivered(const Delivered&) = 0;    ///< remote data arrived, or are dropped
    virtual void onCtaFree(const CtaFree&) = 0;        ///< a CTA slot is free
    virtual void onGrid(const GridEvent&) {}           ///< dependents may start, or a grid is over
    virtual void onCancel(const CancelQuery&) {}       ///< try_cancel: to be answered
};

/// A synchronization unit. The port has the clock; the caller decides how far it runs. Single-threaded; throws nothing after construction.
/// A request is answered when each of its lanes has been named by a response or, for waiting forms of bar.sync, bar.red and
/// barrier.cluster.wait, by a release of its warp. A sink call in cycle n lets a warp present again from n+1 on.
class SyncPort {
public:
    virtual ~SyncPort() = default;
    /// Number of SMs: 1..18 for one network, more for several (units/chip.hpp).
    [[nodiscard]] virtual unsigned sms() const = 0;
    /// The structure of each SM; a driver uses only slots that exist.
    [[nodiscard]] virtual const Structure& structure() const noexcept { return defaultStructure(); }
    /// The cycle that the next step() will execute.
    [[nodiscard]] virtual Cycle now() const = 0;
    /// Sets the only sink; it may be replaced between steps.
    virtual void setSink(SyncSink& sink) = 0;

    /// True when a request may be presented to this SM in cycle now().
    [[nodiscard]] virtual bool canPresent(std::uint8_t sm) const = 0;
    /// Presents a request in cycle now(). Pre: canPresent(sm), tag free, no lane of it open.
    virtual void present(const SyncRequest& request) = 0;
    /// True when a completion may be given to this SM in cycle now().
    [[nodiscard]] virtual bool canNotify(std::uint8_t sm) const = 0;
    /// Gives a completion in cycle now(). Pre: canNotify(sm).
    virtual void notify(const AsyncUpdate& update) = 0;
    /// Gives the routes of a cluster of more than one CTA, before its first launch; queued without limit.
    virtual void route(const ClusterRoute& route) = 0;
    /// Starts a grid with dependents or prerequisites, before its first launch; or ends a grid that runs elsewhere. Queued without limit.
    /// Pre: the slot is free (never used, or onGrid() has reported its grid complete); at most as many launches name the grid as it has
    /// CTAs.
    virtual void grid(const GridStart&) {}
    /// Promises that neither route() nor grid() follows. A port may then evaluate the network of the next cycle while the driver makes up its other inputs.
    /// A driver need not call it.
    virtual void noMoreRoutes() {}
    /// Starts a CTA in cycle now(). Returns false if not in this cycle; try again in the next.
    virtual bool launch(const Launch& launch) = 0;
    /// Lanes exit; queued without limit, at most one is taken per SM and cycle. Pre: these lanes have no open request.
    /// A request of the same warp that is presented later takes effect after the exit.
    virtual void exit(const Exit& exit) = 0;
    /// An ordinary store changed [addr, addr+bytes) of the SM's shared memory; the port filters it (snoop of the barrier cache).
    virtual void stored(std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes) = 0;

    /// The epoch, 0 or 1, of accesses that are announced now. The epoch of a CTA (Reach::Cta: of a warp) turns when a request has to wait
    /// for it; that request does not wait for accesses announced later.
    [[nodiscard]] virtual std::uint8_t epoch(const WarpRef&, Reach) const { return 0; }
    /// Announces outstanding accesses: a release, fence or barrier that is presented later waits for them (rtl/doc/ordering.md says which).
    /// A driver may announce late, just before the request that has to wait, and may leave out accesses that no such request follows.
    /// Memory of a driver that announces nothing is performed at issue. Announce the access of a remote red only after its request was
    /// answered; otherwise the request could wait for its own access. Pre: the CTA is launched, `epoch` is the present result of epoch().
    /// Any number may be announced: accesses for which a unit has no room wait, and the requests after them, until enough has been
    /// performed. A port that does not order memory does nothing.
    virtual void announce(const Accesses&) {}
    /// Announced accesses are performed now; each once, under the epoch of its announcement, in any order and number of calls. Pre: the
    /// warp's CTA has not been freed. A request that waits for an access that is never performed is never answered.
    virtual void performed(const Accesses&) {}

    /// True when the answer to a query of try_cancel may be given to this SM in cycle now().
    [[nodiscard]] virtual bool canAnswerCancel(std::uint8_t /*sm*/) const { return true; }
    /// Answers a query of try_cancel in cycle now(): its responses are delivered from now on. Pre: canAnswerCancel(sm), the query was
    /// reported in an earlier cycle and is not answered. A CTA whose query is never answered is never freed.
    virtual void answerCancel(const CancelAnswer&) {}

    /// Executes one cycle.
    virtual void step() = 0;
    /// The first cycle in which anything may happen without input; now(): not quiet, kNever: nothing will happen.
    [[nodiscard]] virtual Cycle quietUntil() const = 0;
    /// Moves time without evaluating. Pre: now() <= cycle <= quietUntil(), and no input given for now().
    virtual void skipTo(Cycle cycle) = 0;
    /// The failure of the port, if there is one: the run must end with exit code 3.
    [[nodiscard]] virtual std::optional<Fault> fault() const = 0;
};

/// The driver's shared memory, as the RTL's memory port sees it: one array of bytes per SM, owned by the driver.
class SharedMemory {
public:
    virtual ~SharedMemory() = default;
    /// The 8 bytes from byte address `addr` (a multiple of 8), little-endian.
    [[nodiscard]] virtual std::uint64_t readWord(std::uint8_t sm, std::uint32_t addr) const = 0;
    /// Stores the 8 bytes at byte address `addr`.
    virtual void writeWord(std::uint8_t sm, std::uint32_t addr, std::uint64_t value) = 0;
};

}  // namespace gsu
