/// Lines on standard error, and names of places in the program for them.
#pragma once
#include <string>

namespace gsu::cuda {

/// A return address as "app+0x1234 (main)", for people and addr2line.
[[nodiscard]] std::string siteText(const void* returnAddress);
/// Writes "gsu: ..." to standard error, one line.
void say(const std::string& text);

/// "void tk<int>(int*)" and "tk" of a mangled name.
[[nodiscard]] std::string demangled(const std::string& name);
[[nodiscard]] std::string plainName(const std::string& demangled);

}  // namespace gsu::cuda
