/// The atomic operations as functions of values: from the old value and the operands to the new value.
#pragma once
#include <array>
#include <cstdint>
#include <optional>

#include "exec/program/micro_op.hpp"
#include "ptx/sync_form.hpp"

namespace gsu::exec {

enum class AtomOp : std::uint8_t { And, Or, Xor, Exch, Add, Inc, Dec, Min, Max, Cas };
/// The operation on memory that a word names; nullopt if it names none.
[[nodiscard]] std::optional<AtomOp> atomOf(ptx::SyncWord word) noexcept;
/// The new value of one element of memory.
[[nodiscard]] std::uint64_t atomValue(AtomOp op, ptx::Type type, std::uint64_t old, std::uint64_t b,
                                      std::uint64_t c, bool flushes);

/// One lane's scalar atomic on shared memory, or one of 16 bytes: the old and the new contents. operands: the sources in the order of the
/// instruction.
struct AtomStep {
    std::array<std::uint64_t, 2> old{}, next{};
};
[[nodiscard]] AtomStep atomStep(const MicroOp& o, const std::uint8_t* at,
                                const std::array<std::uint64_t, 4>& operands);

}  // namespace gsu::exec
