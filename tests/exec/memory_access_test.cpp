// Where addresses lead, without a kernel: spaces, windows, ranks, what is missed and how that reads.
#include "catch.hpp"
#include "exec/parts.hpp"
#include "exec/visibility/form.hpp"

using namespace gsu;
using namespace gsu::test;
using exec::Place;
using ptx::Space;

namespace {

struct Spaces : Parts {
    explicit Spaces(visibility::Form form = visibility::Form::Default)
        : Parts(shapeOf(32, 256, 2, 2), form)
    {
        launch();
        ctx = state.context(warp(0), warp(0).groups.front());
    }
    Place at(Space space, std::uint64_t address, unsigned bytes = 4, unsigned lane = 0)
    {
        return memory.locate(ctx, space, address, bytes, lane);
    }
    exec::Ctx ctx;
};

}  // namespace

TEST_CASE("shared addresses name a rank and an offset", "[GEN-002][exec]")
{
    Spaces s;
    const exec::Cta &mine = *s.residents.at(0, 0), &peer = *s.residents.at(0, 1);
    REQUIRE(s.at(Space::SharedCta, 16).bytes == s.memory.shared(mine, 16));
    REQUIRE(s.at(Space::SharedCta, exec::kSharedWindow | 16).bytes == s.memory.shared(mine, 16));
    REQUIRE(s.at(Space::Generic, exec::kSharedWindow | 16).owner == &mine);
    const Place other = s.at(Space::SharedCluster, 2u << 24 | 8);
    REQUIRE(other.owner == &peer);
    REQUIRE(other.bytes == s.memory.shared(peer, 8));
    REQUIRE(s.at(Space::SharedCta, 2u << 24 | 8).why ==
            std::string("a shared::cta access names another CTA of the cluster"));
    REQUIRE(s.at(Space::SharedCluster, 3u << 24).why ==
            std::string("the rank is outside the cluster"));
    REQUIRE(s.at(Space::SharedCta, 252).bytes != nullptr);
    REQUIRE(s.at(Space::SharedCta, 253).bytes == nullptr);
    s.residents.at(0, 1)->liveWarps = 0;
    REQUIRE(s.at(Space::SharedCluster, 2u << 24 | 8).why ==
            std::string("the CTA that owns the shared memory has exited"));
}

TEST_CASE("local memory is a thread's own, banks end where they end", "[GEN-002][exec]")
{
    Spaces s;
    const Place a = s.at(Space::Local, 60, 4, 0), b = s.at(Space::Local, 60, 4, 1);
    REQUIRE(b.bytes - a.bytes == 64);
    REQUIRE(s.at(Space::Local, 61).bytes == nullptr);
    REQUIRE(s.at(Space::Generic, exec::kLocalWindow | 60).bytes == a.bytes);
    REQUIRE(s.at(Space::Param, 12).bytes == s.params.data() + 12);
    REQUIRE(s.at(Space::Param, 13).bytes == nullptr);
    REQUIRE(s.at(Space::Const, 0).bytes == nullptr);
}

TEST_CASE("a write that changes nothing is no change; a store is told to the port", "[exec]")
{
    Spaces s;
    const std::uint64_t address = s.memory.global().allocate(64, "b");
    const Place p = s.at(Space::Global, address + 60);
    REQUIRE(p.bytes != nullptr);
    const std::uint32_t value = 5, zero = 0;
    const std::uint64_t before = s.state.progress.changes();
    s.memory.write(p, &zero, 4);
    REQUIRE(s.state.progress.changes() == before);
    s.memory.write(p, &value, 4);
    REQUIRE(s.state.progress.changes() == before + 1);
    const exec::Cta& peer = *s.residents.at(0, 1);
    s.memory.stored(peer, 8, 16, {});
    REQUIRE(s.port.stores.back() == std::pair{peer.launch.base + 8, 16u});
    REQUIRE(s.state.port.given());
}

TEST_CASE("missed global memory: in words, and as zeros that nothing can write", "[exec]")
{
    Spaces s;
    const std::uint64_t address = s.memory.global().allocate(64, "numbers");
    const Place missed = s.at(Space::Global, address + 64);
    REQUIRE(missed.bytes == nullptr);
    const std::string text = s.memory.text("load", address + 64, 4, missed);
    CAPTURE(text);
    REQUIRE(text.find("load of 4 bytes at 0x") == 0);
    REQUIRE(text.find("outside every allocation") != std::string::npos);
    REQUIRE(text.find("numbers") != std::string::npos);
    const Place zeros = s.memory.standIn(s.ctx, 3, text);
    const std::uint32_t value = 5;
    s.memory.write(zeros, &value, 4);
    REQUIRE(*zeros.bytes == 0);
    REQUIRE(s.state.result.findings.size() == 1);
    REQUIRE(s.state.result.findings[0].rule == "GEN-002");
    REQUIRE(s.state.result.findings[0].lanes == 8);
}

TEST_CASE("which stores take time, by the form of memory and whose memory it is", "[exec]")
{
    using visibility::Form;
    for (const Form form : {Form::Immediate, Form::Default, Form::Weak}) {
        INFO(nameOf(form));
        Spaces s(form);
        const exec::Cta& mine = *s.residents.at(0, 0);
        const exec::LateMemory& late = s.memory.late();
        const std::uint64_t address = s.memory.global().allocate(64, "b");
        CHECK(late.delays(mine, s.at(Space::SharedCta, 16)) == (form == Form::Weak));
        CHECK(late.delays(mine, s.at(Space::SharedCluster, 2u << 24)) == (form != Form::Immediate));
        CHECK(late.delays(mine, s.at(Space::Global, address)) == (form == Form::Weak));
        CHECK_FALSE(late.delays(mine, s.at(Space::Local, 16)));
    }
}
