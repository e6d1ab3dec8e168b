/// Verilator's run-time prints through this, not to stdout: a failed RTL assertion becomes a Fault with its text.
/// Force-included into every Verilated source (scripts/cmake/GsuVerilate.cmake).
#pragma once
#ifdef __cplusplus
#include <string>
extern "C++" int gsuVerilatedPrint(const char* format, ...);
/// While it lives, what this thread prints goes to `text`: that of the port whose models it evaluates.
class VerilatedPrintScope {
public:
    explicit VerilatedPrintScope(std::string& text) noexcept;
    ~VerilatedPrintScope();
    VerilatedPrintScope(const VerilatedPrintScope&) = delete;
    VerilatedPrintScope& operator=(const VerilatedPrintScope&) = delete;

private:
    std::string* before_;
};
/// Text that this thread printed outside of any scope since the last call, and forgets it.
std::string takeVerilatedPrint();
#define VL_PRINTF gsuVerilatedPrint
#endif
