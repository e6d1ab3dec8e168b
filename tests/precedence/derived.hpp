/// \file
/// The answer of the requirements alone for an mbarrier operation with several errors: which refusal is reported, and what is applied.
/// Derived without sight of the RTL, the golden model or their tests; the tables beside it hold the reason of every decision. Where the
/// requirements leave an order open, every condition that may come first is named. Rules: D-03, D-25..D-31, D-36, D-38, D-39, D-66, D-72, A-12.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <vector>

namespace gsu::derived {

inline constexpr std::int64_t kMax =
    (1 << 20) - 1;  ///< largest count, and largest tx-count of either sign (MBAR-002)

/// An operation as the requirements name it; an arrival or drop may be noComplete.
enum class Kind : std::uint8_t {
    Init,
    Inval,
    Expect,
    Complete,
    Arrive,
    ArriveExpect,
    Drop,
    DropExpect,
    TestState,
    TestParity,
    TryState,
    TryParity,
    CpaDefault,  ///< of cp.async.mbarrier.arrive: the increment
    CpaNoinc,    ///< its arrival, also that of the default form
    RedAsync     ///< red.async and st.async: complete-tx of their bytes
};
/// "Init", ...
[[nodiscard]] const char* nameOf(Kind kind) noexcept;
inline constexpr unsigned kKinds = 15;  ///< of them

/// An object's values (MBAR-001). Retired: expected 0, and the phase in which it became 0 has ended.
struct Object {
    std::uint64_t phase{};    ///< completions since init (MBAR-012)
    std::int64_t pending{};   ///< arrivals of this phase, 0..kMax
    std::int64_t expected{};  ///< of the next, 0..kMax
    std::int64_t tx{};        ///< -kMax..kMax
    bool locked{};            ///< LOCK_ON_ERROR has struck (D-36)
    [[nodiscard]] bool retired() const noexcept { return pending == 0 && tx == 0 && expected == 0; }
    bool operator==(const Object&) const = default;  ///< the same values
};

/// Whom the address names.
enum class Target : std::uint8_t {
    Own,     ///< the executing CTA
    Peer,    ///< another CTA of its cluster
    Exited,  ///< another CTA of its cluster, which has exited
    Nobody   ///< a rank that the cluster does not have
};

/// One lane's operation.
struct Attempt {
    Kind kind{};              ///< operation
    bool noComplete{};        ///< of Arrive and Drop
    bool wantsState{};        ///< a destination other than _
    Target target{};          ///< whom the address names
    bool misaligned{};        ///< not a multiple of 8
    bool beyond{};            ///< not in the allocation of the CTA it names
    std::int64_t operand{1};  ///< count, bytes or parity: an unsigned 32-bit value
    bool stateOfThisPhase{};  ///< of TestState and TryState: the state is of the current phase
    bool lockOnError{};       ///< parameter LOCK_ON_ERROR
};

/// The allowed values of LOCK_ON_ERROR's bit after a refusal.
enum class Lock : std::uint8_t { As, Set, Open };

/// The answer of the requirements.
struct Verdict {
    std::set<std::string> holds;  ///< conditions that forbid it; empty: applied
    std::set<std::string> first;  ///< those of them that may be the one reported
    std::set<std::string>
        notes;        ///< rules reported although it is applied (D-29, A-12), at least one of them
    Object after;     ///< values after it; as before where refused
    bool flips{};     ///< it completes the phase
    Lock lock{};      ///< of a refusal
    bool waitTrue{};  ///< of waits; false where refused (D-03)
};

/// The tables: conditions with their rules, and which of two comes first.
class Order {
public:
    /// Reads conditions.tsv and order.tsv of `folder`; throws std::runtime_error that names file and line.
    explicit Order(const std::string& folder);
    /// Rules that a report of `condition` may name; empty: the condition cannot hold for `kind`.
    [[nodiscard]] const std::set<std::string>& rules(const std::string& condition, Kind kind) const;
    /// The members of `holds` that no other member precedes. Throws std::runtime_error for a pair without a row.
    [[nodiscard]] std::set<std::string> first(const std::set<std::string>& holds, Kind kind) const;
    /// Rows of order.tsv that leave the order open.
    [[nodiscard]] unsigned open() const noexcept { return open_; }
    /// Rows that were asked about so far, of all rows: shows what a comparison exercised.
    [[nodiscard]] std::string asked() const;

private:
    struct Row {
        std::string a, b;
        std::set<std::string> kinds;
        bool open{};
        mutable bool asked{};
    };
    [[nodiscard]] const Row& row(const std::string& a, const std::string& b, Kind kind) const;
    std::map<std::string, std::map<std::string, std::set<std::string>>> rules_;
    std::vector<Row> rows_;
    unsigned open_{};
};

/// `attempt` on an object with the values `object`.
[[nodiscard]] Verdict derive(const Order& order, const Attempt& attempt, const Object& object);

}  // namespace gsu::derived
