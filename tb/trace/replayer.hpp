/// Drives any SyncPort from a trace: each record is given `dt` clocks after its anchor, and a warp part waits for its answers. With equal
/// parameters every call to the port happens in the recorded cycle, so answers and cycles must agree; with others the trace stretches.
/// Allocates nothing per record. The driver loop is that of the executor: give what is due, step, skip when quiet.
#pragma once
#include <array>
#include <atomic>
#include <bitset>
#include <string>
#include <vector>

#include "golden/port.hpp"
#include "observers/open_table.hpp"
#include "trace/lane_clock.hpp"
#include "trace/memory_feed.hpp"
#include "trace/program.hpp"
#include "trace/wait_watch.hpp"

namespace gsu::trace {

/// A blocked request when nothing can happen any more.
struct Blocked {
    WarpRef at;
    Lanes lanes{};
    Op op{};
    std::uint32_t id{}, source{};
    Cycle since{};
};

struct ReplayResult {
    std::vector<OpenWait> waits;  ///< last records of lanes that wait for an mbarrier's phase
    Cycle cycles{};
    std::uint64_t requests{};
    std::uint64_t compared{};  ///< outcomes equal to the recorded ones
    bool differs{};
    std::string difference;        ///< first difference: recorded and actual record
    std::vector<Blocked> blocked;  ///< not empty: hang
    std::uint64_t left{};          ///< records that were never given because a warp is blocked
    bool limit{};                  ///< maxCycles was reached
    bool interrupted{};            ///< the flag given to run() was set
    bool refusesAsync{};           ///< the port has no unit for asynchronous updates
    std::optional<Fault> fault;
};

class Replayer final : private SyncSink {
public:
    /// A replay on `port`. `compare`: outcomes must equal those of the program, with cycles. Pre: port.sms() >= header.sms. `memory`: gets
    /// the accesses to memory at their times; only with `compare`, and until outcomes differ.
    Replayer(const Program& program, SyncPort& port, bool compare, MemoryFeed* memory = nullptr);
    /// The memory of `port`, if it has one. In a recording of an executor, launches gave a CTA other contents and stores changed them. Here
    /// such words become 0, which no mbarrier.init writes: so an init changes its word, as it did then, and takes the same time.
    void setMemory(SharedMemory& memory);
    /// `stop`: when it becomes true the replay ends.
    [[nodiscard]] ReplayResult run(Cycle maxCycles = kNever,
                                   const std::atomic<bool>* stop = nullptr);

private:
    enum class Kind : std::uint8_t { Control, Step, Attachment, Answer };
    struct Event {
        Cycle at;
        std::uint32_t order;
        std::uint32_t index;
        Kind kind;
        bool operator>(const Event& o) const noexcept
        {
            return at != o.at ? at > o.at : order > o.order;
        }
    };
    struct Warp {
        std::uint32_t head{kNoIndex};  ///< first step not yet given
        Lanes live{}, open{};
        Lanes claimed{};  ///< lanes of scheduled steps
        bool dirty{};
        LaneClock answered;
    };

    /// Announced accesses that are not performed: the epoch of the recording, and that of the replay.
    struct Outstanding {
        Accesses accesses;
        std::uint8_t recorded{};
    };

    void push(Event event);
    void schedule(std::size_t warp);
    void scheduleControl();
    void attach(std::uint32_t first, Cycle now);
    void giveDue(Cycle now);
    bool give(const Event& event, Cycle now);
    [[nodiscard]] bool giveLaunch(const Launch& launch);
    void launched(const Control& control, Cycle now);
    bool giveControl(const Control& control, Cycle now);
    bool giveStep(std::uint32_t index, Cycle now);
    bool giveAttachment(const Attachment& attachment);
    void clear(std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes);
    void giveAnnounce(Accesses accesses);
    bool givePerform(Accesses accesses);
    bool freeTag(std::uint8_t sm, std::uint16_t& tag);
    void wake(WarpRef at, Lanes lanes, Cycle cycle);
    void closed(WarpRef at, const OpenPart& part);
    bool advance(Cycle maxCycles);
    void finish(ReplayResult& result);
    void missing();
    void giveMemory(std::uint64_t before, Cycle cycle);
    template <typename T> void compare(const T& actual);

    void onResponse(const SyncResponse& response) override;
    void onRelease(const Release& release) override;
    void onCommit(const Commit& commit) override { waits_.committed(commit); }
    void onDelivered(const Delivered& delivered) override;
    void onCtaFree(const CtaFree& free) override;
    void onGrid(const GridEvent& event) override;
    void onCancel(const CancelQuery& query) override;

    const Program& program_;
    SyncPort& port_;
    bool compare_;
    MemoryFeed* memory_;
    SharedMemory* words_{};  ///< nullptr: launches and stores leave the port's memory as it is
    OpenTable open_;
    WaitWatch waits_;
    std::vector<Warp> warps_;
    std::vector<std::uint8_t> given_;  ///< per step: 1 scheduled, 2 given
    std::vector<Event> heap_;
    std::vector<Event> deferred_;
    std::vector<std::size_t> dirty_;
    std::vector<std::bitset<4096>> tags_;
    std::vector<std::array<std::uint32_t, 4096>>
        cancels_;                           ///< per SM and tag: last step of try_cancel
    std::vector<CancelAnswer> answers_;     ///< due and earlier answers
    std::vector<Outstanding> outstanding_;  ///< accesses in the order of their announcement
    SyncRequest request_;
    std::uint32_t nextControl_{};
    bool controlScheduled_{};
    std::uint32_t grids_{};  ///< bit per slot of the grid table that is in use
    std::uint32_t frees_{};
    Cycle lastFree_{};
    std::size_t nextOutcome_{};
    std::uint32_t idle_{};
    std::uint64_t done_{};  ///< steps given
    ReplayResult result_;
};

}  // namespace gsu::trace
