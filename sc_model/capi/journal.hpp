/// The inputs of a unit since cycle 0, as bytes: the content of a checkpoint. Executed again on a fresh unit of the same kind they lead to
/// the same state, because a unit is a function of its inputs and of the words that it reads from the driver's memory; the journal keeps
/// both.
#pragma once
#include <span>
#include <string>
#include <string_view>
#include <variant>
#include <vector>

#include "capi/convert.hpp"
#include "golden/types.hpp"

namespace gsu::capi {

/// A call of gsu_unit_stored().
struct Stored {
    std::uint32_t sm{}, addr{}, bytes{};
};
/// A call of gsu_unit_performed(). An Accesses alone stands for an announcement.
struct Performed {
    Accesses accesses{};
};
/// A number of steps, one by one.
struct Steps {
    std::uint64_t count{};
};
/// A call of gsu_unit_skip_to().
struct SkipTo {
    Cycle cycle{};
};
/// A call of gsu_unit_line(), with the input that follows it.
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
    std::uint64_t steps_{};  ///< steps that are not in inputs_ yet
};

/// A checkpoint being read. The constructor and next() throw Refusal for a checkpoint that is damaged or not of such a unit.
class Checkpoint {
public:
    Checkpoint(std::span<const unsigned char> bytes, std::string_view identity);
    [[nodiscard]] Cycle cycle() const noexcept { return cycle_; }
    /// The next input; false at the end.
    [[nodiscard]] bool next(Input& input);
    /// The next recorded word, if it was read at this place; else 0. Throws nothing: models call it.
    [[nodiscard]] std::uint64_t read(std::uint32_t sm, std::uint32_t addr) noexcept;
    /// True if the recorded words were read, all of them and no others.
    [[nodiscard]] bool agrees() const noexcept { return reads_.empty() && !strayed_; }

private:
    Cycle cycle_{};
    std::string_view inputs_, reads_;
    bool strayed_{};
};

}  // namespace gsu::capi
