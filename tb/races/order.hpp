/// Updates the vector clocks of threads by operations performed at the port: barriers, mbarrier phases, cluster barriers, fences, the end
/// of grids. rtl/doc/ordering.md gives the range of each. Time is no order: nothing here uses a cycle.
#pragma once
#include <unordered_set>

#include "golden/cluster_names.hpp"
#include "golden/port_observer.hpp"
#include "races/checks.hpp"
#include "races/mbarrier_phase_checks.hpp"

namespace gsu::races {

class Order final : public PortObserver {
public:
    /// Makes the order of a run. All arguments outlive it.
    Order(DetectorState& world, Checks& checks, MbarrierPhaseChecks& phases) noexcept
        : state_(world), checks_(checks), phases_(phases)
    {
    }

    void onPlace(const Launch& launch, std::uint32_t linear) override;
    void onGridStart(Cycle, const GridStart& grid) override;
    void onLaunch(Cycle, const Launch& launch) override;
    void onExit(Cycle, const Exit& exit) override;
    void onRequest(Cycle, const SyncRequest& request) override;
    void onResponse(const SyncResponse& response) override;
    void onRelease(const Release& release) override;
    void onCommit(const Commit& commit) override;
    void onCtaFree(const CtaFree& free) override;

    /// Sets the lines of mbarrier operations without a written scope. The default is .cta, but programs write it so where CTAs pass buffers
    /// to each other. So a wait is taken to have cluster scope, and an arrival at another CTA's object to order the reads before it
    /// (`givesBack`).
    void setUnscoped(std::unordered_set<std::uint32_t> lines) { unscoped_ = std::move(lines); }
    /// The completion of the named operation is given to the unit.
    void completes(std::uint64_t name);
    /// The index in DetectorState::endings of an operation that ends with a phase of this mbarrier.
    [[nodiscard]] std::uint32_t ending(const AsyncOp& op, std::uint32_t issuer);
    /// Acquires what others released at the bytes of a strong access, and releases there.
    void synchronize(const Access& access, unsigned lane, const MemoryRange& range);

private:
    /// A request that is answered, or performed, later.
    struct Open {
        SyncRequest request;
        std::uint32_t cta{};
    };
    /// An arrival in flight to another CTA: its tag may be reused before it arrives.
    struct Posted {
        std::uint16_t tag{};
        Lanes lanes{};  ///< lanes that have not arrived
        Knowledge given;
    };
    /// Future arrivals of cp.async.mbarrier.arrive on one mbarrier.
    struct CopyArrivals {
        unsigned left{};
        Clock copies;  ///< copies that are complete by then
    };
    /// A release that a read may see.
    struct Released {
        std::uint32_t cta{};
        std::uint8_t warp{}, lane{};
        Level release{}, write{};
        Knowledge what;
    };

    [[nodiscard]] static std::uint32_t keyOf(unsigned sm, unsigned tag) noexcept
    {
        return sm << 12 | tag;
    }
    void fence(Threads& threads, const SyncRequest& request);
    void clusterArrive(CtaState& cta, Threads& threads, const SyncRequest& request);
    void clusterDone(CtaState& cta, unsigned warp, Lanes lanes);
    void commitNamed(CtaState& cta, const Commit& commit);
    void see(const Access& access, unsigned lane, const CtaState& cta, std::uint64_t place);
    void give(const Access& access, unsigned lane, const CtaState& cta, std::uint64_t place);
    [[nodiscard]] std::vector<Released> givenBy(const Access& access, unsigned lane,
                                                const CtaState& cta);
    void commitMbarrier(const Commit& commit);
    void initMbarrier(Mbarrier& object, const CtaState& owner, const Commit& commit);
    void completeBytes(Mbarrier& object, const Commit& commit);
    void post(CtaState& cta, Threads& threads, const SyncRequest& request);
    void noteCopies(const CtaState& cta, const Threads& threads, const SyncRequest& request);
    void arrive(Mbarrier& object, const CtaState& owner, const Commit& commit);
    void arriveCopies(Mbarrier& object, const CtaState& owner, const Commit& commit);
    void arriveAgent(Mbarrier& object, const CtaState& owner, const Commit& commit);
    void waited(const Open& open, Lanes lanes);
    void use(const SyncRequest& request);
    [[nodiscard]] std::uint32_t lineOf(const Commit& commit) const;
    [[nodiscard]] CtaState* ownerOf(const SyncRequest& request, unsigned lane);
    [[nodiscard]] Knowledge gives(Threads& threads, Lanes lanes, Sem sem, Scope scope,
                                  Level needed);

    /// The same for an arrival without a written scope.
    [[nodiscard]] Knowledge givesBack(Threads& threads, Lanes lanes, Sem sem);

    [[nodiscard]] Scope scopeOf(const SyncRequest& request) const
    {
        return unscoped_.contains(request.source) ? Scope::Cluster : request.scope;
    }

    DetectorState& state_;
    Checks& checks_;
    MbarrierPhaseChecks& phases_;
    std::unordered_set<std::uint32_t> unscoped_;
    std::unordered_map<std::uint32_t, Open> open_;                  ///< by SM and tag
    std::unordered_map<std::uint32_t, std::deque<Posted>> posted_;  ///< by CTA, in order
    std::map<std::array<std::uint32_t, 3>, std::deque<CopyArrivals>>
        copyArrivals_;  ///< by CTA, warp and mbarrier
    /// An operation that ends with a phase.
    struct Named {
        std::uint32_t index{};  ///< index in DetectorState::endings
        bool commits{};         ///< tcgen05.commit: an arrival
        /// st.async and red.async: releases of earlier fences; tcgen05.commit: everything
        Knowledge given;
    };
    std::unordered_map<std::uint64_t, Named> endings_;  ///< operations in flight, by name
    std::unordered_map<std::uint64_t, std::deque<Knowledge>>
        clusters_;  ///< generations, by cluster
    std::unordered_map<std::uint64_t, std::vector<Released>> released_;  ///< by place
    std::unordered_map<std::uint32_t, Knowledge> exited_;  ///< exited threads, by cluster
    std::vector<Knowledge> ended_;                         ///< by grid
    std::array<std::uint32_t, 16> gridOf_{};               ///< by slot of the grid table
    std::uint32_t grids_{1};
    ClusterNames names_{state_.chip};
    std::array<std::array<std::uint32_t, kMaxCtas>, kMaxChipSms> linear_{};
};

}  // namespace gsu::races
