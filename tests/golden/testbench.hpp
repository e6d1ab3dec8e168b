/// A golden port with short words for the usual operations and a record of what it reported.
#pragma once
#include <algorithm>
#include <vector>

#include "catch.hpp"
#include "golden/golden_port.hpp"

namespace gsu::test {

inline constexpr Lanes kAll = ~Lanes{0};

class Testbench : private SyncSink {
public:
    explicit Testbench(unsigned sms = 1) : port(sms) { port.setSink(*this); }

    /// Starts a CTA alone in its cluster; its warp slots follow those of the CTAs before it on that SM.
    void launch(unsigned sm, unsigned cta, unsigned threads)
    {
        Launch l{};
        l.sm = std::uint8_t(sm);
        l.cta = std::uint8_t(cta);
        l.threads = std::uint16_t(threads);
        start(l);
    }
    /// Starts a cluster: one CTA in slot 0 of each of the first `ctas` SMs.
    void launchCluster(unsigned ctas, unsigned threads, unsigned cluster = 0)
    {
        for (unsigned r = 0; r < ctas; ++r)
            port.route(
                {std::uint8_t(cluster), std::uint8_t(r), std::uint8_t(r), 0, std::uint8_t(ctas)});
        for (unsigned r = 0; r < ctas; ++r) {
            Launch l{};
            l.sm = l.rank = std::uint8_t(r);
            l.cluster = std::uint8_t(cluster);
            l.ctas = std::uint8_t(ctas);
            l.threads = std::uint16_t(threads);
            start(l);
        }
    }
    void start(Launch l)
    {
        l.wbase = std::uint8_t(nextSlot_[l.sm]);
        nextSlot_[l.sm] += warpsOf(l.threads);
        REQUIRE(port.launch(l));
        step();
        settle();  // the gates of the cluster open
    }

    SyncRequest request(Op op, WarpRef at, Lanes lanes, std::uint32_t arg0 = 0,
                        std::uint32_t arg1 = 0)
    {
        SyncRequest r{};
        r.op = op;
        r.at = at;
        r.lanes = lanes;
        r.arg0 = arg0;
        r.arg1 = arg1;
        r.tag = std::uint16_t(tag_++ % 4096);
        return r;
    }
    /// Presents and steps; the tag.
    std::uint16_t run(const SyncRequest& r)
    {
        clear();
        REQUIRE(port.canPresent(r.at.sm));
        port.present(r);
        step();
        return r.tag;
    }
    std::uint16_t run(Op op, WarpRef at, Lanes lanes = kAll, std::uint32_t arg0 = 0,
                      std::uint32_t arg1 = 0)
    {
        return run(request(op, at, lanes, arg0, arg1));
    }
    std::uint16_t red(Op op, WarpRef at, Lanes pred, std::uint32_t id, std::uint32_t count = 0,
                      Lanes lanes = kAll)
    {
        SyncRequest r = request(op, at, lanes, id, count);
        r.pred = pred;
        return run(r);
    }
    std::uint16_t aligned(Op op, WarpRef at, Lanes lanes = kAll, std::uint32_t arg0 = 0,
                          std::uint32_t arg1 = 0)
    {
        SyncRequest r = request(op, at, lanes, arg0, arg1);
        r.aligned = true;
        return run(r);
    }
    void exit(WarpRef at, Lanes lanes = kAll)
    {
        clear();
        port.exit({at, lanes, false});
        step();
    }
    void step() { port.step(); }
    /// One more cycle, keeping what was recorded: the cluster network delivers.
    void settle() { step(); }
    void clear()
    {
        commits.clear();
        responses.clear();
        releases.clear();
        frees.clear();
    }

    /// The commits of one unit since the last action.
    [[nodiscard]] std::vector<Commit> of(Unit unit) const
    {
        std::vector<Commit> some;
        std::copy_if(commits.begin(), commits.end(), std::back_inserter(some),
                     [&](const Commit& c) { return c.unit == unit; });
        return some;
    }
    [[nodiscard]] Commit only(Unit unit) const
    {
        const auto some = of(unit);
        REQUIRE(some.size() == 1);
        return some.front();
    }
    [[nodiscard]] bool silent() const
    {
        return commits.empty() && responses.empty() && releases.empty();
    }

    GoldenPort port;
    std::vector<Commit> commits;
    std::vector<SyncResponse> responses;
    std::vector<Release> releases;
    std::vector<CtaFree> frees;

private:
    void onResponse(const SyncResponse& r) override { responses.push_back(r); }
    void onRelease(const Release& r) override { releases.push_back(r); }
    void onCommit(const Commit& c) override { commits.push_back(c); }
    void onDelivered(const Delivered&) override {}
    void onCtaFree(const CtaFree& f) override { frees.push_back(f); }

    std::array<unsigned, kMaxSms> nextSlot_{};
    unsigned tag_{};
};

[[nodiscard]] inline WarpRef warp(unsigned index, unsigned cta = 0, unsigned sm = 0)
{
    return {std::uint8_t(sm), std::uint8_t(cta), std::uint8_t(index)};
}

}  // namespace gsu::test
