/// StoreQueue: stores and reductions that their threads have issued and that not all threads see yet (memory.md). It holds no memory: its sink writes the
/// bytes. Rules: BAR-014, BAR-016, FENCE-004..007, FENCE-038, CLU-016, D-54, D-69, ATOM-029, RED-018.
#pragma once
#include <array>
#include <cassert>
#include <cstdint>
#include <unordered_map>
#include <vector>

#include "base/sm_random.hpp"
#include "exec/visibility/due_list.hpp"
#include "golden/types.hpp"

namespace gsu::visibility {

/// Place of a byte: a global address, or {SM, byte of its shared memory} below 2^32.
using Where = std::uint64_t;
[[nodiscard]] constexpr bool isGlobal(Where where) noexcept { return where >> 32 != 0; }
inline constexpr unsigned kLineBytes =
    16;  ///< no access crosses a line: all are aligned to their size

/// The thread that issued an access.
struct Thread {
    std::uint64_t cta{};  ///< unique among all CTAs of the run
    std::uint8_t warp{}, lane{};
    bool operator==(const Thread&) const = default;
};

/// A store of one element, or a reduction.
struct Store {
    Thread by;
    WarpRef at{};  ///< the same, in the form of the port
    Where where{};
    std::uint8_t bytes{};  ///< 1, 2, 4, 8 or 16
    /// performed towards the CTA first (global memory); else there is one copy for all
    bool twoSteps{};
    std::uint8_t reduce{};  ///< 0: a store; else 1 + operation, which only the sink interprets
    std::uint8_t type{};    ///< type of the reduction
    std::uint32_t owner{};  ///< for the caller: owner of the memory
    std::uint32_t line{};   ///< PTX line
    std::array<std::uint8_t, kLineBytes> data{};
};

/// The announcement of a store: its epoch, or none yet.
struct Announced {
    static constexpr std::uint8_t kNot = 0xff;
    std::uint8_t own{kNot}, wide{kNot};
};

/// Executes the decisions of the queue.
class StoreSink {
public:
    virtual ~StoreSink() = default;
    /// The store is performed towards everyone: its bytes are written now. For stores of one step this is towards the CTA, too.
    virtual void toEveryone(const Store& store, const Announced& announced) = 0;
    /// The store is performed towards its CTA (only with twoSteps); its bytes stay in the queue.
    virtual void toCta(const Store& store, const Announced& announced) = 0;
};

/// Bounds of the times at which stores are performed.
struct Delays {
    std::uint32_t cta{512};  ///< most clocks from issue until its own CTA sees a store
    std::uint32_t everyone{
        2048};  ///< most clocks from then (stores of one step: from issue) until everyone does
};

class StoreQueue {
public:
    static constexpr unsigned kAllSms = 256;
    /// `group`: this many SMs draw from one sequence (SmRandom).
    StoreQueue(Delays delays, std::uint64_t seed, unsigned group = kAllSms)
        : delays_(delays), random_(seed, group)
    {
    }

    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// The first clock at which a store is performed; kNever: nothing is pending, or it is held.
    [[nodiscard]] Cycle next() const noexcept { return dues_.next(); }
    /// Whether a store may be pending for these bytes.
    [[nodiscard]] bool near(Where where, std::size_t bytes) const noexcept
    {
        const Around& a = around_[isGlobal(where) ? 1 : 0];
        return a.count != 0 && where < a.high && where + bytes > a.low;
    }

    /// Adds a store that is issued at `now` and performed later. Per byte, stores of a thread keep their order.
    void push(const Store& store, Cycle now);
    /// The same with clocks of the caller's choice (a replayed witness), later than `now`.
    void push(const Store& store, Cycle now, Cycle cta, Cycle everyone);
    using Id = std::uint64_t;
    /// Adds a store that is pending until performHeld(), or until another function performs it. Pre: one step; earlier stores of its thread
    /// there are settled.
    Id hold(const Store& store);
    /// The packet of a held store has left: only the network has to carry it. From now on it is announced. Before, a request that waits for
    /// it could block it at the port, for ever. Does nothing if it has been performed.
    void left(Id id);
    /// Performs a held store now, after the earlier stores of its thread there; does nothing if it has been performed.
    void performHeld(Id id, Cycle now, StoreSink& sink);
    /// Whether a store is held.
    [[nodiscard]] bool holds() const noexcept { return held_ != 0; }
    /// Performs the stores that are due.
    void perform(Cycle now, StoreSink& sink);

    /// Overlays the stores that `reader` sees on `bytes` bytes read from memory. Pre: settled.
    void overlay(const Thread& reader, Where where, unsigned bytes, std::uint8_t* to) const;
    /// True if the reader must not use overlay() but `settle` first: a reduction of its own is pending there.
    [[nodiscard]] bool reduces(const Thread& reader, Where where, unsigned bytes) const;
    /// Performs everything that `by` sees in these lines towards everyone, so that an atomic acts on it.
    void settle(const Thread& by, Where where, unsigned bytes, Cycle now, StoreSink& sink);

    /// Performs at once: stores of a warp towards its CTA ...
    void performOwn(std::uint64_t cta, std::uint8_t warp, Cycle now, StoreSink& sink);
    /// ... all stores of a CTA towards everyone, ...
    void performWide(std::uint64_t cta, Cycle now, StoreSink& sink);
    /// ... stores to [first, last), because that memory ends, ...
    void performInto(Where first, Where last, Cycle now, StoreSink& sink);
    /// ... all stores.
    void performAll(Cycle now, StoreSink& sink);

    /// Number of stores that a request of this warp has to wait for and that were not announced for it; from now on they count as announced
    /// under `epoch`. Reach::Cta: of the warp; Reach::Everyone: of its CTA. Held stores that have not left are not included.
    [[nodiscard]] std::uint32_t announce(const Thread& by, Reach reach, std::uint8_t epoch);

private:
    using Slot = std::uint32_t;  ///< of entries_
    static constexpr Slot kNone = ~Slot{0};
    static constexpr unsigned kSlotBits = 24;  ///< of an Id: above them is a number that ascends
    struct Links {
        Slot before{kNone}, behind{kNone};
    };
    /// Entries in the order in which they came.
    struct List {
        Slot first{kNone}, last{kNone};
    };

    /// Stores of a CTA.
    struct Cta {
        List list;
        std::uint32_t count{};
        /// number for each warp, in buffers of its threads
        std::array<std::uint32_t, kMaxWarps> own{};
        /// Of those, unannounced ones, and unannounced ones of the CTA towards everyone; without stores that stay.
        std::array<std::uint32_t, kMaxWarps> unsaidOwn{};
        std::uint32_t unsaidWide{};
    };
    struct Entry {
        Store store;
        bool inCta{};  ///< performed towards the CTA
        bool stays{};  ///< held, and it has not left its SM
        Announced announced;
        Id id{};  ///< 0: the slot is free
        Cycle due{}, everyone{};
        Cta* cta{};
        Links line, ofCta;
    };
    /// Range of all pending stores in shared, in global memory, since there was none.
    struct Around {
        Where low{~Where{0}}, high{};
        std::size_t count{};
    };

    [[nodiscard]] static Slot slotOf(Id id) noexcept { return id & ((1u << kSlotBits) - 1); }
    [[nodiscard]] bool pending(Id id) const noexcept
    {
        return id != 0 && entries_[slotOf(id)].id == id;
    }
    [[nodiscard]] Cycle draw(unsigned sm, std::uint32_t bound);
    [[nodiscard]] Slot freeSlot();
    /// Inserts an entry. Pre: Entry::store, inCta, stays, due, everyone and announced of the slot are set.
    Id insert(Slot slot);
    /// Removes an entry from all lists; it keeps its slot.
    void unlink(Slot slot);
    void append(List& list, Links Entry::*links, Slot slot);
    void drop(List& list, Links Entry::*links, Slot slot);
    /// Adds `by` to the counts of announce() for this entry.
    static void countUnsaid(const Entry& e, std::uint32_t by) noexcept;
    /// The CTA; nullptr: it has no pending stores.
    [[nodiscard]] Cta* known(std::uint64_t serial);
    [[nodiscard]] Cta& ctaOf(std::uint64_t serial);
    /// Stores of a CTA to a line, and a few others. No other CTA sees pending ones.
    [[nodiscard]] List& lineList(Where line, std::uint64_t cta) noexcept;
    [[nodiscard]] const List& lineList(Where line, std::uint64_t cta) const noexcept;
    void growLines();
    [[nodiscard]] bool sameBuffer(const Entry& a, const Entry& b) const noexcept;
    /// Calls fn(slot) for those entries of the CTA in these lines for which `of` holds, in the order of each line. fn may remove that entry.
    template <class Of, class Fn>
    void eachIn(std::uint64_t cta, Where where, unsigned bytes, Of&& of, Fn&& fn);
    template <class Of> void performThose(Of&& of, Cycle now, StoreSink& sink);
    /// Performs the stores of ids_ that are still pending.
    void performListed(Cycle now, StoreSink& sink, bool wholly);
    void finish(Slot slot, Cycle now, StoreSink& sink, bool wholly);
    [[nodiscard]] static bool sees(const Thread& reader, const Entry& e) noexcept
    {
        return e.inCta ? e.store.by.cta == reader.cta : e.store.by == reader;
    }

    Delays delays_;
    SmRandom random_;       ///< by the SM of the storing thread
    std::uint64_t last_{};  ///< last number in an Id
    std::size_t size_{}, held_{}, inCtas_{}, reductions_{};
    std::vector<Entry> entries_;  ///< by slot
    std::vector<Slot> free_;
    DueList dues_;
    std::array<Around, 2> around_{};
    std::vector<List> lines_;  ///< by a hash of line and CTA; a power of two of them
    std::unordered_map<std::uint64_t, Cta> ctas_;  ///< by serial number
    std::size_t mostCtas_{64};  ///< beyond this number CTAs without stores are forgotten
    std::uint64_t lastSerial_{};
    Cta* lastCta_{};       ///< CTA of lastSerial_
    std::vector<Id> ids_;  ///< stores that are about to be performed
};

}  // namespace gsu::visibility
