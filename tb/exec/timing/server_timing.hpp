/// ServerTiming: the timing model with servers, those of a chip, of its SMs and of their warps.
#pragma once
#include <deque>
#include <unordered_map>

#include "exec/timing/cluster_links.hpp"
#include "exec/timing/fence_server.hpp"
#include "exec/timing/issue_slots.hpp"
#include "exec/timing/tag_array.hpp"
#include "exec/timing/tensor_memory_port.hpp"
#include "exec/timing/timing_model.hpp"

namespace gsu::timing {

class ServerTiming final : public TimingModel {
public:
    ServerTiming(const TimingParams& params, unsigned sms,
                 std::shared_ptr<const Sharing> sharing = nullptr);

    [[nodiscard]] bool active() const noexcept override { return true; }
    WarpHandle enter(const WarpPlace& place, Cycle at) override;
    void leave(WarpHandle warp, Cycle at) override;
    void ended(unsigned sm, std::uint64_t cta) override;
    [[nodiscard]] WarpTiming* direct(WarpHandle warp) noexcept override
    {
        return &warps_[warp].own;
    }
    [[nodiscard]] Wait earliest(WarpHandle warp, const Instruction& next) override;
    Cycle issue(WarpHandle warp, const Instruction& what, Cycle now) override;
    void rename(WarpHandle warp, const Instruction& what) override;
    Cycle load(WarpHandle warp, const Instruction& what, const MemoryAccess& access,
               Cycle issued) override;
    Cycle store(WarpHandle warp, const MemoryAccess& access, Cycle issued) override;
    Cycle copyAsync(WarpHandle warp, const MemoryAccess& from, const MemoryAccess& to,
                    Cycle issued) override;
    CopyClocks copyIn(unsigned sm, const CopyRequest& request, std::span<const unsigned> to,
                      Cycle issued) override;
    CopyClocks copyOut(unsigned sm, const CopyRequest& request, Cycle issued) override;
    CopyClocks copyAcross(unsigned from, unsigned to, std::uint32_t bytes, Cycle issued) override;
    ProductClocks product(WarpHandle warp, const Product& product, Cycle issued) override;
    Cycle tensorMove(WarpHandle warp, std::uint64_t bytes, Cycle issued) override;
    [[nodiscard]] Cycle front(WarpHandle warp) const override;
    [[nodiscard]] Wait drained(WarpHandle warp, Drain what, Cycle now) override;
    [[nodiscard]] std::uint64_t fencesAmidCopies() const override
    {
        return shared_.fencesAmidCopies;
    }
    [[nodiscard]] Cycle view(WarpHandle warp, Cycle now) override;
    void waited(WarpHandle warp, Stall cause, Cycle until, std::uint32_t line) override;
    [[nodiscard]] Cycle starts(Cycle slotFree) const noexcept override;
    [[nodiscard]] const Ledger& ledger() const noexcept override { return ledger_; }
    [[nodiscard]] std::vector<Utilisation> utilisation(Cycle end) const override;

    void watch() override;
    [[nodiscard]] const std::vector<ServerActivity>& activity() const noexcept override
    {
        return activity_;
    }
    [[nodiscard]] double bytesOfHbm() const override { return memory_.hbmBytes(); }
    [[nodiscard]] ChipMemory& memory() noexcept { return memory_; }

private:
    struct Sm {
        explicit Sm(const TimingParams& params);
        IssueSlots slots;
        SharedPort port;
        TensorPipe tensor;
        TensorMemoryPort moves;
        CopyEngine copies;
        FenceServer fences;
        Server views;  ///< of the other proxy, one fence after the other
        TagArray l1;
        /// wgmma executes then, or waits for its turn.
        [[nodiscard]] bool multiplies(Cycle at) const noexcept
        {
            return multipliesUntil > ticksOf(at);
        }
        Ticks multipliesUntil{};
        Cycle copied{};  ///< the last copy into it so far is there
    };
    struct Warp {
        Warp(WarpTiming::Shared& shared, unsigned window) : own(shared, window) {}
        WarpPlace place;
        WarpTiming own;
        std::uint64_t products{};
        bool stored{};  ///< to shared memory since its last view
    };
    /// The last products of a warpgroup.
    struct Group {
        static constexpr std::size_t kKept = 64;
        std::array<ProductTimes, kKept> last{};
        std::uint64_t count{};
        unsigned warps{};
    };
    [[nodiscard]] Arrival readGlobal(Warp& warp, const MemoryAccess& access, Cycle issued);
    [[nodiscard]] Cycle loaded(Warp& warp, const MemoryAccess& access, Cycle issued, Stall& cause);
    [[nodiscard]] bool joins(const Warp& warp) const;
    [[nodiscard]] ProductTimes taken(WarpHandle handle, const Product& what, Cycle issued);

    TimingParams p_;
    WarpTiming::Shared shared_;
    KeptClocks kept_;  ///< by wgmma
    std::vector<Sm> sms_;
    ChipMemory memory_;
    ClusterLinks links_;
    std::deque<Warp> warps_;  ///< none ever moves
    std::vector<WarpHandle> free_;
    std::unordered_map<std::uint64_t, Group> groups_;
    Ledger ledger_;
    std::vector<ServerActivity> activity_;  ///< the servers know where each is
};

}  // namespace gsu::timing
