/// From matched qualifiers to typed fields. Private to the table of synchronization instructions.
#pragma once
#include "ptx/sync_form.hpp"

namespace gsu::ptx::detail {

/// The semantics that a word names; None (or Generic) for another word.
[[nodiscard]] Sem semOf(std::string_view word) noexcept;
[[nodiscard]] Scope scopeOf(std::string_view word) noexcept;
[[nodiscard]] Space spaceOf(std::string_view word) noexcept;

/// Kind of a modifier.
enum class WordKind : std::uint8_t { Sem, Scope, Space, Type, Vector, Other };
[[nodiscard]] WordKind wordKindOf(std::string_view word) noexcept;

/// Decodes everything except the operands.
[[nodiscard]] DecodedSync decodeQualifiers(const SyncForm& form, const QualifierMatch& match);
/// Assigns the `count` written operands to those of the form.
void placeOperands(DecodedSync& decoded, const QualifierMatch& match, std::size_t count) noexcept;

}  // namespace gsu::ptx::detail
