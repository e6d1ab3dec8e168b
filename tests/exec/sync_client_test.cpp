// The executor's end of the port, without a kernel: tags, queues, answers, releases.
#include "catch.hpp"
#include "exec/parts.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

std::vector<std::uint16_t> tagsOf(const exec::Warp& w)
{
    return {w.openTags.begin(), w.openTags.end()};
}

struct Client : Parts {
    Client() : Parts(shapeOf(64, 0))
    {
        launch();
        info.d = 1;
        info.pd = 1;
    }
    SyncRequest request(Op op, unsigned warpIndex, Lanes those, std::uint32_t id = 0)
    {
        SyncRequest r;
        r.op = op;
        r.at = exec::refOf(warp(warpIndex));
        r.lanes = those;
        r.arg0 = id;
        return r;
    }
    std::uint16_t submit(const SyncRequest& r)
    {
        exec::Warp& w = warp(r.at.warp);
        return client.submit(w, w.groups.front(), r, info, 7);
    }
    /// Gives the port all that is queued, as it may only answer what it has.
    void presentAll()
    {
        for (client.present(); client.queued(); client.present()) port.step();
    }
    exec::SyncInfo info;
};

}  // namespace

TEST_CASE("a response writes the lanes it names and frees the tag when none is left", "[exec]")
{
    Client c;
    exec::Warp& w = c.warp(0);
    const std::uint16_t tag = c.submit(c.request(Op::MbarArrive, 0, 0xf));
    REQUIRE(c.client.queued());
    c.client.present();
    REQUIRE(c.port.requests.size() == 1);
    REQUIRE(c.port.requests[0].tag == tag);
    REQUIRE_FALSE(c.client.queued());
    REQUIRE(tagsOf(w) == std::vector<std::uint16_t>{tag});

    SyncResponse r;
    r.tag = tag;
    r.at = exec::refOf(w);
    r.lanes = 0x3;
    r.pred = 0x2;
    r.value = std::uint64_t{5} << 43 | 77;
    r.stride = 1;
    c.client.onResponse(r);
    REQUIRE(c.answers.tags.empty());
    REQUIRE(c.client.open(w, tag).pending == 0xc);
    REQUIRE(w.regs[32] == (std::uint64_t{5} << 43 | 77));
    REQUIRE(w.regs[33] == (std::uint64_t{6} << 43 | 77));  // the pending field grows by lane
    REQUIRE(w.regs[34] == 0);
    REQUIRE(w.preds[1] == 0x2);
    r.lanes = 0xc;
    c.client.onResponse(r);
    REQUIRE(c.answers.tags == std::vector<std::uint16_t>{tag});
    REQUIRE(w.openTags.empty());
    c.client.onResponse(r);  // of a tag that is free: nobody's
    REQUIRE(c.answers.tags.size() == 1);
}

TEST_CASE("a join answers lanes of other requests of the warp", "[exec]")
{
    Client c;
    const std::uint16_t first = c.submit(c.request(Op::WarpSync, 0, 0x0f, 0xff));
    const std::uint16_t second = c.submit(c.request(Op::WarpSync, 0, 0xf0, 0xff));
    REQUIRE(first != second);
    c.presentAll();
    SyncResponse r;
    r.tag = second;
    r.at = exec::refOf(c.warp(0));
    r.lanes = 0xff;
    c.client.onResponse(r);
    REQUIRE(c.answers.tags == std::vector<std::uint16_t>{second, first});
    REQUIRE(c.warp(0).openTags.empty());
}

TEST_CASE("a release wakes the lanes that it names", "[exec][D-13]")
{
    Client c;
    const std::uint16_t first = c.submit(c.request(Op::BarSync, 0, 0x0000'ffff, 3));
    const std::uint16_t second = c.submit(c.request(Op::BarSync, 0, 0xffff'0000, 3));
    const std::uint16_t whole = c.submit(c.request(Op::BarSync, 1, ~0u, 3));
    c.presentAll();
    Release release;
    release.warps = 0x1;
    release.lanes = 0x0000'ffff;  // the rest of the warp is in the next generation
    release.id = 3;
    release.popc = 48;
    release.any = true;
    c.client.onRelease(release);
    REQUIRE(c.answers.tags == std::vector<std::uint16_t>{first});
    REQUIRE(c.warp(0).regs[32] == 48);
    REQUIRE(c.warp(0).regs[32 + 16] == 0);
    REQUIRE(c.warp(0).preds[1] == 0x0000'ffff);
    release.lanes = 0xff00'0000;
    c.client.onRelease(release);
    REQUIRE(c.answers.tags.size() == 1);
    REQUIRE(c.client.open(c.warp(0), second).pending == 0x00ff'0000);
    release.warps = 0x3;
    release.lanes = ~0u;
    c.client.onRelease(release);
    REQUIRE(c.answers.tags == std::vector<std::uint16_t>{first, second, whole});
}

TEST_CASE("a release of another barrier wakes nobody", "[exec]")
{
    Client c;
    const std::uint16_t other = c.submit(c.request(Op::BarSync, 1, ~0u, 4));
    c.presentAll();
    Release release;
    release.warps = 0x2;
    release.id = 3;
    c.client.onRelease(release);
    REQUIRE(c.answers.tags.empty());
    REQUIRE(tagsOf(c.warp(1)) == std::vector<std::uint16_t>{other});
}

TEST_CASE("lanes of a warp have joined when the last of them has come", "[exec][D-12]")
{
    Client c;
    exec::Warp& w = c.warp(0);
    const std::uint16_t some = c.submit(c.request(Op::BarSync, 0, 0x0000'ffff, 3));
    c.presentAll();
    REQUIRE_FALSE(c.client.joined(w, c.client.open(w, some)));
    const std::uint16_t arrive = c.submit(c.request(Op::BarArrive, 0, 0xffff'0000, 3));
    REQUIRE_FALSE(c.client.joined(w, c.client.open(w, some)));  // not presented
    c.presentAll();
    REQUIRE(c.client.joined(w, c.client.open(w, some)));
    SyncResponse r;
    r.tag = arrive;
    r.at = exec::refOf(w);
    r.lanes = 0xffff'0000;
    c.client.onResponse(r);  // they go on: what they did is done
    REQUIRE(c.client.joined(w, c.client.open(w, some)));
}

TEST_CASE("a try_wait that stays without an answer is suspended", "[exec][D-34]")
{
    Client c;
    exec::Warp& w = c.warp(0);
    const std::uint16_t tag = c.submit(c.request(Op::MbarTryWait, 0, 0x1));
    c.presentAll();
    const Cycle at = c.client.nextWatch();
    REQUIRE(at != kNever);
    c.to(at - 1);
    c.client.watchWaits();
    REQUIRE_FALSE(c.client.open(w, tag).suspended);
    c.to(at);
    c.client.watchWaits();
    REQUIRE(c.client.open(w, tag).suspended);
    REQUIRE(c.client.nextWatch() == kNever);
}

TEST_CASE("the word of a barrier is kept for reports", "[exec]")
{
    Client c;
    Commit commit;
    commit.unit = Unit::Named;
    commit.at = exec::refOf(c.warp(0));
    commit.lanes = ~0u;
    commit.object = 3;
    commit.newWord = 0x1234;
    c.client.onCommit(commit);
    REQUIRE(*c.residents.at(0, 0)->words.named(3) == 0x1234);
    REQUIRE(c.residents.at(0, 0)->words.named(4) == nullptr);
}

TEST_CASE("the oldest free tag is taken, a packet's never twice", "[exec]")
{
    Client c;
    const auto answer = [&](std::uint16_t tag) {
        SyncResponse r;
        r.tag = tag;
        r.at = exec::refOf(c.warp(0));
        r.lanes = ~0u;
        c.client.onResponse(r);
    };
    const std::uint16_t a = c.submit(c.request(Op::MbarArrive, 0, 1)),
                        b = c.submit(c.request(Op::MbarArrive, 0, 2));
    c.presentAll();
    answer(b);
    answer(a);
    REQUIRE(c.submit(c.request(Op::MbarArrive, 0, 4)) == b);
    c.info.bytes = 4;  // data: a packet under tag a is still under way
    c.answers.packet = a;
    const std::uint16_t data = c.submit(c.request(Op::StAsync, 0, 8));
    REQUIRE((data != a && data != b));
    c.info.bytes = 0;
    REQUIRE(c.submit(c.request(Op::MbarArrive, 0, 16)) == a);  // for others the tag is free
}

TEST_CASE("what the port was not given it cannot answer", "[exec]")
{
    Client c;
    const std::uint16_t tag = c.submit(c.request(Op::BarSync, 0, ~0u, 3));
    SyncResponse r;
    r.tag = tag;
    r.at = exec::refOf(c.warp(0));
    r.lanes = ~0u;
    Release release;
    release.warps = 1;
    release.id = 3;
    c.client.onResponse(r);
    c.client.onRelease(release);
    REQUIRE(c.answers.tags.empty());
    c.client.present();
    c.client.onRelease(release);
    REQUIRE(c.answers.tags == std::vector<std::uint16_t>{tag});
}

TEST_CASE("requests wait for the port, completions do not wait for requests", "[exec]")
{
    Client c;
    c.submit(c.request(Op::MbarArrive, 0, 1));
    c.submit(c.request(Op::MbarArrive, 1, 1));
    c.client.update({AsyncKind::CompleteTx, 0, 0, 0, 0, 16, 0});
    c.client.present();
    REQUIRE(c.port.requests.size() == 1);
    REQUIRE(c.port.updates.size() == 1);
    REQUIRE(c.client.queued());
    c.port.step();
    c.client.present();
    REQUIRE(c.port.requests.size() == 2);
    REQUIRE(c.port.requests[1].at.warp == 1);
    REQUIRE_FALSE(c.client.queued());
}

TEST_CASE("a unit that the port does not have is named by its line", "[exec]")
{
    Client c;
    Commit commit;
    commit.unit = Unit::Null;
    commit.tag = c.submit(c.request(Op::MbarArrive, 0, 1));
    commit.at = exec::refOf(c.warp(0));
    commit.errs = 1;
    commit.src = Src::Local;
    REQUIRE(c.client.noUnitLine() == 0);
    c.client.onCommit(commit);
    REQUIRE(c.client.noUnitLine() == 7);
    REQUIRE(c.state.result.findings.empty());
}
