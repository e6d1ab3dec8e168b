/// Finds the outcomes of a test: all of them within a bound of states, otherwise those of random runs.
#pragma once
#include <map>

#include "litmus/machine.hpp"

namespace gsu::litmus {

struct ExploreOptions {
    MemoryForm form{MemoryForm::Weak};
    std::uint64_t states{1'000'000};  ///< more, and the exploration is incomplete
    std::uint64_t bytes{512u << 20};  ///< that all states together take, likewise
    std::uint64_t runs{10'000};       ///< random runs where it is
    std::uint64_t seed{1};
};

/// What was seen with these values of Test::shown.
struct Seen {
    Outcome values;
    std::uint64_t count{};    ///< final states; of random runs
    bool named{};             ///< the condition (of forall: its contrary) names it
    std::vector<Step> steps;  ///< a way to it
};

enum class Verdict : std::uint8_t {
    Seen,       ///< exists: it can be
    NotSeen,    ///< exists: it cannot, in all states
    Holds,      ///< ~exists, forall: in all states
    Forbidden,  ///< ~exists, forall: a forbidden outcome was seen
    Incomplete  ///< the bound was reached, and what was looked for has not been seen
};
[[nodiscard]] const char* nameOf(Verdict verdict) noexcept;

/// Why an exploration is incomplete.
enum class Limit : std::uint8_t {
    None,
    States,
    Memory,
    Versions  ///< a location had more values that somebody may still read than a state keeps
};
/// As a reason: "more states than --states"; None: nothing.
[[nodiscard]] const char* nameOf(Limit limit) noexcept;

struct Exploration {
    bool complete{};         ///< all states were visited
    Limit limit{};           ///< why not
    std::uint64_t states{};  ///< different ones
    std::uint64_t runs{};    ///< random ones
    std::uint64_t
        hung{};  ///< states (or runs) from which nothing can happen though threads have not ended
    std::vector<Step> firstHang;  ///< steps that lead to the first one found
    std::vector<Seen> seen;       ///< ascending
    Verdict verdict{};
};

[[nodiscard]] Exploration explore(const Machine& machine, const ExploreOptions& options);
/// What was seen and how completely, judged by what the test asks.
[[nodiscard]] Verdict verdictOf(const Test& test, const Exploration& exploration);
/// What a run showed must be among what a complete exploration has seen: one line if it is not, else nothing.
[[nodiscard]] std::string contradiction(const Test& test, const Exploration& exploration,
                                        const Outcome& shown);
/// The steps as lines.
[[nodiscard]] std::vector<std::string> witness(const Machine& machine,
                                               const std::vector<Step>& steps);

}  // namespace gsu::litmus
