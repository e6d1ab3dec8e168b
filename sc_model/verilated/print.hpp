/// Verilator's run-time library prints through this file, not to stdout: a failed RTL assertion becomes a Fault with its text.
/// Force-included into every Verilated source (scripts/cmake/GsuVerilate.cmake).
#pragma once
#ifdef __cplusplus
#include <string>
extern "C++" int gsuVerilatedPrint(const char* format, ...);
/// While an object of this class lives, the output of this thread goes to `text`: that of the port whose models the thread evaluates.
class VerilatedPrintScope {
public:
    explicit VerilatedPrintScope(std::string& text) noexcept;
    ~VerilatedPrintScope();
    VerilatedPrintScope(const VerilatedPrintScope&) = delete;
    VerilatedPrintScope& operator=(const VerilatedPrintScope&) = delete;

private:
    std::string* before_;
};
/// Returns and clears the text that this thread printed outside of any scope since the last call.
std::string takeVerilatedPrint();
#define VL_PRINTF gsuVerilatedPrint
#endif
