// Asynchronous copies, remote stores and reductions, launch control: decoding.
#include "exec/decoder.hpp"

namespace gsu::exec {

void Decoder::cpOp() { unsupported(); }
void Decoder::asyncRemote() { unsupported(); }
void Decoder::launchControl() { unsupported(); }
void Decoder::gridDep() { unsupported(); }

}  // namespace gsu::exec
