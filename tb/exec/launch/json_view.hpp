/// A JSON value with its position in the file, for messages; private to the loader of launch files.
#pragma once
#include <cstdint>
#include <filesystem>
#include <initializer_list>
#include <nlohmann/json.hpp>
#include <string>
#include <string_view>

#include "exec/launch/json_text.hpp"
#include "exec/launch/launch_data.hpp"

namespace gsu {

class JsonView {
public:
    /// `pointer`: place of `value` in `text`.
    JsonView(const nlohmann::json& value, const JsonText& text, std::string pointer = {})
        : value_(&value), text_(&text), pointer_(std::move(pointer))
    {
    }

    [[noreturn]] void fail(const std::string& reason) const;
    [[nodiscard]] const nlohmann::json& json() const noexcept { return *value_; }
    [[nodiscard]] const std::filesystem::path& file() const noexcept { return text_->file(); }
    [[nodiscard]] const std::string& pointer() const noexcept { return pointer_; }
    [[nodiscard]] bool has(std::string_view key) const { return value_->contains(key); }
    [[nodiscard]] std::size_t size() const { return value_->size(); }

    /// Fails unless this is an object whose keys are all among `keys`.
    void keys(std::initializer_list<std::string_view> keys) const;
    [[nodiscard]] JsonView operator[](std::string_view key) const;  ///< fails when missing
    [[nodiscard]] JsonView at(std::size_t index) const;
    void array() const;
    [[nodiscard]] std::string text() const;
    [[nodiscard]] bool boolean() const;
    /// A whole number least..limit.
    [[nodiscard]] std::uint64_t whole(std::uint64_t limit, std::uint64_t least = 0) const;
    [[nodiscard]] Number number() const;
    [[nodiscard]] double real() const;  ///< finite, not negative

private:
    const nlohmann::json* value_;
    const JsonText* text_;
    std::string pointer_;
};

/// modules.cpp: reads the file or the list of files of "ptx".
void modulesOf(LaunchSpec& spec, const JsonView& json);
/// launch_multimem.cpp: reads "multimem" of the launch, after "memory".
void multimemOf(LaunchSpec& spec, const JsonView& root);
/// launch_tensor.cpp: reads the value of "tensormap".
[[nodiscard]] TensorParam tensorOf(const JsonView& json);
/// launch_memory.cpp: reads the number of a parameter, or the name of other memory.
[[nodiscard]] MemoryRef memoryRef(const JsonView& json);
/// launch_verdict.cpp: reads the expected verdict.
void verdictOf(LaunchSpec& spec, const JsonView& root);
/// Reads "patch" of something with `bytes` bytes: [{"offset", "buffer", "add"} or {"offset", "tensormap"}, ...].
[[nodiscard]] std::vector<Patch> patchesOf(const JsonView& json, std::uint64_t bytes);
/// Reads "address": a number or hexadecimal text; of global memory, for a variable also a place in constant memory.
[[nodiscard]] std::uint64_t addressOf(const JsonView& json, bool variable);

}  // namespace gsu
