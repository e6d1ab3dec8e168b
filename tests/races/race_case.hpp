/// A bad and a good kernel for a race: what must be found in the one, and nothing in the other. The lines of the race are marked in the PTX by //A and //B.
#pragma once
#include <algorithm>
#include <sstream>

#include "catch.hpp"
#include "watched_run.hpp"

namespace racetests {

using namespace gsu;

inline constexpr const char* kHead = R"(.version 8.6
.target sm_90a
.address_size 64
.visible .entry k(.param .u64 buf)
{
.reg .b32 %r<32>; .reg .b64 %rd<16>; .reg .pred %p<8>; .reg .f32 %f<8>;
.shared .align 128 .b8 sh[4096];
.shared .align 8 .b64 bar;
ld.param.u64 %rd1, [buf];
mov.u32 %r1, %tid.x; shl.b32 %r2, %r1, 2; mov.u32 %r3, sh; add.u32 %r4, %r3, %r2;
setp.eq.u32 %p1, %r1, 0; mov.u32 %r5, %ctaid.x; setp.eq.u32 %p2, %r5, 0; mov.u32 %r6, 7;
shr.u32 %r7, %r1, 5; setp.eq.u32 %p3, %r7, 0; mov.u32 %r8, bar;
)";

struct Case {
    const char* name;
    const char* rule;
    std::vector<std::string> missing;
    const char* scope;
    const char*
        body;  ///< GOOD lines are those of the good kernel alone, BAD lines those of the bad one
    unsigned threads{64}, ctas{1}, cluster{1};
};

inline std::string kernelOf(const Case& c, bool good)
{
    std::string text = kHead;
    std::istringstream in(c.body);
    for (std::string line; std::getline(in, line);) {
        const bool onlyGood = line.rfind("GOOD ", 0) == 0, onlyBad = line.rfind("BAD ", 0) == 0;
        if (onlyGood || onlyBad) {
            if (onlyGood == good) text += line.substr(onlyGood ? 5 : 4);
            text += '\n';
        } else {
            text += line + '\n';
        }
    }
    return text + "ret;\n}\n";
}

inline std::uint32_t lineOf(const std::string& text, const std::string& mark)
{
    const std::size_t at = text.find(mark);
    return at == std::string::npos
               ? 0
               : static_cast<std::uint32_t>(
                     1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at),
                                    '\n'));
}

inline RunResult runCase(const Case& c, const std::string& text, std::uint64_t seed)
{
    const ptx::Module module = ptx::parseModule(text, "k.ptx");
    REQUIRE(ptx::firstError(module) == nullptr);
    std::string launch = "{\"ptx\": \"k.ptx\", \"grid\": [" + std::to_string(c.ctas) +
                         "], \"block\": [" + std::to_string(c.threads) + "], ";
    if (c.cluster > 1) launch += "\"cluster\": [" + std::to_string(c.cluster) + "], \"sms\": 2, ";
    launch += "\"params\": [{\"buffer\": {\"type\": \"u32\", \"count\": 1024}}]}";
    const LaunchSpec spec = parseLaunch(launch, "k.launch.json");
    RunOptions options;
    options.seed = seed;
    options.maxCycles = 1'000'000;
    return watchedRun(spec, module, options);
}

inline void checkCase(const Case& c)
{
    INFO(c.name);
    for (const std::uint64_t seed : {1u, 2u, 3u}) {
        INFO("seed " << seed);
        const std::string bad = kernelOf(c, false), good = kernelOf(c, true);
        const std::vector<Finding> none = racesOf(runCase(c, good, seed));
        INFO("good:\n" << textOf(none));
        CHECK(none.empty());
        const std::vector<Finding> found = racesOf(runCase(c, bad, seed));
        INFO("bad:\n" << textOf(found));
        const std::uint32_t a = lineOf(bad, "//A"), b = lineOf(bad, "//B");
        REQUIRE(b != 0);
        const auto here = std::find_if(found.begin(), found.end(), [&](const Finding& f) {
            return f.rule == c.rule &&
                   std::find(f.race->lines.begin(), f.race->lines.end(), b) != f.race->lines.end();
        });
        REQUIRE(here != found.end());
        CHECK(here->race->missing == c.missing);
        CHECK(here->race->scope == c.scope);
        if (a == 0) continue;
        REQUIRE(here->race->lines.size() == 2);
        CHECK(std::min(here->race->lines[0], here->race->lines[1]) == std::min(a, b));
        CHECK(std::max(here->race->lines[0], here->race->lines[1]) == std::max(a, b));
    }
}

/// All that is found in the bad kernels, as a table that is kept beside this file.
inline void checkFindings(const std::string& table, const std::vector<Case>& cases)
{
    std::string text;
    for (const Case& c : cases)
        text += fmt::format("# {}\n{}", c.name,
                            factsOf(orderFindings(runCase(c, kernelOf(c, false), 1))));
    checkTable(table, text);
}

}  // namespace racetests
