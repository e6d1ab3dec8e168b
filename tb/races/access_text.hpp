/// Memory accesses as text of a trace, and back without loss (tb/trace/README.md, records `memory`).
#pragma once
#include <optional>
#include <string>
#include <unordered_set>
#include <vector>

#include "exec/result/accesses.hpp"
#include "golden/port_observer.hpp"
#include "trace/cursor.hpp"

namespace gsu::races {

/// Facts of the module that the detector needs.
struct ModuleLines {
    std::unordered_set<std::uint32_t> unscoped;  ///< mbarrier operations without .cta and .cluster
    /// Lines of `red`, if the target is below sm_70: its atomic operations on shared memory are not atomic against stores.
    std::optional<std::unordered_set<std::uint32_t>> reductions;
};

/// The lines as texts of bounded length.
[[nodiscard]] std::vector<std::string> textsOf(const ModuleLines& lines);
/// The operation as texts: its ranges come first, then the operation.
[[nodiscard]] std::vector<std::string> textsOf(const AsyncOp& op);
void append(std::string& out, const Access& access);
void append(std::string& out, const GroupStep& step);
[[nodiscard]] std::string completionText(std::uint64_t name);
[[nodiscard]] std::string placeText(const Launch& launch, std::uint32_t linear);

/// Reads memory records one by one, and reports the accesses. Refused records are an InputError.
class AccessReader {
public:
    /// A reader that reports to `to`. All arguments outlive it.
    AccessReader(AccessObserver& to, PortObserver& places) noexcept : to_(to), places_(places) {}
    virtual ~AccessReader() = default;
    AccessReader(const AccessReader&) = delete;
    AccessReader& operator=(const AccessReader&) = delete;
    void read(trace::Cursor in, Cycle cycle);

private:
    /// Takes the lines read so far.
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
    AsyncOp next_;  ///< next operation, with its ranges so far
};

}  // namespace gsu::races
