/// Loads, stores, atomics and matrix moves as micro-operations; private to tb/exec.
#pragma once
#include <array>
#include <optional>
#include <string_view>

#include "exec/alu/alu.hpp"
#include "ptx/sync_form.hpp"

namespace gsu::exec {

/// Program::rows[list..) are the destinations or sources, `bytes` the element size, `lanesOf` the vector length.
/// Loads: aux[0] sign-extend, aux[1] bytes of the destination registers.
void loadOp(Ctx& x, const MicroOp& o, Lanes lanes);
void storeOp(Ctx& x, const MicroOp& o, Lanes lanes);
/// Zeroes b bytes of shared memory.
void bulkZeroOp(Ctx& x, const MicroOp& o, Lanes lanes);

enum class AtomOp : std::uint8_t { And, Or, Xor, Exch, Add, Inc, Dec, Min, Max, Cas };
/// The operation on memory that a word names; nullopt when it names none.
[[nodiscard]] std::optional<AtomOp> atomOf(ptx::SyncWord word) noexcept;
/// aux[0]: AtomOp, aux[1]: ptx::Type, aux[2]: 1 when the instruction is red; sources rows[list..), then compare's swap; d or
/// rows[target..) for vectors.
void atomOp(Ctx& x, const MicroOp& o, Lanes lanes);
/// One element: the new value of memory.
[[nodiscard]] std::uint64_t atomValue(AtomOp op, ptx::Type type, std::uint64_t old, std::uint64_t b,
                                      std::uint64_t c, bool flushes);

/// One lane's scalar atomic on shared memory, or one of 16 bytes: what was there, and what is to be written. operands: the sources in the order of
/// the instruction.
struct AtomStep {
    std::array<std::uint64_t, 2> old{}, next{};
};
[[nodiscard]] AtomStep atomStep(const MicroOp& o, const std::uint8_t* at,
                                const std::array<std::uint64_t, 4>& operands);

/// multimem: aux[0] AtomOp, aux[1] ptx::Type, rows[list..) the elements, aux[2] 1: halves are summed in f32.
void multimemLoadOp(Ctx& x, const MicroOp& o, Lanes lanes);
void multimemStoreOp(Ctx& x, const MicroOp& o, Lanes lanes);
void multimemReduceOp(Ctx& x, const MicroOp& o, Lanes lanes);

/// ldmatrix/stmatrix m8n8 b16: aux[0] count of matrices, aux[1] transposed; rows[list..).
void ldmatrixOp(Ctx& x, const MicroOp& o, Lanes lanes);
void stmatrixOp(Ctx& x, const MicroOp& o, Lanes lanes);
void movmatrixOp(Ctx& x, const MicroOp& o, Lanes lanes);

/// d = a (aux[0] bytes kept); d = local frame + offset; d = special register `extra`.
void moveOp(Ctx& x, const MicroOp& o, Lanes lanes);
void frameAddressOp(Ctx& x, const MicroOp& o, Lanes lanes);
void specialOp(Ctx& x, const MicroOp& o, Lanes lanes);
/// Index of a special register and its width in bytes, or -1.
[[nodiscard]] int specialIndex(std::string_view name) noexcept;
[[nodiscard]] bool specialIsTime(int index) noexcept;

}  // namespace gsu::exec
