/// What the file of a program tells before it is started: whether it is there, and how it is linked with the CUDA runtime.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace gsu::cli {

/// As a shell finds it: a name without a slash along PATH. Throws InputError when nothing can be executed under this name.
[[nodiscard]] std::filesystem::path findProgram(const std::string& name);
/// Why `gsu exec` cannot run it: it has device code and the CUDA runtime inside. Empty: it can, as far as its file tells; also for scripts and files
/// of another kind.
[[nodiscard]] std::string staticRuntime(const std::filesystem::path& program);

}  // namespace gsu::cli
