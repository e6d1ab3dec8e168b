// Races by the axioms: two accesses that conflict race unless something orders them in causality order.
#include "catch.hpp"
#include "litmus/explore.hpp"
#include "litmus/races.hpp"

using namespace gsu;
using namespace gsu::litmus;

namespace {

/// The executions of a test in immediate memory that show what it asks for, and how many of them have a race.
struct Counted {
    unsigned executions{}, racing{};
};
Counted counted(const std::string& text)
{
    const Test test = parseTest(text, "t.litmus");
    const Machine machine(test, MemoryForm::Immediate);
    ExploreOptions options;
    options.form = MemoryForm::Immediate;
    Counted c;
    for (const Seen& seen : explore(machine, options).seen) {
        if (!seen.named) continue;
        ++c.executions;
        c.racing += racesOf(test, seen.steps).empty() ? 0 : 1;
    }
    return c;
}

/// P0 writes x and then the flag, P1 reads the flag and then x, with the word before or in each.
std::string messages(const std::string& write, const std::string& read,
                     const std::string& threads = " P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n")
{
    return "PTX MP\n{ x = 0; f = 0; }\n" + threads + " st.weak x, 1 | " + read + " ;\n " + write +
           " | ld.weak r1, x ;\nexists (P1:r0 == 1)\n";
}

bool races(const std::string& text)
{
    const Counted c = counted(text);
    REQUIRE(c.executions > 0);
    REQUIRE((c.racing == 0 || c.racing == c.executions));
    return c.racing != 0;
}

}  // namespace

TEST_CASE("a message orders the data if it is released and acquired", "[D-69][FENCE-004]")
{
    CHECK_FALSE(races(messages("st.release.gpu f, 1", "ld.acquire.gpu r0, f")));
    CHECK(races(messages("st.relaxed.gpu f, 1", "ld.acquire.gpu r0, f")));
    CHECK(races(messages("st.release.gpu f, 1", "ld.relaxed.gpu r0, f")));
    CHECK(races(messages("st.weak f, 1", "ld.weak r0, f")));
    CHECK_FALSE(races(messages("atom.release.gpu.exch r2, f, 1", "ld.acquire.gpu r0, f")));
    CHECK_FALSE(races(messages("atom.acq_rel.gpu.exch r2, f, 1", "ld.acquire.gpu r0, f")));
    CHECK(races(messages("atom.acquire.gpu.exch r2, f, 1", "ld.acquire.gpu r0, f")));
}

TEST_CASE("a message reaches as far as both scopes", "[D-69]")
{
    CHECK(races(messages("st.release.cta f, 1", "ld.acquire.gpu r0, f")));
    CHECK(races(messages("st.release.gpu f, 1", "ld.acquire.cta r0, f")));
    const std::string one = " P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n";
    CHECK_FALSE(races(messages("st.release.cta f, 1", "ld.acquire.cta r0, f", one)));
}

TEST_CASE("fences order what relaxed accesses carry", "[D-69][FENCE-005]")
{
    const auto fenced = [](const std::string& writer, const std::string& reader) {
        return "PTX F\n{ x = 0; f = 0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n st.weak x, 1 | "
               "ld.relaxed.gpu r0, f ;\n " +
               writer + " | " + reader +
               " ;\n st.relaxed.gpu f, 1 | ld.weak r1, x ;\nexists (P1:r0 == 1)\n";
    };
    CHECK_FALSE(races(fenced("fence.acq_rel.gpu", "fence.acq_rel.gpu")));
    CHECK_FALSE(races(fenced("fence.release.gpu", "fence.acquire.gpu")));
    CHECK(races(fenced("fence.acquire.gpu", "fence.acquire.gpu")));
    CHECK(races(fenced("fence.release.gpu", "fence.release.gpu")));
    CHECK(races(fenced("fence.acq_rel.cta", "fence.acq_rel.gpu")));
}

TEST_CASE("a barrier orders what its warps did before with what they do after", "[D-69][BAR-014]")
{
    const auto met = [](const std::string& first, const std::string& second) {
        return "PTX B\n{ x = 0; }\n P0@cta 0,gpu 0 | P1@cta 0,gpu 0 ;\n st.weak x, 1 | " + second +
               " ;\n " + first + " | ld.weak r1, x ;\nexists (P1:r1 == 1)\n";
    };
    CHECK_FALSE(races(met("bar.sync 1, 2", "bar.sync 1, 2")));
    CHECK_FALSE(races(met("bar.arrive 1, 2", "bar.sync 1, 2")));
    CHECK(races(met("bar.sync 1, 1", "bar.sync 2, 1")));
}

TEST_CASE("reads do not race, nor do accesses that are morally strong", "[D-69]")
{
    const auto both = [](const std::string& a, const std::string& b) {
        return "PTX R\n{ x = 0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n " + a + " | " + b +
               " ;\nexists (true)\n";
    };
    CHECK_FALSE(races(both("ld.weak r0, x", "ld.weak r0, x")));
    CHECK_FALSE(races(both("st.relaxed.gpu x, 1", "st.relaxed.gpu x, 2")));
    CHECK_FALSE(races(both("st.relaxed.gpu x, 1", "ld.relaxed.gpu r0, x")));
    CHECK(races(both("st.relaxed.gpu x, 1", "st.relaxed.cta x, 2")));
    CHECK(races(both("st.weak x, 1", "st.relaxed.gpu x, 2")));
    CHECK(races(both("st.weak x, 1", "ld.weak r0, x")));
}
