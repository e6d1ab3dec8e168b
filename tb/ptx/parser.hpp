/// Reads PTX modules as nvcc, clang, Triton and numba write them. Anything that cannot be read becomes a diagnostic with
/// line and column in Module::diagnostics (at most 20 errors); no input makes the parser abort, recurse without bound or
/// allocate more than a fixed budget. Implements the operand forms of GEN-002, GEN-003, GEN-008, GEN-009, GEN-011.
#pragma once
#include <filesystem>
#include <string>
#include <string_view>

#include "ptx/ast.hpp"

namespace gsu::ptx {

/// Limits that keep hostile input harmless; far above what real modules need.
struct Limits {
    static constexpr std::uint64_t kFileBytes = 256ull << 20;
    static constexpr unsigned kErrors = 20;
    static constexpr unsigned kNesting = 256;                    ///< scopes, braces, expressions
    static constexpr std::uint64_t kRegisterRange = 1'000'000;   ///< n of %r<n>
    static constexpr std::uint64_t kVariableBytes = 1ull << 40;  ///< one variable
    static constexpr std::uint64_t kInitialiserBytes = 1ull
                                                       << 28;  ///< all initialisers of a module
    static constexpr std::uint32_t kFiles = 65536;             ///< .file numbers
};

/// Newest .version that is read without a warning.
inline constexpr unsigned kNewestMajor = 9;
inline constexpr unsigned kNewestMinor = 0;

/// Parses a text. `path` only names the module in messages. The result is self-contained.
[[nodiscard]] Module parseModule(std::string_view text, std::string path);

/// Parses a file. Throws gsu::InputError if it cannot be read.
[[nodiscard]] Module parseFile(const std::filesystem::path& path);

/// The first error as "line, column, reason" for gsu::InputError, or nullptr.
[[nodiscard]] const Diagnostic* firstError(const Module& module) noexcept;

}  // namespace gsu::ptx
