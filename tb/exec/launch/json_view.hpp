/// A JSON value with its key path and file, for error messages that say where; private to the launch-file loader.
#pragma once
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "exec/launch/launch_data.hpp"

namespace gsu {

class JsonView {
public:
    JsonView(const nlohmann::json& value, const std::filesystem::path& file, std::string path)
        : value_(&value), file_(&file), path_(std::move(path))
    {
    }

    [[noreturn]] void fail(const std::string& reason) const;
    [[nodiscard]] const nlohmann::json& json() const noexcept { return *value_; }
    [[nodiscard]] const std::filesystem::path& file() const noexcept { return *file_; }
    [[nodiscard]] bool has(std::string_view key) const { return value_->contains(key); }
    [[nodiscard]] std::size_t size() const { return value_->size(); }

    /// Fails unless this is an object whose keys are all among `keys`.
    void keys(std::initializer_list<std::string_view> keys) const;
    [[nodiscard]] JsonView operator[](std::string_view key) const;  ///< fails when missing
    [[nodiscard]] JsonView at(std::size_t index) const;
    void array() const;
    [[nodiscard]] std::string text() const;
    [[nodiscard]] bool boolean() const;
    /// Whole number 0..limit.
    [[nodiscard]] std::uint64_t whole(std::uint64_t limit) const;
    [[nodiscard]] Number number() const;
    [[nodiscard]] double real() const;  ///< finite, not negative

private:
    const nlohmann::json* value_;
    const std::filesystem::path* file_;
    std::string path_;
};

/// launch_tensor.cpp: what follows "tensormap".
[[nodiscard]] TensorParam tensorOf(const JsonView& json);
/// launch_memory.cpp: the number of a parameter, or the name of other memory.
[[nodiscard]] MemoryRef memoryRef(const JsonView& json);
/// launch_verdict.cpp: what the run must come to.
void verdictOf(LaunchSpec& spec, const JsonView& root);
/// "patch" of something that has `bytes` bytes: [{"offset", "buffer", "add"} or {"offset", "tensormap"}, ...].
[[nodiscard]] std::vector<Patch> patchesOf(const JsonView& json, std::uint64_t bytes);
/// "address": where something under "memory" lies, a number or hexadecimal text.
[[nodiscard]] std::uint64_t addressOf(const JsonView& json);

/// Parses JSON; throws InputError with line and column. Nesting is limited, no key may be given twice.
[[nodiscard]] nlohmann::json parseJson(const std::string& text, const std::filesystem::path& path);

}  // namespace gsu
