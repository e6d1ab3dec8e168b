/// A scenario: a kernel of a few lines, run on the RTL in lockstep with the golden model, with all that must be observable of it.
/// Words of mbarriers are taken from the commits of the unit and, where the cache writes through, compared with the bytes of memory.
#pragma once
#include <cstdint>
#include <map>
#include <optional>
#include <ostream>
#include <string>
#include <utility>
#include <vector>

#include "exec/result/result.hpp"
#include "golden/mbarrier.hpp"

namespace scenario {

/// The fields of an mbarrier's word.
struct State {
    std::uint32_t pending{}, expected{};
    std::int32_t tx{};
    unsigned phase{};
    bool operator==(const State&) const = default;
};
std::ostream& operator<<(std::ostream& out, const State& state);

/// An object: rank of its CTA, byte offset in the CTA's shared memory.
using Object = std::pair<std::uint32_t, std::uint32_t>;

struct History {
    std::vector<State> states;            ///< after each update, waits left out; inval ends a life
    std::vector<std::string> ops;         ///< the update of the same index
    unsigned flips{};                     ///< completed phases
    std::optional<std::uint64_t> memory;  ///< bytes of the word when its CTA ended
};

struct Expected {
    std::vector<std::uint32_t> out{};     ///< first words of the buffer `out`; zeros behind them
    std::vector<std::string> findings{};  ///< rule ids of errors and warnings, each once, sorted
    gsu::Verdict verdict{gsu::Verdict::Pass};
    std::map<Object, std::vector<State>> steps{};         ///< exact histories
    std::map<Object, std::pair<State, unsigned>> last{};  ///< last state and completed phases
    std::vector<Object> waitedOn{};                       ///< hang: objects that lanes wait on
    std::string trap{};  ///< words of the message that ends the launch
    std::string hang{};  ///< words of the explanation of a hang
};

struct Scenario {
    std::string body;  ///< PTX; registers and addresses as in `prologue`
    Expected expected;
    unsigned threads{32}, ctas{1}, clusters{1};
    std::string target{"sm_90a"}, version{"8.6"};
    unsigned outWords{128};  ///< size of `out`
};

struct Observed {
    gsu::RunResult result;
    std::vector<std::uint32_t> out{};
    std::map<Object, History> words;
};

struct Conditions {
    std::uint32_t policy{};  ///< mbar_policy: 0 write-through, 1 write-back
    std::uint64_t seed{1};
};

/// The whole module of a scenario. Registers: %r0 tid, %r1 shared address of smem (1024 bytes), %r2 rank in the cluster,
/// %rd0 out, %rd1 src (256 words, word i holds i + 1000), %rd2 address of out[rank * threads + tid],
/// %rd3 generic address of smem; %p0 tid 0, %p1 rank 0.
std::string ptxOf(const Scenario& scenario);
Observed run(const Scenario& scenario, Conditions conditions);
/// The items of `expected` that were not observed, one sentence each.
std::vector<std::string> differences(const Expected& expected, const Observed& observed,
                                     Conditions conditions);
/// Runs under both cache policies and three seeds and requires no difference; then falsifies each part of the expectation
/// in turn and requires that this is seen.
void check(const Scenario& scenario);

}  // namespace scenario
