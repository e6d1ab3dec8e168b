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

/// Where a byte is: a global address, or {SM, byte of its shared memory} below 2^32.
using Where = std::uint64_t;
[[nodiscard]] constexpr bool isGlobal(Where where) noexcept { return where >> 32 != 0; }
inline constexpr unsigned kLineBytes =
    16;  ///< no access crosses a line: all are aligned to their size

/// Who issued an access.
struct Thread {
    std::uint64_t cta{};  ///< unique among all CTAs of the run
    std::uint8_t warp{}, lane{};
    bool operator==(const Thread&) const = default;
};

/// A store of one element, or a reduction.
struct Store {
    Thread by;
    WarpRef at{};  ///< the same, as the port names it
    Where where{};
    std::uint8_t bytes{};  ///< 1, 2, 4, 8 or 16
    bool
        twoSteps{};  ///< performed towards the CTA first (global memory); else there is one copy for all
    std::uint8_t reduce{};  ///< 0: a store; else 1 + operation, which only the sink understands
    std::uint8_t type{};    ///< of the reduction
    std::uint32_t owner{};  ///< the caller's own: whose memory it is
    std::uint32_t line{};   ///< of the PTX
    std::array<std::uint8_t, kLineBytes> data{};
};

/// What an announcement said about a store: under which epoch, or nothing yet.
struct Announced {
    static constexpr std::uint8_t kNot = 0xff;
    std::uint8_t own{kNot}, wide{kNot};
};

/// Does what the queue decides.
class StoreSink {
public:
    virtual ~StoreSink() = default;
    /// The store is performed towards everyone: its bytes are written now. For stores of one step this is towards the CTA, too.
    virtual void toEveryone(const Store& store, const Announced& announced) = 0;
    /// It is performed towards its CTA (only with twoSteps); its bytes stay in the queue.
    virtual void toCta(const Store& store, const Announced& announced) = 0;
};

/// When stores are performed.
struct Delays {
    std::uint32_t cta{512};  ///< clocks, at most, from issue until the own CTA sees a store
    std::uint32_t everyone{
        2048};  ///< and from then (stores of one step: from issue) until everyone does
};

class StoreQueue {
public:
    static constexpr unsigned kAllSms = 256;
    /// `group`: so many SMs draw from one sequence (SmRandom).
    StoreQueue(Delays delays, std::uint64_t seed, unsigned group = kAllSms)
        : delays_(delays), random_(seed, group)
    {
    }

    [[nodiscard]] bool empty() const noexcept { return size_ == 0; }
    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    /// The first clock at which something is performed; kNever: nothing is pending, or it is held.
    [[nodiscard]] Cycle next() const noexcept { return dues_.next(); }
    /// Something may be pending for these bytes.
    [[nodiscard]] bool near(Where where, std::size_t bytes) const noexcept
    {
        const Around& a = around_[isGlobal(where) ? 1 : 0];
        return a.count != 0 && where < a.high && where + bytes > a.low;
    }

    /// Issued at `now`, performed after it. Per byte, stores of a thread keep their order.
    void push(const Store& store, Cycle now);
    /// The same with a clock of the caller's choice (a witness that is replayed), later than `now`.
    void push(const Store& store, Cycle now, Cycle cta, Cycle everyone);
    using Id = std::uint64_t;
    /// Pending until performHeld(), or until something above or below performs it. Pre: one step; nothing of its thread is pushed there
    /// before it was settled.
    Id hold(const Store& store);
    /// Nothing but the network has to carry what is held: from now on it is announced. Before, a request that waits for it could be in
    /// its way at the port, for ever. Nothing if it has been performed.
    void left(Id id);
    /// Performs it now, after what its thread has there before it; nothing if it has been performed.
    void performHeld(Id id, Cycle now, StoreSink& sink);
    /// Something is held.
    [[nodiscard]] bool holds() const noexcept { return held_ != 0; }
    /// Performs what is due.
    void perform(Cycle now, StoreSink& sink);

    /// Lays the stores that `reader` sees over `bytes` bytes read from memory. Pre: settled.
    void overlay(const Thread& reader, Where where, unsigned bytes, std::uint8_t* to) const;
    /// True when the reader must not use overlay() but `settle` first: a reduction of its own is pending there.
    [[nodiscard]] bool reduces(const Thread& reader, Where where, unsigned bytes) const;
    /// Performs everything that `by` sees in these lines towards everyone, so that an atomic acts on it.
    void settle(const Thread& by, Where where, unsigned bytes, Cycle now, StoreSink& sink);

    /// Performs what a request waits for at once: stores of a warp towards its CTA ...
    void performOwn(std::uint64_t cta, std::uint8_t warp, Cycle now, StoreSink& sink);
    /// ... all of a CTA towards everyone, ...
    void performWide(std::uint64_t cta, Cycle now, StoreSink& sink);
    /// ... what goes to [first, last), because it ends, ...
    void performInto(Where first, Where last, Cycle now, StoreSink& sink);
    /// ... and everything.
    void performAll(Cycle now, StoreSink& sink);

    /// Stores that a request of this warp has to wait for and that were not announced for it: as many, and they count as announced
    /// under `epoch` from now on. Reach::Cta: of the warp; Reach::Everyone: of its CTA. What is held and has not left is not among them.
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

    /// What a CTA has stored.
    struct Cta {
        List list;
        std::uint32_t count{};
        std::array<std::uint32_t, kMaxWarps> own{};  ///< of each warp, in buffers of its threads
        /// Of those, what was not announced, and what of the CTA was not announced towards everyone; without what stays.
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
    /// Around all that is pending in shared, in global memory, since there was nothing.
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
    /// Pre: Entry::store, inCta, stays, due, everyone and announced of the slot are set.
    Id insert(Slot slot);
    /// Out of everything but its slot.
    void unlink(Slot slot);
    void append(List& list, Links Entry::*links, Slot slot);
    void drop(List& list, Links Entry::*links, Slot slot);
    /// Counts what announce() is to count, or counts it no more.
    static void countUnsaid(const Entry& e, std::uint32_t by) noexcept;
    /// nullptr: nothing is known of the CTA, so it has stored nothing that is pending.
    [[nodiscard]] Cta* known(std::uint64_t serial);
    [[nodiscard]] Cta& ctaOf(std::uint64_t serial);
    [[nodiscard]] List& lineList(Where line) noexcept;
    [[nodiscard]] const List& lineList(Where line) const noexcept;
    void growLines();
    [[nodiscard]] bool sameBuffer(const Entry& a, const Entry& b) const noexcept;
    /// fn(slot, entry) for those in these lines of which `of` holds, in the order of each line. fn may take that entry out.
    template <class Of, class Fn> void eachIn(Where where, unsigned bytes, Of&& of, Fn&& fn);
    template <class Of> void performThose(Of&& of, Cycle now, StoreSink& sink);
    /// Those of ids_, as far as they are pending by then.
    void performListed(Cycle now, StoreSink& sink, bool wholly);
    void finish(Slot slot, Cycle now, StoreSink& sink, bool wholly);
    [[nodiscard]] static bool sees(const Thread& reader, const Entry& e) noexcept
    {
        return e.inCta ? e.store.by.cta == reader.cta : e.store.by == reader;
    }

    Delays delays_;
    SmRandom random_;       ///< by the SM of who stores
    std::uint64_t last_{};  ///< of the numbers in Ids
    std::size_t size_{}, held_{}, inCtas_{}, reductions_{};
    std::vector<Entry> entries_;  ///< by slot
    std::vector<Slot> free_;
    DueList dues_;
    std::array<Around, 2> around_{};
    std::vector<List> lines_;  ///< by a hash of where / kLineBytes; a power of two of them
    std::unordered_map<std::uint64_t, Cta> ctas_;  ///< by serial number
    std::size_t mostCtas_{64};  ///< beyond which those without stores are forgotten
    std::uint64_t lastSerial_{};
    Cta* lastCta_{};       ///< of lastSerial_
    std::vector<Id> ids_;  ///< that are about to be performed
};

}  // namespace gsu::visibility
