/// From matched qualifiers to typed fields. Private to the table of synchronization instructions.
#pragma once
#include "ptx/sync_form.hpp"

namespace gsu::ptx::detail {

/// None or Generic for a word of another kind.
[[nodiscard]] Sem semOf(std::string_view word) noexcept;
[[nodiscard]] Scope scopeOf(std::string_view word) noexcept;
[[nodiscard]] Space spaceOf(std::string_view word) noexcept;

/// What a modifier is about.
enum class WordKind : std::uint8_t { Sem, Scope, Space, Type, Vector, Other };
[[nodiscard]] WordKind wordKindOf(std::string_view word) noexcept;

/// Everything but the operands.
[[nodiscard]] DecodedSync decodeQualifiers(const SyncForm& form, const QualifierMatch& match);
/// Which of `count` written operands is which of the form.
void placeOperands(DecodedSync& decoded, const QualifierMatch& match, std::size_t count) noexcept;

}  // namespace gsu::ptx::detail
