/// Asynchronous copies, remote stores and reductions in flight; private to tb/exec. Data are performed first, then their
/// completion is given to the port (D-45). Completion order between copies varies with the seed.
#pragma once
#include <deque>
#include <memory>
#include <unordered_map>

#include "exec/async/tensor_map.hpp"
#include "exec/machine/machine.hpp"

namespace gsu::exec {

struct Copy;
using Counter = std::shared_ptr<std::uint32_t>;  ///< copies of one group not yet performed

/// cp.async or bulk groups of one thread: `current` collects until the next commit.
struct LaneGroups {
    Counter current, currentReads;
    std::deque<std::pair<Counter, Counter>> committed;  ///< (performed, read)
};

/// A CTA that may be gone when a copy completes.
struct CtaKey {
    std::uint8_t sm{}, slot{};
    std::uint64_t serial{};
};

/// cp.async.mbarrier.arrive: one arrival per lane once the request has been answered and the copies are performed.
struct PendingArrive {
    CtaKey cta;
    std::uint8_t warp{};
    std::uint16_t tag{};
    bool answered{};
    std::vector<Counter> waits;
    std::unordered_map<std::uint32_t, std::uint32_t> arrivals;  ///< mbarrier address -> lanes
};

/// st.async or red.async whose packet is under way, by tag.
struct RemoteData {
    CtaKey owner;
    std::uint32_t offset{};
    std::vector<std::uint64_t> values;
    unsigned bytes{};
    bool reduces{};
    std::uint8_t op{}, type{};
};

/// Bytes of a window that a bulk copy with an mbarrier has been told to write and has not written completely.
struct Landing {
    const Copy* copy{};
    CtaKey to;
    std::uint32_t offset{}, bytes{}, line{};
};

struct AsyncState {
    std::unordered_map<std::uint64_t, std::array<LaneGroups, 2>>
        groups;  ///< by thread: cp.async, bulk
    std::vector<PendingArrive> arrives;
    std::unordered_map<std::uint16_t, RemoteData> remote;
    std::vector<Landing> landings;
    std::uint64_t inFlight{};
};

/// What a tensor copy moves, shared by the copies of a multicast.
struct Tile {
    std::vector<TileRun> runs;
    std::array<std::uint8_t, 16> fill{};  ///< elements outside the tensor, repeated
    bool store{};                         ///< to global memory
};

/// One thread's copy. Source and destination were checked when it was issued.
struct Copy {
    CtaKey from, to;                        ///< of shared memory; sm 0xff: global
    std::uint64_t source{}, destination{};  ///< global address or offset in the window
    std::uint32_t bytes{}, valid{};         ///< the rest of `bytes` is zero
    std::uint16_t mask{0xffff};             ///< bytes to write, of every 16
    std::shared_ptr<const Tile> tile;       ///< instead of source and destination
    Counter performed, read;
    bool nowhere{};  ///< the destination is not there, and the run goes on
    bool reduces{};
    std::uint8_t op{}, type{};
    bool completes{};
    std::uint32_t mbarrier{};  ///< offset in the owner's window
    CtaKey mbarrierOwner;
    std::uint32_t line{};
    CtaKey issuer;
    std::uint8_t warp{};
};

inline constexpr std::uint8_t kNoSm = 0xff;

[[nodiscard]] CtaKey keyOf(const Cta& cta) noexcept;
/// nullptr when the CTA has ended.
[[nodiscard]] Cta* liveCta(Machine& machine, const CtaKey& key) noexcept;
[[nodiscard]] LaneGroups& groupsOf(Machine& machine, const Warp& warp, unsigned lane, bool bulk);
/// Starts a copy; its bytes move after the copy latency, in pieces.
void startCopy(Machine& machine, Copy copy);
/// Looks at everything that waits for a copy of this warp.
void copiesProgressed(Machine& machine, const CtaKey& issuer, std::uint8_t warp);
void tryArrives(Machine& machine);
/// Remembers a cp.async.mbarrier.arrive when its request is made.
void noteArrive(Machine& machine, const Warp& warp, const SyncRequest& request);

/// Micro-operations of decode_async.cpp.
void cpAsyncOp(Ctx& x, const MicroOp& o, Lanes lanes);
void cpBulkOp(Ctx& x, const MicroOp& o, Lanes lanes);
void cpCommitOp(Ctx& x, const MicroOp& o, Lanes lanes);
void cpWaitOp(Ctx& x, const MicroOp& o, Lanes lanes);
/// tensor_ops.cpp: cp.async.bulk.tensor, cp.reduce.async.bulk.tensor, tensormap.replace and tensormap.cp_fenceproxy.
void tensorCopyOp(Ctx& x, const MicroOp& o, Lanes lanes);
void tensorPrefetchOp(Ctx& x, const MicroOp& o, Lanes lanes);
void tensorReplaceOp(Ctx& x, const MicroOp& o, Lanes lanes);
void tensorPublishOp(Ctx& x, const MicroOp& o, Lanes lanes);
/// Moves the runs of a tensor copy that lie in [at, at + bytes) of the box.
void moveTile(Machine& machine, const Copy& copy, std::uint32_t at, std::uint32_t bytes);
void lateCopy(Machine& machine, const Copy& copy, const char* what);
void reduceInto(Machine& machine, const Copy& copy, std::uint8_t* to, const std::uint8_t* from,
                std::size_t bytes);
/// Resolves one end of a copy; a bad one faults the lane.
struct CopyEnd {
    CtaKey cta;
    std::uint64_t at{};  ///< offset in the owner's window, or global address
    Cta* owner{};
    bool missing{};  ///< global memory that is not there, and the run goes on
};
bool resolveEnd(Ctx& x, ptx::Space space, std::uint64_t address, std::uint32_t bytes,
                std::uint32_t align, unsigned lane, const char* what, CopyEnd& end);
/// Starts `copy`, or one for every CTA of the mask of a multicast.
void startCopies(Ctx& x, unsigned lane, const Copy& copy, std::optional<std::uint64_t> mask,
                 std::optional<unsigned> pairBit = std::nullopt);
void issueFrom(const Ctx& x, const MicroOp& o, Copy& copy);
void redReleaseOp(Ctx& x, const MicroOp& o, Lanes lanes);
void tryCancelOp(Ctx& x, const MicroOp& o, Lanes lanes);
void isCanceledOp(Ctx& x, const MicroOp& o, Lanes lanes);
void firstCtaidOp(Ctx& x, const MicroOp& o, Lanes lanes);

}  // namespace gsu::exec
