/// A CTA of two warps that announces accesses and gives requests, and what each request waits for (rtl/doc/ordering.md).
#pragma once
#include <string>
#include <vector>

#include "golden/port.hpp"

namespace gsu::test {

inline constexpr WarpRef kWarp{0, 2, 0}, kOther{0, 2, 1};

/// One CTA of two warps; drives requests and accesses and notes what is answered.
class Testbench final : public SyncSink {
public:
    explicit Testbench(SyncPort& port) : port_(port)
    {
        port.setSink(*this);
        Launch l{};
        l.cta = kWarp.cta;
        l.threads = 64;
        l.size = 0x400;
        while (!port.launch(l)) port.step();
        step(3);
    }
    void step(int cycles)
    {
        while (cycles-- > 0) port_.step();
    }
    /// Presents it; the tag.
    std::uint16_t give(Op op, Sem sem, Scope scope, const WarpRef& at = kWarp)
    {
        SyncRequest r{};
        r.op = op;
        r.at = at;
        r.lanes = ~Lanes{0};
        r.tag = ++tag_;
        r.sem = sem;
        r.scope = scope;
        if (op == Op::MbarArrive) r.data.fill(1);
        if (op == Op::WarpSync) r.arg0 = ~0u;
        if (op == Op::BarArrive) r.arg1 = 64;
        while (!port_.canPresent(at.sm)) port_.step();
        port_.present(r);
        return tag_;
    }
    /// An mbarrier that takes 100 arrivals, in the first word.
    void object()
    {
        SyncRequest r{};
        r.op = Op::MbarInit;
        r.at = kOther;
        r.lanes = 1;
        r.tag = 4000;
        r.data[0] = 100;
        while (!port_.canPresent(r.at.sm)) port_.step();
        port_.present(r);
        for (int i = 0; i < 1000 && !answered(r.tag); ++i) port_.step();
    }
    Accesses announce(Reach reach, std::uint16_t count, const WarpRef& at = kWarp)
    {
        const Accesses a{at, reach, port_.epoch(at, reach), count};
        port_.announce(a);
        return a;
    }
    void performed(Accesses a, std::uint16_t count)
    {
        a.count = count;
        port_.performed(a);
    }
    [[nodiscard]] bool answered(std::uint16_t tag) const
    {
        for (const std::uint16_t t : answered_)
            if (t == tag) return true;
        return false;
    }
    void leave()
    {
        for (const WarpRef& at : {kWarp, kOther}) port_.exit({at, ~Lanes{0}, false});
        step(60);
    }
    /// Cycle of the answer; 0: none.
    [[nodiscard]] Cycle answeredAt(std::uint16_t tag) const
    {
        for (std::size_t i = 0; i < answered_.size(); ++i)
            if (answered_[i] == tag) return cycles_[i];
        return 0;
    }
    [[nodiscard]] bool freed() const noexcept { return freed_; }

    void onResponse(const SyncResponse& r) override
    {
        if (!r.last) return;
        answered_.push_back(r.tag);
        cycles_.push_back(r.cycle);
    }
    void onRelease(const Release&) override {}
    void onCommit(const Commit&) override {}
    void onDelivered(const Delivered&) override {}
    void onCtaFree(const CtaFree&) override { freed_ = true; }

private:
    SyncPort& port_;
    std::vector<std::uint16_t> answered_;
    std::vector<Cycle> cycles_;
    std::uint16_t tag_{};
    bool freed_{};
};

struct Row {
    Op op;
    Sem sem;
    Scope scope;
    bool own, wide;
};
/// rtl/doc/ordering.md, one row per line.
inline const Row kRows[] = {
    {Op::BarArrive, Sem::AcqRel, Scope::Cta, true, false},
    {Op::WarpSync, Sem::Relaxed, Scope::None, true, false},
    {Op::ClusterArrive, Sem::Release, Scope::Cluster, true, true},
    {Op::ClusterArrive, Sem::Relaxed, Scope::Cluster, false, false},
    {Op::MbarArrive, Sem::Release, Scope::Cta, true, false},
    {Op::MbarArrive, Sem::Release, Scope::Cluster, true, true},
    {Op::MbarArrive, Sem::Relaxed, Scope::Cluster, false, false},
    {Op::Fence, Sem::AcqRel, Scope::Cta, true, false},
    {Op::Fence, Sem::AcqRel, Scope::Gpu, true, true},
    {Op::Fence, Sem::Release, Scope::Sys, true, true},
    {Op::Fence, Sem::Acquire, Scope::Gpu, false, false},
    {Op::Membar, Sem::AcqRel, Scope::Cta, true, false},
    {Op::Membar, Sem::AcqRel, Scope::Sys, true, true},
    {Op::FenceMbarrierInit, Sem::Release, Scope::Cluster, false, false},
    {Op::FenceProxy, Sem::AcqRel, Scope::None, true, true},
    {Op::FenceProxy, Sem::Acquire, Scope::Gpu, false, false},
    {Op::TensormapCpFence, Sem::Release, Scope::Gpu, true, true},
};

inline std::string nameOfRow(const Row& row)
{
    return std::string(nameOf(row.op)) + " " + nameOf(row.sem) + " " + nameOf(row.scope);
}

}  // namespace gsu::test
