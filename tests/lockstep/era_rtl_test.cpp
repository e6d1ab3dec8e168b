// Slots that are launched again: what is late for the launch before touches nothing, and a cluster slot does not live twice at once. RTL beside the
// golden model.
#include <algorithm>
#include <string>
#include <vector>

#include "catch.hpp"
#include "golden/findings.hpp"
#include "golden/mbarrier.hpp"
#include "golden/params.hpp"
#include "golden/word_memory.hpp"
#include "lockstep/lockstep_port.hpp"
#include "verilated/rtl_port.hpp"

using namespace gsu;

namespace {

class Rig final : public SyncSink {
public:
    /// Without `follow` the RTL's own assertions alone judge: the follower takes a cluster slot to be free when all of its CTAs are.
    explicit Rig(bool follow = true)
        : memory_(2),
          rtl_(2, configOf(Preset::Hopper), true),
          lockstep_(rtl_),
          port(follow ? static_cast<SyncPort&>(lockstep_) : rtl_)
    {
        rtl_.setMemory(memory_);
        port.setSink(*this);
    }
    /// A CTA of one warp in a slot of both kinds with the same number.
    void launch(std::uint8_t sm, std::uint8_t slot, std::uint8_t era, std::uint8_t cluster = 0,
                std::uint8_t rank = 0, std::uint8_t ctas = 1)
    {
        const Launch l{.sm = sm,
                       .cta = slot,
                       .wbase = slot,
                       .cluster = cluster,
                       .rank = rank,
                       .ctas = ctas,
                       .threads = 32,
                       .base = slot * 1024u,
                       .size = 1024,
                       .era = era};
        for (int i = 0; !port.launch(l); ++i) {
            REQUIRE(i < 1000);
            port.step();
        }
    }
    void init(std::uint8_t sm, std::uint8_t slot, std::uint32_t address)
    {
        SyncRequest r;
        r.op = Op::MbarInit;
        r.at = {sm, slot, 0};
        r.lanes = 1;
        r.tag = ++tag_;
        r.addr[0] = address;
        r.data[0] = 1;
        while (!port.canPresent(sm)) port.step();
        port.present(r);
        step(100);
    }
    void complete(std::uint8_t slot, std::uint32_t bytes, std::uint8_t era)
    {
        port.notify({AsyncKind::CompleteTx, 0, slot, 0, 8, bytes, 7, era});
        step(100);
    }
    void leave(std::uint8_t sm, std::uint8_t slot) { port.exit({{sm, slot, 0}, ~Lanes{0}, false}); }
    void step(int cycles)
    {
        while (cycles-- > 0) port.step();
    }
    [[nodiscard]] bool isFree(std::uint8_t sm, std::uint8_t slot) const
    {
        return std::any_of(frees.begin(), frees.end(),
                           [&](const CtaFree& f) { return f.sm == sm && f.cta == slot; });
    }
    void untilFree(std::uint8_t sm, std::uint8_t slot)
    {
        for (int i = 0; !isFree(sm, slot); ++i) {
            REQUIRE(i < 3000);
            port.step();
        }
    }
    [[nodiscard]] std::string fault() const { return port.fault() ? port.fault()->message : ""; }

    void onResponse(const SyncResponse&) override {}
    void onRelease(const Release&) override {}
    void onCommit(const Commit& c) override { commits.push_back(c); }
    void onDelivered(const Delivered&) override {}
    void onCtaFree(const CtaFree& f) override { frees.push_back(f); }

    std::vector<Commit> commits;
    std::vector<CtaFree> frees;

private:
    WordMemory memory_;
    RtlPort rtl_;
    LockstepPort lockstep_;

public:
    SyncPort& port;

private:
    std::uint16_t tag_{};
};

}  // namespace

TEST_CASE("a completion for the launch before touches nothing and is reported", "[D-41][D-45]")
{
    Rig r;
    r.launch(0, 3, 1);
    r.step(50);
    r.init(0, 3, 8);
    r.leave(0, 3);
    r.untilFree(0, 3);
    r.launch(0, 3, 2);
    r.step(50);
    r.init(0, 3, 8);
    r.commits.clear();
    r.complete(3, 16, 1);
    REQUIRE(r.commits.size() == 1);
    CHECK(r.commits[0].refused);
    CHECK(r.commits[0].errs == kMbErrUndeliverable);
    CHECK(findingsOf(r.commits[0]).size() == 1);
    r.complete(3, 16, 2);
    REQUIRE(r.commits.size() == 2);
    CHECK_FALSE(r.commits[1].refused);
    CHECK(unpackMbar(r.commits[1].newWord).tx == -16);
    r.leave(0, 3);
    r.step(300);
    CHECK(r.frees.size() == 2);
    CHECK(r.fault() == "");
}

/// Cluster 6 has sixteen CTAs on SM 1, and SM 1 is busy with its end for as many clocks, while SM 0 has heard that cluster 5 is over.
TEST_CASE("a cluster slot is launched again while the end of its last life waits at one SM",
          "[D-41][D-47]")
{
    Cycle most = 0;
    for (int delay = 0; delay < 24; ++delay) {
        CAPTURE(delay);
        Rig r(false);
        for (std::uint8_t k = 0; k < 16; ++k) r.port.route({6, k, 1, std::uint8_t(8 + k), 16});
        for (std::uint8_t k = 0; k < 16; ++k) r.launch(1, std::uint8_t(8 + k), 1, 6, k, 16);
        for (std::uint8_t k = 0; k < 2; ++k) r.port.route({5, k, k, 0, 2});
        for (std::uint8_t k = 0; k < 2; ++k) r.launch(k, 0, 1, 5, k, 2);
        r.step(300);
        for (std::uint8_t k = 1; k < 16; ++k) r.leave(1, std::uint8_t(8 + k));
        r.step(200);
        r.leave(1, 8);
        r.step(delay);
        r.leave(0, 0);
        r.leave(1, 0);
        r.untilFree(0, 0);
        for (std::uint8_t k = 0; k < 2; ++k) r.port.route({5, k, k, 1, 2});
        r.commits.clear();
        const Cycle given = r.port.now();
        for (std::uint8_t k = 0; k < 2; ++k) r.launch(k, 1, 2, 5, k, 2);
        r.step(400);
        unsigned lives = 0;
        for (const Commit& c : r.commits) {
            if (c.op != Op::EvLaunch) continue;
            ++lives;
            if (c.at.sm == 1) most = std::max(most, c.cycle - given);
        }
        CHECK(lives == 2);
        CHECK(r.isFree(1, 0));
        CHECK_FALSE((r.isFree(0, 1) || r.isFree(1, 1)));
        r.leave(0, 1);
        r.leave(1, 1);
        r.step(600);
        CHECK((r.isFree(0, 1) && r.isFree(1, 1)));
        CHECK(r.fault() == "");
    }
    CHECK(most >= 12);  // it had to wait: the case has happened
}
