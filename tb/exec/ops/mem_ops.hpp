/// Loads, stores, atomics and matrix moves as micro-operations; private to tb/exec.
#pragma once
#include <array>
#include <optional>
#include <string_view>

#include "exec/alu/atomic.hpp"
#include "ptx/sync_form.hpp"

namespace gsu::exec {

/// Program::rows[list..) are the destinations or sources, `bytes` the element size, `lanesOf` the vector length.
void loadOp(Ctx& x, const MicroOp& o, Lanes lanes);
void storeOp(Ctx& x, const MicroOp& o, Lanes lanes);
/// Zeroes b bytes of shared memory.
void bulkZeroOp(Ctx& x, const MicroOp& o, Lanes lanes);

/// AtomOperands; results in d, or rows[target..) for vectors.
void atomOp(Ctx& x, const MicroOp& o, Lanes lanes);
/// multimem: rows[list..) the elements.
void multimemLoadOp(Ctx& x, const MicroOp& o, Lanes lanes);
void multimemStoreOp(Ctx& x, const MicroOp& o, Lanes lanes);
void multimemReduceOp(Ctx& x, const MicroOp& o, Lanes lanes);

/// ldmatrix/stmatrix m8n8 b16: rows[list..).
void ldmatrixOp(Ctx& x, const MicroOp& o, Lanes lanes);
void stmatrixOp(Ctx& x, const MicroOp& o, Lanes lanes);
void movmatrixOp(Ctx& x, const MicroOp& o, Lanes lanes);

/// d = a; d = local frame + offset.
void moveOp(Ctx& x, const MicroOp& o, Lanes lanes);
void frameAddressOp(Ctx& x, const MicroOp& o, Lanes lanes);
/// What the instruction does with the bytes at its address, in the generic proxy.
[[nodiscard]] Touch touchOf(const MicroOp& op) noexcept;

}  // namespace gsu::exec
