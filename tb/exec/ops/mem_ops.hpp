/// Loads, stores, atomics and matrix moves as micro-operations; private to tb/exec.
#pragma once
#include <array>
#include <optional>
#include <string_view>

#include "exec/alu/atomic.hpp"
#include "ptx/sync_form.hpp"

namespace gsu::exec {

/// Program::rows[list..) are the destinations or sources, `bytes` the element size, `lanesOf` the vector length.
/// Loads: aux[0] sign-extend, aux[1] bytes of the destination registers.
void loadOp(Ctx& x, const MicroOp& o, Lanes lanes);
void storeOp(Ctx& x, const MicroOp& o, Lanes lanes);
/// Zeroes b bytes of shared memory.
void bulkZeroOp(Ctx& x, const MicroOp& o, Lanes lanes);

/// aux[0]: AtomOp, aux[1]: ptx::Type, aux[2]: 1 when the instruction is red; sources rows[list..), then compare's swap; d or
/// rows[target..) for vectors.
void atomOp(Ctx& x, const MicroOp& o, Lanes lanes);
/// multimem: aux[0] AtomOp, aux[1] ptx::Type, rows[list..) the elements, aux[2] 1: halves are summed in f32.
void multimemLoadOp(Ctx& x, const MicroOp& o, Lanes lanes);
void multimemStoreOp(Ctx& x, const MicroOp& o, Lanes lanes);
void multimemReduceOp(Ctx& x, const MicroOp& o, Lanes lanes);

/// ldmatrix/stmatrix m8n8 b16: aux[0] count of matrices, aux[1] transposed; rows[list..).
void ldmatrixOp(Ctx& x, const MicroOp& o, Lanes lanes);
void stmatrixOp(Ctx& x, const MicroOp& o, Lanes lanes);
void movmatrixOp(Ctx& x, const MicroOp& o, Lanes lanes);

/// d = a (aux[0] bytes kept); d = local frame + offset.
void moveOp(Ctx& x, const MicroOp& o, Lanes lanes);
void frameAddressOp(Ctx& x, const MicroOp& o, Lanes lanes);
/// What the instruction does with the bytes at its address, in the generic proxy.
[[nodiscard]] Touch touchOf(const MicroOp& op) noexcept;

}  // namespace gsu::exec
