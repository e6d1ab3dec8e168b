// Many requests that wait at once: for an access, for acknowledgements, for the end of a cluster; and data of packets, which are delivered once.
#include <algorithm>

#include "golden/word_memory.hpp"
#include "testbench.hpp"

using namespace testbench;

namespace {

class Sms {
public:
    explicit Sms(unsigned sms, const Config& config) : memory_(sms), port(sms, config, true)
    {
        port.setMemory(memory_);
        port.setSink(seen);
    }
    void run(unsigned clocks)
    {
        for (unsigned i = 0; i < clocks; ++i) port.step();
        const auto fault = port.fault();
        INFO((fault ? fault->message : std::string{}));
        REQUIRE_FALSE(fault.has_value());
    }
    /// A CTA alone, or that of a cluster of one CTA on each SM.
    void launch(std::uint8_t sm, std::uint8_t cta, std::uint8_t wbase, std::uint16_t threads,
                std::uint8_t ctas = 1)
    {
        if (ctas > 1) port.route({3, sm, sm, cta, ctas});
        const Launch l{.sm = sm,
                       .cta = cta,
                       .wbase = wbase,
                       .cluster = 3,
                       .rank = std::uint8_t(ctas > 1 ? sm : 0),
                       .ctas = ctas,
                       .threads = threads,
                       .size = 1024};
        while (!port.launch(l)) run(1);
        run(1);
    }
    SyncRequest request(Op op, std::uint8_t sm, std::uint8_t cta, unsigned warp, Lanes lanes)
    {
        SyncRequest r;
        r.op = op;
        r.at = {sm, cta, std::uint8_t(warp)};
        r.lanes = lanes;
        r.tag = tag_++;
        return r;
    }
    void give(const SyncRequest& r)
    {
        for (unsigned i = 0; !port.canPresent(r.at.sm); ++i) {
            REQUIRE(i < 20000);
            run(1);
        }
        port.present(r);
        run(1);
    }
    /// An operation of one lane on the mbarrier at 64 of the CTA of rank `rank`.
    void object(Op op, std::uint8_t sm, unsigned rank, std::uint64_t data)
    {
        SyncRequest r = request(op, sm, 0, 0, 1);
        r.remote = sm != rank;
        r.addr.fill(clusterAddress(rank, 64));
        r.data.fill(data);
        give(r);
        run(600);
    }
    Recorder seen;
    WordMemory memory_;
    RtlPort port;

private:
    std::uint16_t tag_{};
};

}  // namespace

TEST_CASE("64 warps whose fences an access held up are answered in their order, one a clock",
          "[FENCE-004][FENCE-006][D-54][D-70]")
{
    Sms s(1, configOf(Preset::Ideal));
    constexpr std::uint8_t kCta[] = {1, 6};
    Accesses held[2];
    for (unsigned i = 0; i < 2; ++i) {
        s.launch(0, kCta[i], std::uint8_t(32 * i), 1024);
        const WarpRef at{0, kCta[i], 31};
        held[i] = {at, Reach::Everyone, s.port.epoch(at, Reach::Everyone), 1};
        s.port.announce(held[i]);
        s.run(20);
    }
    // The last warp is not the warp of the accesses, which may resume a clock later than the others.
    std::array<std::uint8_t, 32> came{};
    for (unsigned k = 0; k < 32; ++k) came[k] = std::uint8_t(k < 30 ? k : 61 - k);
    for (const std::uint8_t cta : kCta) {
        // Closes the epoch, so that all fences belong to the next one and may resume in one clock.
        SyncRequest arrive = s.request(Op::ClusterArrive, 0, cta, 31, kAll);
        arrive.sem = Sem::Release;
        arrive.scope = Scope::Cluster;
        s.give(arrive);
        s.run(20);
        for (const unsigned warp : came) {
            SyncRequest r = s.request(Op::Fence, 0, cta, warp, kAll);
            r.sem = Sem::AcqRel;
            r.scope = Scope::Cluster;
            s.give(r);
        }
    }
    s.run(200);
    CHECK(s.seen.responses.empty());
    for (const unsigned i : {1u, 0u}) {  // the CTA that came later first
        s.seen.responses.clear();
        s.port.performed(held[i]);
        s.run(200);
        std::vector<SyncResponse> fences = s.seen.responses;
        std::erase_if(fences, [](const SyncResponse& r) { return r.tag == 0 || r.tag == 33; });
        REQUIRE(fences.size() == 32);
        for (unsigned k = 0; k < 32; ++k) {
            CHECK(fences[k].at.cta == kCta[i]);
            CHECK(fences[k].at.warp == came[k]);
        }
        CHECK(fences[31].cycle <= fences[0].cycle + 32);  // the arrival is answered among them
    }
}

TEST_CASE("a warp's own accesses hold up its own requests, wherever its CTA's warp slots begin",
          "[FENCE-006][D-54][D-69]")
{
    Sms s(1, configOf(Preset::Ideal));
    s.launch(0, 4, 10, 256);
    const WarpRef at{0, 4, 3};
    const Accesses held{at, Reach::Cta, s.port.epoch(at, Reach::Cta), 1};
    s.port.announce(held);
    s.run(20);
    for (const unsigned warp : {3u, 4u}) {
        SyncRequest r = s.request(Op::Fence, 0, 4, warp, kAll);
        r.sem = Sem::AcqRel;
        r.scope = Scope::Cta;
        s.give(r);
    }
    s.run(200);
    REQUIRE(s.seen.responses.size() == 1);
    CHECK(s.seen.responses[0].at.warp == 4);
    s.port.performed(held);
    s.run(200);
    REQUIRE(s.seen.responses.size() == 2);
    CHECK(s.seen.responses[1].at.warp == 3);
}

TEST_CASE("32 warps wait for their atoms at once: each is answered once, after both ways",
          "[ATOM-029][D-38][D-45]")
{
    Config config = configOf(Preset::Hopper);
    config.dsm_hop = 4000;  // longer than it takes to send them all
    Sms s(2, config);
    for (const std::uint8_t sm : {std::uint8_t(0), std::uint8_t(1)}) s.launch(sm, 0, 0, 1024, 2);
    s.run(2000);
    const Cycle start = s.port.now();
    const auto lanes = [](unsigned warp) {
        return warp < 20 ? Lanes{3} : Lanes{0b1011};
    };  // one packet, or two
    for (unsigned warp = 0; warp < 32; ++warp) {
        SyncRequest r = s.request(Op::Atom, 0, 0, warp, lanes(warp));
        r.remote = true;
        r.wantValue = true;
        r.addr.fill(clusterAddress(1, 128));
        r.data.fill(1);
        s.give(r);
    }
    s.run(20000);
    REQUIRE(s.seen.responses.size() == 32);
    std::array<unsigned, 32> answers{};
    for (const SyncResponse& r : s.seen.responses) {
        ++answers[r.at.warp];
        CHECK(r.last);
        CHECK(r.lanes == lanes(r.at.warp));
        CHECK(r.cause == Cause::Done);
        CHECK(r.cycle > start + 2 * 4000);
    }
    CHECK(std::count(answers.begin(), answers.end(), 1u) == 32);
    for (std::uint8_t sm = 0; sm < 2; ++sm)
        for (unsigned warp = 0; warp < 32; ++warp)
            s.port.exit({{sm, 0, std::uint8_t(warp)}, kAll, false});
    s.run(20000);
    CHECK(s.seen.frees.size() == 2);
}

TEST_CASE("data that are there are not told again when their complete_tx is refused",
          "[RASYNC-012][D-45]")
{
    Sms s(2, configOf(Preset::Hopper));
    for (const std::uint8_t sm : {std::uint8_t(0), std::uint8_t(1)}) s.launch(sm, 0, 0, 32, 2);
    s.run(1000);
    s.object(Op::MbarInit, 0, 0, 5);
    s.object(Op::MbarCompleteTx, 0, 0, 0xf'ffff);
    s.object(Op::StAsync, 1, 0, 8);  // one more than the tx-count holds
    REQUIRE(s.seen.delivered.size() == 1);
    CHECK_FALSE(s.seen.delivered[0].refused);
    CHECK(std::count_if(s.seen.commits.begin(), s.seen.commits.end(),
                        [](const Commit& c) { return c.refused; }) == 1);
    s.object(Op::MbarInval, 0, 0, 0);
    s.seen.delivered.clear();
    SyncRequest r = s.request(Op::StAsync, 1, 0, 0, 1);
    r.remote = true;
    r.addr.fill(clusterAddress(0, 4096));  // outside its window
    r.data.fill(8);
    s.give(r);
    s.run(600);
    REQUIRE(s.seen.delivered.size() == 1);
    CHECK(s.seen.delivered[0].refused);
}

TEST_CASE("a launch of a cluster's next life waits until the news of the end of this one is here",
          "[CLU-024][D-41][D-48]")
{
    Config config = configOf(Preset::Hopper);
    config.cbar_down_lat = 500;
    Sms s(1, config);
    const auto start = [&](std::uint8_t first) {
        for (std::uint8_t rank = 0; rank < 2; ++rank) {
            s.port.route({5, rank, 0, std::uint8_t(first + rank), 2});
            s.run(1);
        }
        for (std::uint8_t rank = 0; rank < 2; ++rank) {
            const std::uint8_t cta = std::uint8_t(first + rank);
            const Launch l{.cta = cta,
                           .wbase = cta,
                           .cluster = 5,
                           .rank = rank,
                           .ctas = 2,
                           .threads = 32,
                           .size = 64};
            while (!s.port.launch(l)) s.run(1);
        }
    };
    const auto count = [&](Unit unit, Op op) {
        return std::count_if(s.seen.commits.begin(), s.seen.commits.end(),
                             [&](const Commit& c) { return c.unit == unit && c.op == op; });
    };
    start(0);
    s.run(2000);
    for (std::uint8_t cta = 0; cta < 2; ++cta) s.port.exit({{0, cta, 0}, kAll, false});
    while (count(Unit::Network, Op::EvCtaFree) == 0) s.run(1);
    const Cycle over = s.seen.commits.back().cycle;
    start(2);
    s.run(20000);
    CHECK(s.seen.frees.size() == 2);
    CHECK(count(Unit::Cta, Op::EvLaunch) == 4);
    for (const Commit& c : s.seen.commits)
        if (c.op == Op::EvLaunch && c.at.cta >= 2) CHECK(c.cycle > over + 500);
    for (std::uint8_t cta = 2; cta < 4; ++cta) s.port.exit({{0, cta, 0}, kAll, false});
    s.run(3000);
    CHECK(s.seen.frees.size() == 4);
}
