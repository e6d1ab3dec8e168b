/// The text of a launch file. It is parsed once and kept, so that every message can give line and column. Places are JSON pointers ("/params/0/buffer");
/// a message shows them as `params[0].buffer`.
#pragma once
#include <cstdint>
#include <filesystem>
#include <nlohmann/json_fwd.hpp>
#include <string>
#include <string_view>

namespace gsu {

class JsonText {
public:
    /// `positions`: false for a generated text: its messages have no line and column.
    JsonText(std::string text, std::filesystem::path file, bool positions = true);

    [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }
    /// Parses the text. Throws InputError with line and column. At most 64 levels, no key twice.
    [[nodiscard]] nlohmann::json parse() const;
    /// Throws InputError at the value of `pointer`, or at its innermost existing parent. `key`: at its key, as an error of the parent.
    [[noreturn]] void fail(const std::string& pointer, const std::string& reason,
                           bool key = false) const;

private:
    [[noreturn]] void failAt(std::size_t byte, const std::string& reason) const;
    std::string text_;
    std::filesystem::path file_;
    bool positions_;
};

/// One step of a pointer, escaped, with its slash.
[[nodiscard]] std::string pointerStep(std::string_view key);
/// "params[0].buffer": steps of digits are shown as indices.
[[nodiscard]] std::string shownPointer(std::string_view pointer);

}  // namespace gsu
