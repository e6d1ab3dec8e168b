/// The mbarrier part of the follower: replays each commit of Unit::Mbarrier on the golden objects and checks the order.
///
/// What it checks:
/// - Each lane commits once, between request and answer, with the lanes of one object ascending (D-23).
/// - Posted operations of one warp on one object commit in the order of their requests, per lane ascending; around atomics on one CTA (D-38).
/// - The complete_tx of remote data follows their delivery (D-45).
/// - A lane of try_cancel asks once, and its answer leads to one response for each target (CLC-003, CLC-009, D-55, D-56).
/// - Atom and red are delivered once, with their commit. An atom is answered after its last acknowledgement (ATOM-029).
/// - A release follows the posted operations of its CTA that were answered before it was presented (D-54, MBARR-014, MBDROP-014), at whatever owner.
/// - Every packet is acknowledged once, after its commit.
/// - A suspended wait is answered true if and only if a flip of its object came before its time-out (D-32, D-33), and false only by time-out, full buffer,
///   divergence or kill (D-34, D-35). `last` comes exactly once.
/// A word that nobody committed yet, or that a store overwrote, is taken from the device's next commit.
#pragma once
#include <deque>
#include <list>
#include <optional>
#include <string>
#include <vector>

#include "golden/golden_units.hpp"
#include "golden/mbarrier_unit.hpp"
#include "golden/order_book.hpp"
#include "lockstep/ack_book.hpp"
#include "lockstep/problem.hpp"
#include "lockstep/slots.hpp"

namespace gsu::lockstep {

class MbarrierFollower {
public:
    MbarrierFollower(GoldenUnits& unit, MbarPolicy policy, std::uint32_t waitLimit)
        : unit_(unit),
          objects_(unit.sms(), policy),
          book_(unit.sms(), OrderBook::Performed::First),
          acks_(unit.sms()),
          sms_(unit.sms()),
          waitLimit_(waitLimit),
          sm80_(policy.sm80)
    {
    }

    void present(const SyncRequest& request, Cycle now);
    void notify(const AsyncUpdate& update, Cycle now);
    void stored(unsigned sm, std::uint32_t address, std::uint32_t bytes)
    {
        objects_.stored(sm, address, bytes);
    }

    [[nodiscard]] Verdict commit(const Commit& c);
    /// Checks an acknowledgement that has reached its source.
    [[nodiscard]] Verdict acknowledged(const Commit& c);
    /// Call around every step of the device, with its epochs.
    template <class EpochOf> void sample(EpochOf&& epochOf, bool after)
    {
        acks_.sample(epochOf, after);
    }
    /// The outstanding operations, for all units.
    [[nodiscard]] OrderBook& order() noexcept { return book_; }
    [[nodiscard]] const OrderBook& order() const noexcept { return book_; }
    /// Explains an overdue request whose driver never performed the announced accesses.
    [[nodiscard]] Verdict waitsForDriver(const WarpRef& at, const OrderBook::Since& since,
                                         std::uint16_t tag) const;
    /// Whether a request of this warp that waits for earlier operations may commit.
    [[nodiscard]] Verdict mayRelease(const WarpRef& at, const OrderBook::Since& since) const;
    /// A lane of try_cancel asks; then the driver answers it: false: there is no such query.
    [[nodiscard]] Verdict asked(const CancelQuery& q);
    [[nodiscard]] bool answer(const CancelAnswer& a, Cycle now);
    /// True if the driver has not answered a query, of the CTA's cluster or of any.
    [[nodiscard]] bool awaitsAnswer(const WarpRef& at) const;
    [[nodiscard]] bool awaitsAnswer() const noexcept;
    /// Checks data of a packet that are delivered or dropped.
    [[nodiscard]] Verdict delivered(const Delivered& d);
    /// True when `response` names an open request of this unit.
    [[nodiscard]] bool owns(const SyncResponse& response) const;
    [[nodiscard]] Verdict response(const SyncResponse& response);
    /// Checks that nothing is in flight toward a CTA that is freed. An arrival of an agent may still be at its own SM: it comes back undelivered.
    [[nodiscard]] Verdict mayFree(const WarpRef& at) const;
    void freed(const Launch& launch, Cycle now);

    /// Number of open requests, posted operations and asynchronous completions that have not ended.
    [[nodiscard]] std::uint64_t debts() const noexcept;
    [[nodiscard]] Verdict overdue(const TimeLimit& limit) const;
    [[nodiscard]] MbarrierUnit& objects() noexcept { return objects_; }

private:
    static constexpr unsigned kCancelSlots = 32;  ///< names of queries
    enum class Stage : std::uint8_t {
        Todo,    ///< not committed
        Posted,  ///< for another CTA: answered without a commit
        Away,    ///< an atom for another CTA: answered when all its packets are acknowledged
        Due,     ///< answer known
        Parked,  ///< try_wait that found its phase running
        Flipped,
        TimedOut,
        Killed,
        Loose,  ///< try_wait whose object vanished unreported: it cannot have been suspended
        Closed  ///< answered
    };
    struct Lane {
        Stage stage{Stage::Closed};
        Cause cause{};
        bool pred{};
        bool keeps{};
        std::uint64_t value{};
        Cycle since{};  ///< when its stage began; Parked: cycle of the commit that suspended it
    };
    struct Open {
        SyncRequest request{};
        Cycle since{};
        Lanes open{};
        std::array<MbarRoute, kLanes> to{};
        std::array<Lane, kLanes> lane{};
        std::array<OrderBook::Id, kLanes> post{};  ///< of posted lanes
        OrderBook::Since order{};                  ///< what it waits for
        bool dropped{};  ///< an atom of which a packet was refused, or came back
    };
    struct Posted {
        SyncRequest request{};  ///< request whose lanes are those not yet committed
        MbarRoute to{};
        std::uint8_t cluster{};
        Cycle since{};
        OrderBook::Id id{};
        OrderBook::Since order{};
        WarpRef owner{};  ///< owner; `warp` has no meaning
        bool own{};       ///< response of try_cancel to the requesting CTA: not through the network
        bool gone{};      ///< the slot of the owner has been freed since
    };
    using PostedList = std::list<Posted>;  ///< an operation is nearly 1 KiB: it stays where it is
    static bool isToward(const Posted& p, const Launch& launch) noexcept
    {
        return p.owner.sm == launch.sm && p.owner.cta == launch.cta && p.cluster == launch.cluster;
    }
    /// A lane of try_cancel.
    struct Cancel {
        /// request with this lane alone, which completes the bytes of the response
        SyncRequest request{};
        MbarRoute to{};
        Cycle since{};
    };
    struct Update {
        AsyncUpdate update{};  ///< update whose amount is the rest of an arrival
        Cycle since{};
        /// an agent's arrival whose mask names no CTA, or a CTA that is not resident
        bool stray{};
    };
    /// An agent's arrival for other CTAs that nothing was seen of. When its own CTA has ended, the device may refuse it as a whole.
    struct Unseen {
        AsyncUpdate update{};
        std::vector<OrderBook::Id> sent;  ///< its operations
    };
    struct Sm {
        ByTag<Open> open;
        PostedList posted;  ///< by owner; the oldest commit first, mostly
        std::vector<Update> updates;
        std::vector<Unseen> unseen;
        bool atPort{};  ///< the last of `unseen` was told last: the device may not have taken it
        std::vector<Delivered> delivered;
        std::vector<Delivered>
            dropped;               ///< data refused by a commit, to be reported to the driver next
        std::vector<Cancel> asks;  ///< queries that were not reported
        std::array<std::optional<Cancel>, kCancelSlots> told{};  ///< queries that are not answered
        /// atomics that were committed or refused, to be reported to the driver next
        std::vector<Delivered> atomics;
    };
    /// Results that a commit claims, for each of `lanes` in turn.
    struct Applied {
        std::uint32_t address{};
        MbarAccess access{};
        Lanes lanes{};
        bool keeps{};
        std::vector<MbarDone> done;
    };

    [[nodiscard]] Verdict commitLocal(const Commit& c);
    [[nodiscard]] Verdict commitRefused(const Commit& c, Open& open);
    [[nodiscard]] Verdict commitWait(const Commit& c, Open& open, std::uint32_t address);
    [[nodiscard]] Verdict commitUpdate(const Commit& c, Open& open, std::uint32_t address);
    [[nodiscard]] Verdict commitTimeout(const Commit& c);
    [[nodiscard]] Verdict commitPosted(const Commit& c);
    [[nodiscard]] Verdict tryPosted(const Commit& c, PostedList::iterator at);
    /// Whether the second must not overtake the first: they have the same object or, for atomics, the same CTA; responses keep the order of
    /// their answers.
    [[nodiscard]] static bool ordered(const Posted& older, const Posted& younger) noexcept;
    [[nodiscard]] Verdict mayDrop(const Commit& c, const Posted& p, bool& dropped);
    /// Drops the data of a refused packet, unless they had been delivered.
    void dropData(const Commit& c);
    [[nodiscard]] static std::uint32_t objectOf(const Posted& p, Lanes lanes);
    [[nodiscard]] Verdict commitAtomic(const Commit& c, const Posted& p, bool dropped);
    [[nodiscard]] Verdict commitAsync(const Commit& c);
    /// Posts a packet that no release waits for; `own`: to its own CTA, not through the network.
    OrderBook::Id postUnordered(const SyncRequest& request, const MbarRoute& to, bool own,
                                Cycle now);
    /// Posts an agent's arrival at the mbarrier of another CTA.
    OrderBook::Id postAgent(const AsyncUpdate& update, std::uint8_t rank, Cycle now);
    /// An operation of an agent's arrival has gone out, so that the arrival is not refused as a whole.
    void seen(const Posted& p);
    /// Takes the operations of an unseen arrival back: they will not be sent.
    void withdraw(Sm& sm, std::size_t index);
    /// The same for the arrival that this commit refuses as a whole. False: there is none.
    bool refusedWhole(const Commit& c);
    /// The slot of this CTA is freed: its arrival that waits at the port, if there is one, will be refused as a whole.
    void expectRefusal(const Launch& launch, Cycle now);
    [[nodiscard]] Verdict commitReturned(const Commit& c);
    void ask(const SyncRequest& request, unsigned lane, const MbarRoute& to, Cycle now);
    void respond(const Cancel& cancel, std::uint8_t rank, bool own, Cycle now);
    void post(const Open& open, Lanes lanes, OrderBook::Id id, Cycle now);
    void answered(Open& open, Lanes lanes);
    /// The lanes `lanes` of a posted operation have ended.
    void done(PostedList& posted, PostedList::iterator at, Lanes lanes);
    [[nodiscard]] Verdict ascending(const Commit& c, const Open& open) const;
    /// Judges the words, errors and flip of an applied commit, and takes it over if all is well.
    [[nodiscard]] Verdict apply(const Commit& c, Applied& a);
    [[nodiscard]] Verdict judge(const Commit& c, Applied& a, std::uint64_t word) const;
    void wake(const Commit& c, std::uint32_t address, Stage stage);
    [[nodiscard]] Verdict overdueRequest(const Open& open, const TimeLimit& limit) const;
    [[nodiscard]] Cycle owedSince(const Open& open, unsigned lane) const;
    [[nodiscard]] bool anyParked(unsigned sm, std::uint32_t address) const;
    template <class F> void eachParked(unsigned sm, std::uint32_t address, F&& f);
    [[nodiscard]] Verdict answerAtom(const SyncResponse& r, const Open& open) const;
    [[nodiscard]] Verdict answerLane(const SyncResponse& r, const Open& open, unsigned lane,
                                     unsigned nth) const;
    [[nodiscard]] std::uint32_t addressOf(const Open& open, unsigned lane) const
    {
        return unit_.cta(open.request.at).launch.base + open.to[lane].offset;
    }

    GoldenUnits& unit_;
    MbarrierUnit objects_;
    OrderBook book_;
    AckBook acks_;
    std::vector<Sm> sms_;
    std::uint32_t waitLimit_;  ///< 0: not known
    bool sm80_;                ///< D-42
};

}  // namespace gsu::lockstep
