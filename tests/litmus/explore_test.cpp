// The search over all states: its bounds, what it keeps, and what it must not take for complete.
#include <algorithm>
#include <random>
#include <set>

#include "catch.hpp"
#include "litmus/explore.hpp"
#include "litmus/state_digest.hpp"

using namespace gsu;
using namespace gsu::litmus;

namespace {

Exploration explored(const Test& test, MemoryForm form, const ExploreOptions& options = {})
{
    return explore(Machine(test, form), options);
}

/// P0 stores 1..count to x, then flag; P1 acquires flag and reads x through its surface, which may be as old as it likes.
std::string manyVersions(unsigned count)
{
    std::string text = "PTX V\n{ x = 0; s @ surface aliases x; f = 0; }\n P0@cta 0 | P1@cta 1 ;\n";
    text += " | ld.acquire.gpu r0, f ;\n | suld.weak r1, s ;\n";
    for (unsigned i = 1; i <= count; ++i) text += " st.weak x, " + std::to_string(i) + " | ;\n";
    return text + " st.release.gpu f, 1 | ;\nexists (P1:r0 == 1 /\\ P1:r1 == 0)\n";
}

/// Counts for ever: an unlimited chain of states.
const char* const kCounts = "PTX C\n{ x = 0; }\n P0@cta 0 | P1@cta 0 ;\n L: | ld.weak r1, x ;\n"
                            " add r0, r0, 1 | ;\n st.weak x, r0 | ;\n goto L | ;\n"
                            "exists (P1:r1 == -1)\n";

}  // namespace

TEST_CASE("versions that a state does not keep leave the exploration incomplete", "[D-69]")
{
    const Test few = parseTest(manyVersions(40), "v");
    const Exploration all = explored(few, MemoryForm::Default);
    CHECK(all.complete);
    CHECK(all.verdict == Verdict::Seen);

    const Test many = parseTest(manyVersions(80), "v");
    const Exploration some = explored(many, MemoryForm::Default);
    CHECK_FALSE(some.complete);
    CHECK(some.limit == Limit::Versions);
    CHECK(some.runs > 0);
    CHECK(some.verdict != Verdict::NotSeen);
    // Where only the newest is read nothing is lost.
    const Exploration newest = explored(many, MemoryForm::Immediate);
    CHECK(newest.complete);
    CHECK(newest.verdict == Verdict::NotSeen);
}

TEST_CASE("a long way is searched completely, and bounded by states and by memory", "[D-69]")
{
    const Test test = parseTest(kCounts, "c");
    ExploreOptions options;
    options.runs = 1;
    options.states = 20'000;
    const Exploration byStates = explored(test, MemoryForm::Immediate, options);
    CHECK(byStates.limit == Limit::States);
    CHECK(byStates.states == options.states + 1);
    options.bytes = 1 << 20;
    const Exploration byMemory = explored(test, MemoryForm::Immediate, options);
    CHECK(byMemory.limit == Limit::Memory);
    CHECK(byMemory.states > 1000);
    CHECK(byMemory.states < 20'000);
    CHECK(byMemory.verdict == Verdict::Incomplete);

    // 300 stores, each of which the other thread may read or not: the way back goes over many states that were not kept.
    std::string text = "PTX L\n{ x = 0; }\n P0@cta 0 | P1@cta 0 ;\n | ld.weak r1, x ;\n";
    for (unsigned i = 1; i < 250; ++i) text += " st.weak x, " + std::to_string(i) + " | ;\n";
    const Test line = parseTest(text + "exists (P1:r1 == 249)\n", "l");
    const Exploration whole = explored(line, MemoryForm::Immediate);
    CHECK(whole.complete);
    CHECK(whole.seen.size() == 250);
    CHECK(whole.verdict == Verdict::Seen);
    const Machine machine(line, MemoryForm::Immediate);
    for (const Seen& s : whole.seen) {
        State state = machine.initial();
        for (const Step& step : s.steps) machine.take(state, step);
        CHECK(machine.outcome(state) == s.values);
    }
}

TEST_CASE("the barrier of a cluster waits for its own threads alone", "[D-69][CLU-005]")
{
    // P0, of another cluster, goes on only when P1 has passed the barrier.
    const Test test = parseTest(
        "PTX C\n{ f = 0; }\n P0@cta 0,cluster 0,gpu 0 | P1@cta 1,cluster 1,gpu 0 | "
        "P2@cta 2,cluster 1,gpu 0 ;\n L: | barrier.cluster.arrive | barrier.cluster.arrive ;\n"
        " ld.acquire.gpu r0, f | barrier.cluster.wait | barrier.cluster.wait ;\n"
        " beq r0, 0, L | st.release.gpu f, 1 | ;\nforall (P0:r0 == 1)\n",
        "c");
    const Exploration e = explored(test, MemoryForm::Immediate);
    CHECK(e.complete);
    CHECK(e.hung == 0);
    CHECK(e.seen.size() == 1);  // it ends
    CHECK(e.verdict == Verdict::Holds);
}

TEST_CASE("what a run shows and a complete exploration has not is named", "[D-69]")
{
    const Test test =
        parseTest("PTX O\n{ x = 0; }\n P0@cta 0 ;\n st.weak x, 1 ;\nexists (x == 1)\n", "o.litmus");
    Exploration e = explored(test, MemoryForm::Weak);
    CHECK(contradiction(test, e, {1}).empty());
    CHECK(contradiction(test, e, {2}) ==
          "o.litmus: the unit shows x=2, which is none of the 1 outcomes of all " +
              std::to_string(e.states) + " states");
    e.complete = false;
    CHECK(contradiction(test, e, {2}).empty());
}

TEST_CASE("digests are those of the polynomial, and differ for texts that differ in one bit",
          "[D-69]")
{
    const StateDigest digest(1), other(2);
    std::set<std::pair<std::uint64_t, std::uint64_t>> seen;
    const auto put = [&](const std::string& text) {
        const Digest d = digest.of(text);
        CHECK(d == digest.of(text));
        CHECK(d >> 127 == 0);
        return seen.emplace(static_cast<std::uint64_t>(d >> 64), static_cast<std::uint64_t>(d))
            .second;
    };
    std::string text(40, '\0');
    CHECK(put(text));
    for (std::size_t bit = 0; bit < 8 * text.size(); ++bit) {
        std::string changed = text;
        changed[bit / 8] = static_cast<char>(1 << bit % 8);
        CHECK(put(changed));
    }
    for (std::size_t size = 0; size < 40; ++size) CHECK(put(text.substr(0, size)));
    CHECK(digest.of(text) != other.of(text));

    // Against the definition: with p = digest(""+one word w) = (0*..): d(w, n=8) = ((8*x + w) * x), so the point x is found from w = 0 and 1.
    const auto word = [&](std::uint64_t w) {
        return digest.of({reinterpret_cast<const char*>(&w), sizeof w});
    };
    constexpr Digest kPrime = (Digest{1} << 127) - 1;
    const Digest x = (word(1) + kPrime - word(0)) % kPrime;
    const auto times = [](Digest a, Digest b) {  // bit by bit
        Digest sum = 0;
        for (; b != 0; b >>= 1, a = a * 2 % kPrime)
            if ((b & 1) != 0) sum = (sum + a) % kPrime;
        return sum;
    };
    std::mt19937_64 random(7);
    for (unsigned n = 0; n < 200; ++n) {
        const std::uint64_t words[2]{random(), random()};
        const Digest expected =
            times((times((times(16, x) + words[0]) % kPrime, x) + words[1]) % kPrime, x);
        CHECK(digest.of({reinterpret_cast<const char*>(words), sizeof words}) == expected);
    }
}
