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
    /// `positions`: false for a text that nobody wrote: its messages have no line and column.
    JsonText(std::string text, std::filesystem::path file, bool positions = true);

    [[nodiscard]] const std::filesystem::path& file() const noexcept { return file_; }
    /// Throws InputError with line and column. At most 64 levels, no key twice.
    [[nodiscard]] nlohmann::json parse() const;
    /// Throws InputError at what `pointer` names, or at the innermost thing around it that is there. `key`: at its
    /// key, as something wrong with what is around it.
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
