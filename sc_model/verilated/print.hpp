/// Verilator's run-time prints through this, not to stdout: a failed RTL assertion becomes a Fault with its text.
/// Force-included into every Verilated source (scripts/cmake/GsuVerilate.cmake).
#pragma once
#ifdef __cplusplus
#include <string>
extern "C++" int gsuVerilatedPrint(const char* format, ...);
/// Text printed since the last call, and forgets it.
std::string takeVerilatedPrint();
#define VL_PRINTF gsuVerilatedPrint
#endif
