/// Matrix instructions of one warp as micro-operations: their operands from decode_mma.cpp, and their execution. Private to tb/exec.
#pragma once
#include "exec/program/micro_op.hpp"

namespace gsu::exec {

void mmaOp(Ctx& x, const MicroOp& o, Lanes lanes);
void wmmaLoadOp(Ctx& x, const MicroOp& o, Lanes lanes);
void wmmaStoreOp(Ctx& x, const MicroOp& o, Lanes lanes);
/// Forms of ldmatrix with elements of 8 bits and less.
enum class MatrixForm : std::uint8_t { M16n16, M16n16B6, M16n16B4, M8n16B6, M8n16B4 };
void ldmatrixBytesOp(Ctx& x, const MicroOp& o, Lanes lanes);
/// stmatrix of 8 bits.
void stmatrixBytesOp(Ctx& x, const MicroOp& o, Lanes lanes);

}  // namespace gsu::exec
