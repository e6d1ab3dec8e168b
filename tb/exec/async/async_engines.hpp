/// Asynchronous copies, remote stores and reductions in flight. The data are performed first, then the port is notified that they are
/// complete (D-45). The order in which copies complete varies with the seed.
#pragma once
#include <array>
#include <cassert>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <unordered_map>
#include <vector>

#include "exec/async/tensor_walk.hpp"
#include "exec/lanes/reconvergence.hpp"
#include "exec/memory/memory.hpp"
#include "exec/tensormap/tensor_map.hpp"

namespace gsu::exec {

class Launcher;

using Counter = std::shared_ptr<std::uint32_t>;  ///< copies of one group not yet performed

/// cp.async or bulk groups of one thread: `current` collects until the next commit.
struct LaneGroups {
    Counter current, currentReads;
    std::deque<std::pair<Counter, Counter>> committed;  ///< (performed, read)

    /// Closes the current group; the next copies belong to a new one.
    void commit();
};

/// Data of st.async or red.async in flight.
struct RemoteData {
    CtaKey owner;
    std::uint32_t offset{};
    std::vector<std::uint64_t> values;
    unsigned bytes{};
    bool reduces{};
    std::uint8_t op{}, type{};
    StoredBy by{};
};

/// The tile of a tensor copy, shared by the copies of a multicast.
struct Tile {
    std::vector<TileRun> runs;
    std::array<std::uint8_t, 16> fill{};  ///< elements outside the tensor, repeated
    bool store{};                         ///< to global memory
    std::uint64_t map{};                  ///< address of the tensor map
    std::uint32_t rows{};                 ///< rows of the box
    std::uint32_t sharers{1};             ///< SMs that read it at about the same time
};

/// One thread's copy. Source and destination were checked when it was issued.
struct Copy {
    CtaKey from, to;                        ///< of shared memory; sm 0xff: global
    std::uint64_t source{}, destination{};  ///< global address or offset in the window
    std::uint32_t bytes{}, valid{};         ///< the rest of `bytes` is zero
    std::uint16_t mask{0xffff};             ///< bytes to write, of every 16
    std::shared_ptr<const Tile> tile;       ///< in place of source and destination
    Counter performed, read;
    bool generic{};  ///< cp.async: reads and writes as threads do
    bool nowhere{};  ///< the destination does not exist, and the run continues
    bool reduces{};
    std::uint8_t op{}, type{};
    bool completes{};
    std::uint32_t mbarrier{};  ///< offset in the owner's window
    CtaKey mbarrierOwner;
    std::uint32_t line{};
    CtaKey issuer;
    std::uint8_t warp{}, lane{};
    std::uint32_t issuerLinear{};  ///< linear index of the issuer's CTA in the grid
    std::uint64_t name{};          ///< AsyncOp::name
    std::uint32_t moved{};         ///< bytes
    bool lands{};                  ///< it is among the landings
    std::optional<timing::CopyClocks>
        clocks{};  ///< times of the timing model, if it knew them before the copy began
};

[[nodiscard]] inline StoredBy doneBy(const Copy& c) noexcept
{
    return {c.issuerLinear, c.warp, Lanes{1} << c.lane, c.line};
}

inline constexpr std::uint32_t kPieceBytes =
    1024;  ///< bytes of a copy that are performed and completed together
/// High word of the response of try_cancel (D-55).
inline constexpr std::uint64_t kCanceled = 1ull << 63, kCancelFailed = 1ull << 62;

/// red.async.release.global: an atomic operation of one thread, performed later.
struct LateAtomic {
    std::uint64_t address{}, value{};
    AtomOp op{};
    ptx::Type type{};
    unsigned bytes{};
    WarpRef at;  ///< warp that issued it
    unsigned lane{};
    std::uint32_t line{};
};

/// A clusterlaunchcontrol.try_cancel whose queries or responses are in flight.
struct CancelRequest {
    Lanes lanes{};         ///< lanes whose responses are to come
    std::uint32_t line{};  ///< PTX line
    unsigned targets{1};   ///< CTAs that get the response of a lane
    struct Lane {
        std::uint32_t response{};              ///< offset in the window of each of them
        unsigned left{};                       ///< targets that have not got the response
        std::array<std::uint64_t, 2> words{};  ///< its bytes, once the query is answered
    };
    std::array<Lane, 32> lane{};
};

/// Index of a free place in `list`.
template <class T>
std::uint32_t slotIn(std::vector<T>& list, std::vector<std::uint32_t>& free, T what)
{
    if (free.empty()) {
        list.push_back(std::move(what));
        return static_cast<std::uint32_t>(list.size() - 1);
    }
    const std::uint32_t slot = free.back();
    free.pop_back();
    list[slot] = std::move(what);
    return slot;
}

class AsyncEngines final : private Timed {
public:
    /// The engines of a run. All arguments must outlive it.
    AsyncEngines(RunState& state, Memory& memory, SyncClient& client, const Residents& residents,
                 Launcher& launcher, Reconvergence& lanes);
    ~AsyncEngines();
    AsyncEngines(const AsyncEngines&) = delete;
    AsyncEngines& operator=(const AsyncEngines&) = delete;

    /// True if an operation is in flight.
    [[nodiscard]] bool busy() const noexcept { return inFlight_ != 0; }

    /// The groups of a thread's cp.async, or of its bulk copies.
    [[nodiscard]] LaneGroups& groupsOf(const Warp& warp, unsigned lane, bool bulk);
    /// Whether all copies of a group's last wait have been performed, or read.
    [[nodiscard]] bool copiesDone(const Warp& warp, const Group& group);
    /// Starts a copy; its bytes move after the copy latency, in pieces.
    void start(Copy copy);
    /// Times of a copy in the timing model; if it goes to shared memory, in these SMs.
    [[nodiscard]] timing::CopyClocks clocksOf(const Copy& copy, std::span<const unsigned> sms);
    /// Number of SMs that read each line of the box at `origin`: for a part of a chip whose SMs all do the same, each with its tile of the tensor.
    [[nodiscard]] std::uint32_t sharersOf(const Cta& cta, std::uint64_t address,
                                          const TensorMap& map,
                                          const std::array<std::int32_t, 5>& origin);
    /// Performs the operation once, about `latency` clocks from now.
    void start(const LateAtomic& atomic, std::uint32_t latency);
    /// Notes a try_cancel, whose request has this ChipLayout::packetName().
    void sendCancel(std::uint32_t packet, CancelRequest request);
    /// Takes a cluster from the grid, in one step (D-55), and answers about `global_lat` clocks from now.
    void onCancel(const CancelQuery& query);
    /// PTX line of the try_cancel with this name; 0: none is in flight.
    [[nodiscard]] std::uint32_t cancelLine(std::uint32_t packet) const;
    /// Lanes of this try_cancel get no response.
    void dropCancel(std::uint32_t packet, Lanes lanes);
    /// Notes a cp.async.mbarrier.arrive when its request is made.
    void noteArrive(const Warp& warp, const SyncRequest& request);
    /// The request of a cp.async.mbarrier.arrive has been answered.
    void arriveAnswered(std::uint8_t sm, std::uint16_t tag);
    /// Notes data that the port carries under this ChipLayout::packetName().
    void sendRemote(std::uint32_t packet, RemoteData data);
    [[nodiscard]] bool remoteOpen(std::uint32_t packet) const
    {
        return remote_.contains(packet) || cancels_.contains(packet);
    }
    void dropRemote(std::uint32_t packet);
    /// Performs delivered data, or drops them.
    void onDelivered(const Delivered& delivered);
    /// True if a bulk copy is still writing bytes of this place.
    [[nodiscard]] bool landsIn(const Place& place, unsigned bytes) const;
    /// Reports a load of bytes that a bulk copy is still writing (MBW-019). Pre: place.owner has one landing.
    void readsLanding(const Ctx& ctx, const MicroOp& op, const Place& place, unsigned bytes,
                      unsigned lane);
    /// Forgets exited threads.
    void forgetThreads(const Warp& warp, Lanes lanes);
    /// Call before the CTA ends: its copies now read what they have not yet read of its shared memory, and HS-024 reports it.
    void readOut(const Cta& cta);

private:
    struct PendingArrive;
    struct Landing;
    /// Kind of an event token: a slot of one of the lists below, and the piece of a copy.
    enum class Late : std::uint8_t {
        Piece,
        Atomic,
        Cancel,
        Last  ///< a store whose source has been read is performed
    };
    void due(std::uint64_t token) override;
    void ended() noexcept
    {
        assert(inFlight_ != 0);
        --inFlight_;
    }
    void at(Cycle when, Late what, std::uint32_t slot, std::uint32_t piece = 0);

    void tell(Copy& copy);
    void move(Copy& copy, std::uint32_t at);
    void moveTile(const Copy& copy, std::uint32_t at, std::uint32_t bytes);
    void perform(const Copy& copy, std::uint32_t at, std::uint8_t* data, std::uint32_t bytes);
    void reduceInto(const Copy& copy, std::uint8_t* to, const std::uint8_t* from,
                    std::size_t bytes);
    void arrived(const Cta& owner, std::uint32_t offset, std::uint32_t bytes);
    void complete(const Copy& copy, std::uint32_t bytes);
    void finish(const Copy& copy);
    void finishRead(const Copy& copy);
    void finishLast(const Copy& copy);
    void pace(Copy& copy, std::uint32_t slot);
    void landed(const Copy& copy);
    void watchRead(const Copy& c, std::uint64_t address, std::uint32_t bytes);
    void watchWrite(std::uint64_t address, std::uint32_t bytes);
    void lateCopy(const Copy& copy, const char* what);
    void performAtomic(const LateAtomic& atomic);
    [[nodiscard]] bool deliverCancel(const Delivered& delivered);
    void progressed(const CtaKey& issuer, std::uint8_t warp);
    void tryArrives(std::uint64_t warp);
    [[nodiscard]] visibility::Where whereOf(const CtaKey& cta, std::uint64_t at) const;
    [[nodiscard]] std::uint8_t* placeOf(const CtaKey& cta, std::uint64_t at, std::uint32_t bytes,
                                        bool writes);

    RunState& s_;
    Memory& memory_;
    SyncClient& client_;
    const Residents& residents_;
    Launcher& launcher_;
    Reconvergence& lanes_;
    std::unordered_map<std::uint64_t, std::array<LaneGroups, 2>>
        groups_;                                                   ///< by thread: cp.async, bulk
    std::map<std::uint64_t, std::vector<PendingArrive>> arrives_;  ///< by warp
    std::unordered_map<std::uint32_t, RemoteData> remote_;         ///< by ChipLayout::packetName()
    std::vector<Landing> landings_;
    std::uint64_t inFlight_{}, names_{};
    std::array<Cycle, kMaxChipSms> copyFreeAt_{};
    std::map<std::pair<std::uint64_t, std::uint64_t>, TensorWalk>
        walks_;  ///< by CTA and tensor map
    /// The last copy of a box to global memory, for lanes of its warp that execute the same instruction.
    struct BoxStore {
        CtaKey issuer;
        unsigned warp{};
        Cycle issued{};
        std::uint64_t map{}, global{};
        std::uint32_t shared{};
        bool operator==(const BoxStore&) const = default;
    };
    BoxStore lastStore_;
    timing::CopyClocks lastStoreClocks_{};
    std::vector<std::uint8_t> piece_;  ///< piece of a copy that is being moved
    // Slots of operations in flight; free slots are reused.
    std::vector<std::unique_ptr<Copy>> copies_;
    std::vector<LateAtomic> atomics_;
    std::vector<CancelAnswer> answers_;
    std::vector<std::uint32_t> freeCopies_, freeAtomics_, freeAnswers_;
    std::unordered_map<std::uint32_t, CancelRequest> cancels_;  ///< by ChipLayout::packetName()
};

}  // namespace gsu::exec
