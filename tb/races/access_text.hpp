/// Memory accesses as text of a trace, and back without loss (tb/trace/README.md, records `memory`).
#pragma once
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "exec/result/accesses.hpp"
#include "trace/cursor.hpp"

namespace gsu::races {

/// What the detector takes from the module.
struct ModuleLines {
    std::unordered_set<std::uint32_t> unscoped;  ///< mbarrier operations without .cta and .cluster
    /// `red`, where the target is below sm_70: its atomic operations on shared memory are not atomic against stores.
    std::optional<std::unordered_set<std::uint32_t>> reductions;
};

/// A line of bounded length each.
[[nodiscard]] std::vector<std::string> textsOf(const ModuleLines& lines);
/// What it reads and writes comes first, then the operation.
[[nodiscard]] std::vector<std::string> textsOf(const AsyncOp& op);
void append(std::string& out, const Access& access);
void append(std::string& out, const GroupStep& step);
[[nodiscard]] std::string completionText(std::uint64_t name);
[[nodiscard]] std::string placeText(const Launch& launch, std::uint32_t linear);

/// Tells of what the records say, one after the other. Of what they refuse it is an InputError.
class AccessReader {
public:
    /// All outlive it.
    AccessReader(AccessObserver& to, PortObserver& places) noexcept : to_(to), places_(places) {}
    virtual ~AccessReader() = default;
    AccessReader(const AccessReader&) = delete;
    AccessReader& operator=(const AccessReader&) = delete;
    void read(trace::Cursor in, Cycle cycle);

private:
    /// The lines so far.
    virtual void onLines(const ModuleLines& lines) = 0;
    void lines(trace::Cursor& in, std::unordered_set<std::uint32_t>& to);
    void access(trace::Cursor& in, Cycle cycle);
    void part(trace::Cursor& in);
    void begins(trace::Cursor& in, Cycle cycle);
    void group(trace::Cursor& in);
    void place(trace::Cursor& in);

    AccessObserver& to_;
    PortObserver& places_;
    ModuleLines lines_;
    AsyncOp next_;  ///< its ranges so far
};

}  // namespace gsu::races
