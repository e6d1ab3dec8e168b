/// Loads, stores, atomics and matrix moves as micro-operations; private to tb/exec.
#pragma once
#include <array>
#include <optional>
#include <string_view>

#include "exec/alu/atomic.hpp"
#include "ptx/sync_form.hpp"

namespace gsu::exec {

/// ld and st. Program::rows[list..) are the registers, `bytes` is the size of an element, `lanesOf` the length of the vector.
void loadOp(Ctx& x, const MicroOp& o, Lanes lanes);
void storeOp(Ctx& x, const MicroOp& o, Lanes lanes);
/// st.bulk: fills b bytes of shared memory with zeros.
void bulkZeroOp(Ctx& x, const MicroOp& o, Lanes lanes);

/// atom and red (AtomOperands). The result goes to d, that of a vector to rows[target..).
void atomOp(Ctx& x, const MicroOp& o, Lanes lanes);
/// multimem.ld_reduce, .st and .red. rows[list..) are the elements.
void multimemLoadOp(Ctx& x, const MicroOp& o, Lanes lanes);
void multimemStoreOp(Ctx& x, const MicroOp& o, Lanes lanes);
void multimemReduceOp(Ctx& x, const MicroOp& o, Lanes lanes);

/// ldmatrix, stmatrix and movmatrix of m8n8 matrices of b16. rows[list..) are the registers.
void ldmatrixOp(Ctx& x, const MicroOp& o, Lanes lanes);
void stmatrixOp(Ctx& x, const MicroOp& o, Lanes lanes);
void movmatrixOp(Ctx& x, const MicroOp& o, Lanes lanes);

/// mov: d = a. Below, the address of a local variable: d = frame + offset.
void moveOp(Ctx& x, const MicroOp& o, Lanes lanes);
void frameAddressOp(Ctx& x, const MicroOp& o, Lanes lanes);
/// The effect of an instruction on the bytes at its address, in the generic proxy.
[[nodiscard]] Touch touchOf(const MicroOp& op) noexcept;

}  // namespace gsu::exec
