/// TimingModel: the interface by which the executor asks for times. It changes times only: instructions take effect where and in the order in which the
/// executor executes them (timing_notes.md). All times are clocks of the run.
#pragma once
#include <memory>

#include "exec/timing/copy_engine.hpp"
#include "exec/timing/shared_port.hpp"
#include "exec/timing/tensor_pipe.hpp"
#include "exec/timing/warp_timing.hpp"

namespace gsu::timing {

/// A warp that has entered; used again when it has left.
using WarpHandle = std::uint32_t;

struct WarpPlace {
    unsigned sm{}, scheduler{};
    unsigned role{};        ///< warps of one role share an account of the ledger
    std::uint64_t cta{};    ///< unique among all CTAs of the run
    std::uint64_t group{};  ///< unique: of the four warps of a warpgroup
};

/// Where a load or store leads.
struct MemoryAccess {
    enum class Where : std::uint8_t {
        Shared,
        Remote,
        Global,
        Local,
        Constant
    } where{Where::Shared};
    LaneAccess lanes;   ///< `bytes`: of all elements of a vector access
    unsigned owner{};   ///< of Remote: the SM
    bool cached{true};  ///< may be answered by L1
    bool atomic{};      ///< atom, red
    bool matrix{};      ///< ldmatrix, stmatrix: rows of 16 bytes
};

/// A product's times in clocks.
struct ProductClocks {
    Cycle start{}, done{};
};

/// A copy's times in clocks.
struct CopyClocks {
    Cycle first{}, read{}, last{};
    [[nodiscard]] Cycle piece(std::uint64_t at, std::uint64_t bytes) const noexcept
    {
        return bytes == 0 ? last : first + (last - first) * at / bytes;
    }
};

class TimingModel {
public:
    virtual ~TimingModel() = default;

    /// False: the executor's own latencies hold (exec.timing = simple), and nothing below changes them.
    [[nodiscard]] virtual bool active() const noexcept = 0;

    /// A warp of a CTA that starts at `at`.
    virtual WarpHandle enter(const WarpPlace& place, Cycle at) = 0;
    virtual void leave(WarpHandle warp, Cycle at) = 0;
    /// What may be asked directly, as long as the warp has not left; nullptr: nothing.
    [[nodiscard]] virtual WarpTiming* direct(WarpHandle warp) noexcept = 0;
    /// The CTA has ended.
    virtual void ended(unsigned sm, std::uint64_t cta) = 0;

    /// The next instruction of the warp may issue then, and what it waits for. Ask, wait until then, ask again; then issue() it. One with Order::Free
    /// is not waited for unless it lies more than its lead ahead: issue() it, and go on, at most one a clock.
    [[nodiscard]] virtual Wait earliest(WarpHandle warp, const Instruction& next) = 0;
    /// It issues; `now`: the executor's clock. When: as soon as it can, for stores and what is fixed no earlier than now. Results of the arithmetic
    /// pipes are known to the scoreboard then.
    virtual Cycle issue(WarpHandle warp, const Instruction& what, Cycle now) = 0;
    /// A move that the assembler makes another name of the same register: it takes no slot.
    virtual void rename(WarpHandle warp, const Instruction& what) = 0;
    /// Right after issue() of the load or atomic, with the time it returned: when the results are there.
    virtual Cycle load(WarpHandle warp, const Instruction& what, const MemoryAccess& access,
                       Cycle issued) = 0;
    /// Right after issue() of the store or red: when it is performed. The warp goes on at once.
    virtual Cycle store(WarpHandle warp, const MemoryAccess& access, Cycle issued) = 0;
    /// cp.async of a warp: when the bytes are in shared memory.
    virtual Cycle copyAsync(WarpHandle warp, const MemoryAccess& from, const MemoryAccess& to,
                            Cycle issued) = 0;
    /// cp.async.bulk, to shared memory of these SMs, the own one or those of a multicast.
    virtual CopyClocks copyIn(unsigned sm, const CopyRequest& request, std::span<const unsigned> to,
                              Cycle issued) = 0;
    /// cp.async.bulk to global memory; `read` is what wait_group.read waits for.
    virtual CopyClocks copyOut(unsigned sm, const CopyRequest& request, Cycle issued) = 0;
    /// cp.async.bulk from shared to shared memory.
    virtual CopyClocks copyAcross(unsigned from, unsigned to, std::uint32_t bytes,
                                  Cycle issued) = 0;
    /// wgmma or tcgen05.mma; of wgmma each of the four warps asks, and the n-th of each are one product.
    virtual ProductClocks product(WarpHandle warp, const Product& product, Cycle issued) = 0;
    /// tcgen05.ld or st of a warp, so many bytes of all lanes: when it is performed.
    virtual Cycle tensorMove(WarpHandle warp, std::uint64_t bytes, Cycle issued) = 0;

    /// All instructions of the warp so far have issued before it: how far the executor has run ahead of its own clock.
    [[nodiscard]] virtual Cycle front(WarpHandle warp) const = 0;
    /// When the warp's next instruction, which waits for that and is ready at `now`, may begin. A fence beyond the CTA does so fence_overlap clocks before
    /// all is done, and when its SM may send it off.
    [[nodiscard]] virtual Wait drained(WarpHandle warp, Drain what, Cycle now) = 0;
    /// Fences beyond the CTA that began before the copies were done.
    [[nodiscard]] virtual std::uint64_t fencesAmidCopies() const = 0;
    /// A fence of the warp has been answered; how long it takes until the other proxy sees shared memory.
    [[nodiscard]] virtual Cycle view(WarpHandle warp, Cycle now) = 0;
    /// The warp could not go on before `until`: it was at a barrier, an mbarrier (`line`), a wait for copies or products, asleep.
    virtual void waited(WarpHandle warp, Stall cause, Cycle until, std::uint32_t line = 0) = 0;

    /// The first instruction of a CTA, by when its slot was free: 0 for the first CTAs of the launch.
    [[nodiscard]] virtual Cycle starts(Cycle slotFree) const noexcept = 0;

    [[nodiscard]] virtual const Ledger& ledger() const noexcept = 0;
    /// Of the servers, from the first clock to `end`.
    [[nodiscard]] virtual std::vector<Utilisation> utilisation(Cycle end) const = 0;
    /// Before anything runs: activity() is wanted.
    virtual void watch() = 0;
    /// Of the servers; empty unless watch() was called.
    [[nodiscard]] virtual const std::vector<ServerActivity>& activity() const noexcept = 0;
    /// That have passed between L2 and HBM.
    [[nodiscard]] virtual double bytesOfHbm() const = 0;
};

/// exec.timing = simple: takes no time for anything.
[[nodiscard]] std::unique_ptr<TimingModel> simpleTiming();
/// `sms`: simulated ones, out of params.sms. `sharing`: as ChipMemory takes it.
[[nodiscard]] std::unique_ptr<TimingModel>
serverTiming(const TimingParams& params, unsigned sms,
             std::shared_ptr<const Sharing> sharing = nullptr);

}  // namespace gsu::timing
