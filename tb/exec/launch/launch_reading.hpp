/// The functions of the loader of launch files; private to it.
#pragma once
#include <array>
#include <filesystem>
#include <vector>

#include "exec/launch/json_view.hpp"
#include "exec/launch/launch_spec.hpp"

namespace gsu {

inline constexpr std::uint64_t kMaxParams = 4096;  ///< of a launch

/// State of reading a launch file: used memory, read files, the source of declarations.
struct Reading {
    std::uint64_t left;  ///< bytes that all buffers and globals may still take
    std::vector<std::filesystem::path>& files;
    const LaunchSpec& common;  ///< for the name of the PTX
    ModuleSource modules;

    /// The module-scope variable in global or constant memory; fails at `json` if there is none.
    [[nodiscard]] const ptx::Variable& variable(const std::string& name,
                                                const JsonView& json) const;
};

// launch_arrays.cpp
[[nodiscard]] DataType typeOf(const JsonView& json);
/// Type of an element of a variable, among the types of launch files.
[[nodiscard]] DataType typeOf(const ptx::Variable& variable);
void add(DataArray& array, const JsonView& json);
/// At most limit + 1 bytes of the file that `json` names.
[[nodiscard]] std::vector<std::uint8_t> fileBytes(const JsonView& json, std::uint64_t limit,
                                                  Reading& reading);
/// Reads "type", "count", "init". `declared`: declaration with the default type and count, or nullptr.
[[nodiscard]] DataArray arrayOf(const JsonView& json, Reading& reading,
                                const ptx::Variable* declared = nullptr);
// launch_params.cpp
void paramsOf(LaunchSpec& spec, const JsonView& json, Reading& reading);
// launch_expect.cpp
/// Reads expectations. `memory`: the launch with "memory" and "globals"; `spec`: the launch with the parameters.
[[nodiscard]] std::vector<Expectation> expectationsOf(const LaunchSpec& spec,
                                                      const LaunchSpec& memory,
                                                      const JsonView& json, Reading& reading);

}  // namespace gsu
