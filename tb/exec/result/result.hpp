/// The result of a run: verdict, counters, findings, mismatches, the explanation of a hang (format: `gsu run --json`).
#pragma once
#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <utility>
#include <vector>

#include "causes/mbar_history.hpp"
#include "golden/findings.hpp"
#include "golden/wait_text.hpp"

namespace gsu {

struct TimingReport;

/// Details of a race (rules race-...): two conflicting accesses without order, or an access to memory that may not be there.
struct RaceFacts {
    struct Agent {
        std::uint32_t cta{}, warp{};
        Lanes lanes{};
    };
    std::vector<std::uint32_t> lines;  ///< PTX lines, the earlier access of the run first
    std::vector<Agent> agents;  ///< for each line the warp that executed it, or began the operation
    std::string space;          ///< shared, shared::cluster, global, tensor
    std::uint64_t address{};    ///< offset in the window of Finding::cta, or global
    std::uint32_t size{};
    std::vector<std::string> missing;  ///< links that would have ordered them
    std::string scope;                 ///< scope that these links would need
    std::string memory;      ///< name of the variable, parameter or memory, if there is one
    std::uint64_t offset{};  ///< offset in that memory
};

/// One finding. `cta` is the linear index in the grid, `warp` the index in the CTA.
struct Finding {
    std::string rule;
    Severity severity{Severity::Error};
    std::string message;
    std::uint32_t cta{}, warp{};
    Lanes lanes{};
    std::uint32_t line{};
    Cycle cycle{};
    std::uint32_t count{1};                   ///< occurrences with the same rule and line
    std::shared_ptr<const RaceFacts> race{};  ///< of a race
};

struct Mismatch {
    std::optional<std::size_t> param;
    std::string global;
    std::size_t index{};
    std::string expected, actual;  ///< numbers as text
};

/// Global memory after a run: "param2", "memory.NAME" or "global.NAME".
struct MemoryContents {
    std::string name;
    std::vector<std::uint8_t> bytes;
};

/// The cause of a hang, in the vocabulary of causes/causes.def.
struct HangCause {
    std::string kind;
    std::uint32_t line{};  ///< line of the instruction that should have been different
    std::vector<std::pair<std::uint32_t, std::uint32_t>> culprits;  ///< CTA and warp
    WaitKind on{};                                                  ///< kind of the root wait
    std::uint32_t cta{};                                            ///< CTA of its object
    std::uint32_t sm{};                                             ///< SM of that CTA
    std::uint32_t id{};                                             ///< Named
    std::uint64_t address{};  ///< Mbarrier: offset in the window; Spin: offset, or global address
    bool shared{};            ///< Spin: a word of shared memory
    bool word{true};          ///< Spin: which word is known
    std::string sentence;
    Cycle cycle{};                    ///< first cycle at which the hang could no longer be avoided
    std::vector<std::size_t> told{};  ///< indices of HangReport::waiting that the sentence covers
    std::vector<HangCause> others{};
};

struct HangReport {
    using Kind = WaitKind;
    struct Waiting {
        std::uint32_t cta{}, warp{};
        Lanes lanes{};
        std::uint32_t line{};
        Kind kind{};
        std::uint32_t id{};               ///< Named
        std::uint32_t address{};          ///< Mbarrier: byte offset in the waiting CTA's window
        std::uint64_t word{};             ///< Mbarrier: its 64-bit word at the hang
        std::optional<unsigned> asked{};  ///< Mbarrier: parity of the awaited phase
        Cycle since{};                    ///< when it began to wait; 0: not known
        std::string state{};              ///< state of the awaited object, in words; may be empty
        bool endless{};                   ///< Spin: a loop that waits for nothing
    };
    /// An awaited mbarrier: its last phases, the running one last.
    struct Object {
        std::uint32_t cta{}, address{};
        std::string name;  ///< variable and place
        std::vector<MbarPhase> phases;
    };
    struct Missing {
        std::uint32_t cta{}, warp{};
        std::string why;
    };
    std::vector<Waiting> waiting;
    std::vector<Missing> missing;
    std::string explanation;  ///< the cause, then the other waits
    std::optional<HangCause> cause;
    /// A debt: waits of `from` need an arrival from a waiter of `to`. Indices of `waiting`.
    struct Debt {
        std::size_t from{}, to{};
        std::uint32_t line{};  ///< line of that arrival
    };
    std::vector<Debt> debts;
    std::vector<Object> objects;
    Cycle lastChange{};  ///< last cycle in which memory or a barrier changed
};

enum class Verdict : std::uint8_t {
    Pass,
    Mismatch,
    Hang,
    Misuse,
    Trap,
    Limit,
    Divergence,
    Interrupted,
    Partial  ///< a part of the chip was simulated: nothing is judged
};
[[nodiscard]] const char* nameOf(Verdict verdict) noexcept;

/// Reason of a trap.
enum class TrapKind : std::uint8_t {
    Instruction,   ///< trap, brkpt, or an instruction whose operands break a rule of its own
    Access,        ///< memory that is not there, or not for this access
    Misaligned,    ///< an address that is not a multiple of the size
    AddressSpace,  ///< memory of a space that the instruction does not take
    Target,        ///< a jump or call to an address without code
    Stack,         ///< the thread's stack is too small
    Assertion      ///< assert()
};

struct RunResult {
    Verdict verdict{Verdict::Pass};
    bool asExpected{};
    std::string unmet;  ///< what the launch file expects and did not come: "verdict hang"
    Cycle cycles{};
    std::uint64_t instructions{};  ///< warp instructions
    std::uint64_t threadInstructions{};
    std::uint64_t syncRequests{};
    Cycle lastChange{};                 ///< last change of memory or a barrier, by the unit's clock
    std::vector<Finding> findings;      ///< every error; of warnings the first thousand
    std::uint64_t warningsNotListed{};  ///< occurrences of warnings that are not listed
    std::vector<std::uint64_t> ignored;  ///< findings that each of RunOptions::ignore took, if any
    std::vector<Mismatch> mismatches;
    std::optional<HangReport> hang;
    std::optional<Fault> fault;
    std::string output;  ///< output of vprintf
    std::string trap;    ///< place and reason, if the verdict is trap
    TrapKind trapKind{};
    std::string limit;    ///< the limit that ended it, if one did
    std::string stopped;  ///< the launch that ended this one, if the verdict is interrupted
    std::shared_ptr<const TimingReport> timing;  ///< none: exec.timing=simple
};

}  // namespace gsu
