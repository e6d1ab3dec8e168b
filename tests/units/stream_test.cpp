// Streams of random requests that once went wrong, on the unit as gsu fuzz --requests runs it.
#include "catch.hpp"
#include "golden/word_memory.hpp"
#include "traffic/stream.hpp"
#include "units/sync_unit.hpp"

using namespace gsu;
using namespace gsu::traffic;

TEST_CASE("streams that once went wrong: a warp of which a part waits at the cluster barrier while "
          "the rest exits; acknowledgements of a query and of an agent under one tag",
          "[D-01][D-54]")
{
    struct Found {
        std::uint64_t seed, number;
        Kind kind;
    };
    const auto f = GENERATE(Found{319429529, 41, Kind::Barriers}, Found{21, 37, Kind::Mbarriers});
    CAPTURE(f.seed, f.number);
    const Stream s = streamOf(f.seed, f.number, 20'000, {f.kind});
    WordMemory memory(s.sms);
    UnitOptions options;
    options.sms = s.sms;
    options.threads = 1;
    SyncUnit unit(options, s.config(), memory);
    CHECK(drive(unit.port(), s).wrong == "");
    const auto fault = unit.port().fault();
    CHECK((fault ? fault->message : "") == "");
}
