/// Finds the outcomes of a test: all of them within a bound of states, otherwise those of random runs.
#pragma once
#include <map>

#include "litmus/machine.hpp"

namespace gsu::litmus {

struct ExploreOptions {
    MemoryForm form{MemoryForm::Weak};
    std::uint64_t states{1'000'000};  ///< bound of states; beyond it the exploration is incomplete
    std::uint64_t bytes{512u << 20};  ///< bound of the bytes of all states, likewise
    std::uint64_t runs{10'000};       ///< random runs of an incomplete exploration
    std::uint64_t seed{1};
};

/// An outcome: values of Test::shown.
struct Seen {
    Outcome values;
    std::uint64_t count{};    ///< number of final states; of random runs
    bool named{};             ///< the condition (of forall: its contrary) holds for it
    std::vector<Step> steps;  ///< steps that lead to it
};

enum class Verdict : std::uint8_t {
    Seen,       ///< exists: possible
    NotSeen,    ///< exists: impossible, in all states
    Holds,      ///< ~exists, forall: in all states
    Forbidden,  ///< ~exists, forall: a forbidden outcome was seen
    Incomplete  ///< the bound was reached, and no deciding outcome has been seen
};
[[nodiscard]] const char* nameOf(Verdict verdict) noexcept;

/// Reason of an incomplete exploration.
enum class Limit : std::uint8_t {
    None,
    States,
    Memory,
    Versions  ///< a location had more values that a thread may still read than a state keeps
};
/// The reason as text: "more states than --states"; None: empty.
[[nodiscard]] const char* nameOf(Limit limit) noexcept;

struct Exploration {
    bool complete{};         ///< all states were visited
    Limit limit{};           ///< reason, if incomplete
    std::uint64_t states{};  ///< number of different states
    std::uint64_t runs{};    ///< number of random runs
    std::uint64_t
        hung{};  ///< states (or runs) in which nothing can happen though threads have not ended
    std::vector<Step> firstHang;  ///< steps that lead to the first one found
    std::vector<Seen> seen;       ///< ascending
    Verdict verdict{};
};

[[nodiscard]] Exploration explore(const Machine& machine, const ExploreOptions& options);
/// Judges the outcomes, and their completeness, by the question of the test.
[[nodiscard]] Verdict verdictOf(const Test& test, const Exploration& exploration);
/// Checks that a complete exploration has the outcome of a run: one line if it has not, else empty.
[[nodiscard]] std::string contradiction(const Test& test, const Exploration& exploration,
                                        const Outcome& shown);
/// The steps as lines of text.
[[nodiscard]] std::vector<std::string> witness(const Machine& machine,
                                               const std::vector<Step>& steps);

}  // namespace gsu::litmus
