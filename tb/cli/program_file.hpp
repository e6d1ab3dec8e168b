/// Properties of a program's file before it is started: whether it exists, and how it is linked with the CUDA runtime.
#pragma once
#include <filesystem>
#include <optional>
#include <string>

namespace gsu::cli {

/// Finds a program as a shell does: a name without a slash along PATH. Throws InputError if nothing can be executed under this name.
[[nodiscard]] std::filesystem::path findProgram(const std::string& name);
/// The reason why `gsu exec` cannot run it: it has device code and the CUDA runtime inside. Empty: it can, as far as its file shows; also
/// for scripts and files of another kind.
[[nodiscard]] std::string staticRuntime(const std::filesystem::path& program);

}  // namespace gsu::cli
