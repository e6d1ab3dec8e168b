/// The inputs of a unit since cycle 0, as bytes: what a checkpoint consists of. Executed again on a fresh unit of the same kind they lead
/// to the same state, because a unit is a function of its inputs and of what it reads from the driver's memory; both are kept.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "capi/convert.hpp"
#include "golden/types.hpp"

namespace gsu::capi {

/// gsu_unit_stored().
struct Stored {
    std::uint32_t sm{}, addr{}, bytes{};
};
/// gsu_unit_performed(); as itself it would look like an announcement.
struct Performed {
    Accesses accesses{};
};
/// So many cycles, one by one.
struct Steps {
    std::uint64_t count{};
};
/// gsu_unit_skip_to().
struct SkipTo {
    Cycle cycle{};
};
/// gsu_unit_line(), with the input that follows it.
struct AtLine {
    std::uint32_t line{};
};
using Input = std::variant<SyncRequest, AsyncUpdate, ClusterRoute, Launch, Exit, Stored, Accesses,
                           Performed, Steps, SkipTo, GridInput, CancelAnswer, AtLine>;

class Journal {
public:
    void add(const Input& input);
    void read(std::uint32_t sm, std::uint32_t addr, std::uint64_t value);
    void clear() { *this = {}; }

    /// The checkpoint of a unit described by `identity`, in cycle `now`.
    [[nodiscard]] std::string checkpoint(std::string_view identity, Cycle now) const;

private:
    void closeSteps();

    std::string inputs_, reads_;
    std::uint64_t steps_{};  ///< not yet in inputs_
};

/// A checkpoint being read. Its constructor and next() throw Refusal for one that is not of such a unit, or damaged.
class Checkpoint {
public:
    Checkpoint(std::span<const unsigned char> bytes, std::string_view identity);
    [[nodiscard]] Cycle cycle() const noexcept { return cycle_; }
    /// The next input; false at the end.
    [[nodiscard]] bool next(Input& input);
    /// The next word that was read, which should be this one; 0 if it is not. Throws nothing: models call it.
    [[nodiscard]] std::uint64_t read(std::uint32_t sm, std::uint32_t addr) noexcept;
    /// All words were read, and none but those.
    [[nodiscard]] bool agrees() const noexcept { return reads_.empty() && !strayed_; }

private:
    Cycle cycle_{};
    std::string_view inputs_, reads_;
    bool strayed_{};
};

}  // namespace gsu::capi
