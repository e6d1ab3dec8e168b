/// The kinds of causes, as causes.def has them.
#pragma once
#include <cstdint>
#include <span>

namespace gsu {

enum class CauseKind : std::uint8_t {
#define CAUSE(kind, word, group, when) kind,
#include "causes/causes.def"
#undef CAUSE
};

/// Group of rules that finds a kind.
enum class CauseGroup : std::uint8_t {
    Circle,
    Lock,
    Grid,
    Object,
    Bytes,
    Phase,
    Arrivals,
    Flag,
    None
};

struct CauseRow {
    CauseKind kind;
    const char* word;
    CauseGroup group;
    const char* when;
};
/// All kinds, in the order of precedence.
[[nodiscard]] std::span<const CauseRow> causeRows() noexcept;
[[nodiscard]] const char* nameOf(CauseKind kind) noexcept;

}  // namespace gsu
