/// The executor's state and its operations, split over several files; private to tb/exec.
#pragma once
#include <deque>
#include <functional>
#include <map>
#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_set>
#include <vector>

#include "base/random.hpp"
#include "exec/decode/micro_op.hpp"
#include "exec/launch/device_memory.hpp"
#include "exec/machine/executor.hpp"
#include "exec/machine/memory.hpp"
#include "exec/machine/warp.hpp"

namespace gsu::exec {

/// A bad access of some lanes of the running instruction.
struct FaultNote {
    Lanes lanes{};
    std::string rule, message;
};

/// What a micro-operation sees.
struct Ctx {
    std::uint64_t* regs{};
    Lanes* preds{};
    const std::uint64_t* consts{};
    Machine* machine{};
    Cta* cta{};
    Warp* warp{};
    Group* group{};
    FaultNote fault;
    bool remote{};  ///< touched another CTA's shared memory

    [[nodiscard]] std::uint64_t* row(Row r) const noexcept { return regs + std::ptrdiff_t{r} * 32; }
    [[nodiscard]] const std::uint64_t* src(Row r) const noexcept
    {
        return r >= 0 ? regs + std::ptrdiff_t{r} * 32 : consts + std::ptrdiff_t{~r} * 32;
    }
    [[nodiscard]] Lanes pred(PredRef p) const noexcept
    {
        const Lanes value = p.index >= 0 ? preds[p.index] : 0;
        return p.negated ? ~value : value;
    }
    void setPred(std::int32_t index, Lanes lanes, Lanes value) const noexcept
    {
        if (index >= 0) preds[index] = (preds[index] & ~lanes) | (value & lanes);
    }
};

template <class F> inline void eachLane(Lanes lanes, F&& f)
{
    if (lanes == ~Lanes{0}) {
        for (unsigned lane = 0; lane < 32; ++lane) f(lane);
        return;
    }
    for (; lanes != 0; lanes &= lanes - 1) f(static_cast<unsigned>(__builtin_ctz(lanes)));
}

/// Where an address leads.
struct Place {
    std::uint8_t* bytes{};
    Cta* owner{};            ///< of shared memory, else nullptr
    std::uint32_t offset{};  ///< in the owner's window
    enum class Where : std::uint8_t {
        None,
        Global,
        Shared,
        Local,
        Stack,  ///< of alloca
        Const,
        Param
    } where{Where::None};
    bool standIn{};        ///< of memory that is not there: reads give 0, writes go nowhere
    const char* why{""};   ///< when bytes is nullptr
    std::uint64_t size{};  ///< bytes of the memory that was missed; 0: not known
};

struct OpenRequest {
    bool used{};
    bool arrived{};    ///< counted by the barrier: a release of its generation wakes it
    bool suspended{};  ///< a try_wait that found its phase running
    Cta* cta{};
    std::uint8_t warp{};
    Lanes pending{};
    const SyncInfo* info{};
    std::uint32_t regBase{}, predBase{}, line{};
    std::uint32_t generation{};  ///< of the named barrier that counted it
    SyncRequest request;
};

struct Scheduler {
    std::vector<Warp*> warps;
    Cycle freeAt{};
    std::uint32_t last{};
};

struct Sm {
    std::array<std::unique_ptr<Cta>, kMaxCtas> ctas;
    std::uint64_t warpSlots{};
    std::map<std::uint32_t, std::uint32_t> windows;  ///< shared memory in use: base -> size
    std::deque<SyncRequest> queue;
    std::deque<AsyncUpdate> updates;
    std::vector<OpenRequest> open;
    std::deque<std::uint16_t> freeTags;  ///< oldest first: a late commit still finds its line
    std::array<Scheduler, 4> schedulers;
    std::vector<Launch> launching;
    Cycle copyFreeAt{};
};

/// Something of the executor's own that happens at a cycle.
struct Event {
    Cycle at{};
    std::uint64_t order{};
    std::function<void()> run;
    bool operator<(const Event& other) const noexcept
    {
        return at != other.at ? at > other.at : order > other.order;  // earliest on top of a heap
    }
};

struct Shape {
    std::array<std::uint32_t, 3> grid{}, block{}, cluster{1, 1, 1};
    bool clusterLaunch{};
    std::uint32_t threads{}, warps{}, clusterCtas{1};
    std::uint64_t ctas{};
    std::uint32_t smem{};  ///< bytes of a CTA's window, a multiple of 256
    std::uint32_t staticSmem{}, dynamicBase{}, totalSmem{};
};

/// Copies and reductions in flight; see async.cpp.
struct AsyncState;

struct Machine final : SyncSink {
    /// `device`: what it shares with other launches; nullptr: it has memory of its own.
    Machine(const LaunchSpec& spec, const ptx::Module& module, RunOptions options,
            DeviceMemory* device);
    ~Machine() override;
    Machine(const Machine&) = delete;
    Machine& operator=(const Machine&) = delete;

    const LaunchSpec& spec;
    const ptx::Module& module;
    RunOptions options;
    const ExecParams& ep;
    Program program;
    Shape shape;
    unsigned smCount{1};
    std::unique_ptr<DeviceMemory> ownDevice;
    DeviceMemory& device;
    GlobalMemory& global{device.global};
    std::uint64_t& memoryLeft{device.left};  ///< of RunOptions::memoryBytes
    std::vector<std::uint8_t>& constBank{device.constBank};
    std::vector<std::uint8_t> paramBank;
    std::uint64_t threadBytes{};  ///< host memory of registers and local memory
    std::unique_ptr<SharedBytes> shared;
    std::vector<std::uint64_t> paramOffset;    ///< of the kernel's parameters in paramBank
    std::vector<std::uint64_t> bufferAddress;  ///< per parameter, 0: none
    using Multimem = DeviceMemory::Multimem;
    std::vector<Multimem>& multimem{device.multimem};
    std::vector<ExecObserver*> observers;
    std::vector<Sm> sms;
    std::array<Cycle, kMaxSms> due{};  ///< no warp of the SM can issue before it
    std::uint32_t launching{}, queued{},
        updating{};  ///< SMs with something in Sm::launching, queue, updates
    std::vector<std::unique_ptr<Cluster>> clusters;  ///< by slot
    SyncPort* port{};
    RunResult result;
    Cycle now{};
    std::uint64_t rng{};
    std::uint64_t changes{};
    std::uint64_t lastChange{};  ///< result.instructions at the last change
    Cycle lastChangeAt{};
    std::uint64_t turns{};  ///< of the loop: cycles that were evaluated
    std::uint64_t workChanges{},
        quietFrom{};              ///< `changes`, and the work done, when they last differed
    std::uint64_t ctaFrom{};      ///< the work done when a CTA last started or ended
    std::vector<MbarNote> notes;  ///< of the commit or store that is being handled
    std::uint64_t eventOrder{};
    std::vector<Event> events;  ///< heap
    std::uint64_t serials{};
    std::uint64_t nextCluster{};  ///< in launch order
    std::uint64_t clusterTotal{};
    std::uint64_t ctasLeft{};
    std::uint32_t
        noUnitLine{};  ///< PTX line whose operation the port has no unit for: the run ends
    std::array<std::uint8_t, 128> nowhere{};  ///< what standIn gives
    bool inputGiven{}, trapped{}, watchIssue{}, launchBlocked{};
    bool hangSuspected{}, draining{}, roused{};  ///< see hang.cpp
    std::uint64_t suspectedAt{};                 ///< result.instructions
    std::uint64_t drainChanges{};                ///< changes when draining began
    /// By PTX line and rule (its text where it has none): place in RunResult::findings.
    std::map<std::pair<std::uint32_t, std::string>, std::size_t> findingIndex;
    std::size_t warnings{};  ///< in RunResult::findings
    /// States that noComplete arrives returned: what pending_count may be asked about (MBPC-003, D-43: by value).
    std::unordered_set<std::uint64_t> noCompleteStates;
    static constexpr std::size_t kMaxStates = 1u << 20;  ///< as many, and every state passes
    std::unique_ptr<AsyncState> async;
    std::map<std::uint64_t, std::uint64_t>
        words;  ///< last committed state per barrier, see wordKey

    // setup.cpp
    void setup();
    void checkShape();
    void checkCluster(const ptx::Function& entry);
    /// Places of the shared variables in a CTA's window.
    [[nodiscard]] std::map<std::string, std::uint64_t>
    layoutShared(const std::vector<const ptx::Function*>& functions);
    [[nodiscard]] std::uint64_t
    addressOfSymbol(const ptx::Relocation& relocation, const ptx::Variable& variable,
                    const std::map<std::string, std::uint64_t>& sharedSymbols);
    void applyInitialisers(const std::map<std::string, std::uint64_t>& sharedSymbols);
    // bind_params.cpp
    void bindParams();
    [[nodiscard]] std::vector<std::uint8_t> argument(std::size_t index);
    void patchAll(const ptx::Function& entry);
    [[nodiscard]] std::vector<MemoryContents> contents(bool withBytes);
    // setup.cpp
    /// An error at a place of the module, in the file that holds it.
    [[nodiscard]] InputError errorAt(ptx::Position at, const std::string& why) const;
    void reserveThreads();
    // launcher.cpp
    void launchMore();
    [[nodiscard]] bool placeCluster();
    [[nodiscard]] std::unique_ptr<Cta> makeCta(Cluster& cluster, unsigned rank, unsigned smIndex);
    void offerLaunches();
    void startCta(Cta& cta);
    [[nodiscard]] std::uint64_t residentClusters() const;
    // scheduler.cpp
    RunResult run(SyncPort& to);
    void loop();
    [[nodiscard]] std::uint64_t work() const noexcept { return result.instructions + 16 * turns; }
    [[nodiscard]] bool limitReached();
    [[nodiscard]] Cycle nextOwn() const;
    void runSchedulers();
    void runSm(Sm& sm, Cycle& smDue);
    [[nodiscard]] static Cycle firstIssue(const Sm& sm);
    void present();
    void at(Cycle when, std::function<void()> what);
    void deliverEvents();
    // warp.cpp
    [[nodiscard]] std::uint32_t issue(Warp& warp);
    [[nodiscard]] std::uint32_t pick(Warp& warp);
    [[nodiscard]] std::uint32_t stretch(Warp& warp, std::uint32_t index);
    void control(Warp& warp, std::uint32_t index, const MicroOp& op, Lanes lanes);
    void branchTo(Warp& warp, std::uint32_t index, std::uint32_t target);
    void call(Warp& warp, std::uint32_t index, const MicroOp& op, Lanes lanes);
    void ret(Warp& warp, std::uint32_t index, Lanes lanes);
    void exitLanes(Warp& warp, Lanes lanes, bool trap);
    void refresh(Warp& warp);
    [[nodiscard]] Ctx context(Warp& warp, Group& group);
    void note(Ctx& ctx, const MicroOp& op);
    // reconverge.cpp
    void diverge(Warp& warp, std::uint32_t index, Lanes taken, std::uint32_t target,
                 std::uint32_t stayPc, bool token);
    [[nodiscard]] bool park(Warp& warp, std::uint32_t& index);
    void giveUp(Warp& warp, std::uint32_t token);
    void giveUpAll(Warp& warp);
    void checkTokens(Warp& warp);
    [[nodiscard]] Lanes waitsFor(const Warp& warp, const Group& group, bool patient) const;
    [[nodiscard]] Lanes coming(const Warp& warp, bool patient) const;
    void releaseParked(Warp& warp);
    void merge(Warp& warp, std::uint32_t into, std::uint32_t from);
    void tryMerge(Warp& warp, std::uint32_t index);
    void setParkPc(Warp& warp, Group& group);
    [[nodiscard]] bool alignedReady(Warp& warp, std::uint32_t& index);
    void checkAligned(Warp& warp);
    [[nodiscard]] bool splitBy(Warp& warp, std::uint32_t index, const std::uint64_t* values,
                               Lanes lanes);
    void wake(Warp& warp, Group& group);
    [[nodiscard]] std::uint32_t groupOf(const Warp& warp, Lanes lanes) const;
    // sync_issue.cpp, sync_events.cpp
    void sync(Warp& warp, std::uint32_t index, const MicroOp& op, Lanes lanes);
    [[nodiscard]] Lanes mbarAddresses(Ctx& ctx, const MicroOp& op, const SyncInfo& info,
                                      Lanes lanes, SyncRequest& r);
    void submit(Warp& warp, Group& group, SyncRequest request, const MicroOp& op,
                const SyncInfo& info);
    void answered(Sm& sm, OpenRequest& open, Lanes lanes);
    void checkMasks(Warp& warp, const SyncRequest& request, const MicroOp& op);
    void onResponse(const SyncResponse& response) override;
    void onRelease(const Release& release) override;
    void onCommit(const Commit& commit) override;
    void onDelivered(const Delivered& delivered) override;
    void onCtaFree(const CtaFree& free) override;
    // meetings.cpp
    void meet(Warp& warp, std::uint32_t index, const MicroOp& op, Lanes lanes);
    void checkMeetings(Warp& warp, Lanes exited);
    void finishMeeting(Warp& warp, Meeting& meeting);
    // hang.cpp
    void backward(Warp& warp, Group& group);
    void watchLoop(const Warp& warp, Group& group);
    [[nodiscard]] bool stuck(const Sm& sm, const Warp& warp, const Group& group) const;
    [[nodiscard]] bool nothingMoves() const;
    void watchHang();
    void reportHang();
    [[nodiscard]] bool releaseHeld();
    [[nodiscard]] bool releaseWarp(Warp& warp, bool aligned);
    // memory_access.cpp
    [[nodiscard]] Place locate(const Ctx& ctx, ptx::Space space, std::uint64_t address,
                               unsigned bytes, unsigned lane);
    [[nodiscard]] Place locateShared(const Ctx& ctx, std::uint32_t address, unsigned bytes,
                                     bool ctaOnly);
    void stored(const Cta& owner, std::uint32_t offset, std::uint32_t bytes);
    /// RunOptions::keepGoing: reports that global memory was missed, and gives zeros in its place.
    [[nodiscard]] Place standIn(const Ctx& ctx, unsigned lane, const std::string& message);
    void changed() noexcept
    {
        ++changes;
        lastChange = result.instructions;
        lastChangeAt = now;
    }
    /// Nothing has changed for so long that comparing loops is worth it; suspended waits make loops of few instructions slow.
    [[nodiscard]] bool settled() const noexcept
    {
        constexpr Cycle kClocksPerInstruction = 64;
        return result.instructions - lastChange >= ep.quiet ||
               now - lastChangeAt >= kClocksPerInstruction * ep.quiet;
    }
    // findings.cpp
    void finding(Finding finding);
    void takeNotes(const Cta* cta, unsigned warp, Lanes lanes, std::uint32_t line);
    void finish();
    // async.cpp
    [[nodiscard]] bool asyncBusy() const;
    /// Reports a load of bytes that a bulk copy is still writing (MBW-019). Pre: place.owner has one landing.
    void readsLanding(const Ctx& ctx, const MicroOp& op, const Place& place, unsigned bytes,
                      unsigned lane);
    void dropRemote(std::uint16_t tag);
    void forgetThreads(const Warp& warp, Lanes lanes);
    /// The next cluster not yet launched, taken away from the grid; all ones when there is none.
    [[nodiscard]] std::uint64_t takeCluster();
    void remoteStores(Warp& warp, Group& group, const SyncRequest& request, const MicroOp& op,
                      const SyncInfo& info);

    [[nodiscard]] std::uint64_t random() noexcept { return splitmix64(rng); }
    /// The warp has something to do from `when` on, or from earlier.
    void rouse(Warp& warp, Cycle when) noexcept
    {
        warp.nextAt = std::min(warp.nextAt, when);
        Cycle& sm = due[warp.cta->launch.sm];
        sm = std::min(sm, when);
        roused = true;
    }
    void update(const AsyncUpdate& what)
    {
        sms[what.sm].updates.push_back(what);
        updating |= 1u << what.sm;
    }
    [[nodiscard]] WarpRef refOf(const Warp& warp) const noexcept
    {
        return {warp.cta->launch.sm, warp.cta->launch.cta, warp.index};
    }
};

/// Key of a barrier object in Machine::words.
[[nodiscard]] std::uint64_t wordKey(const Commit& commit);
/// Arrivals and target of what a warp waits for, in words; empty when unknown.
[[nodiscard]] std::string describeBarrier(const Machine& machine,
                                          const HangReport::Waiting& waiting);

/// The word of an mbarrier as last committed, written back or not.
[[nodiscard]] std::uint64_t mbarWordOf(const Machine& machine, const Cta& cta,
                                       std::uint32_t offset);

/// All copies that a group in state Copies waits for have been performed (or read).
[[nodiscard]] bool copiesDone(Machine& machine, const Warp& warp, const Group& group);

/// Notes what a load or an atomic of a diverged group is about to read (ReadWatch).
void watchRead(const Ctx& ctx, const MicroOp& op, Lanes lanes);

/// Adds a bad access to the instruction's note.
void faultLane(Ctx& ctx, unsigned lane, const char* rule, std::string message);

/// Decodes every function reachable from the entry. Symbols resolve through `machine`'s layout.
void decodeProgram(Machine& machine, const ptx::Function& entry,
                   const std::vector<const ptx::Function*>& functions,
                   const std::map<std::string, std::uint64_t>& sharedSymbols,
                   const std::map<std::string, std::uint64_t>& constSymbols);

}  // namespace gsu::exec
