/// The one exception for input that cannot be used; `what()` is "file:line:col: reason".
/// Lines and columns count from 1; 0 means unknown and is left out of the message.
#pragma once
#include <cstdint>
#include <stdexcept>
#include <string>
#include <utility>

namespace gsu {

struct InputError : std::runtime_error {
    InputError(std::string file_, std::uint32_t line_, std::uint32_t column_, std::string reason_)
        : std::runtime_error(format(file_, line_, column_, reason_)),
          file(std::move(file_)),
          line(line_),
          column(column_),
          reason(std::move(reason_))
    {
    }

    /// An error of an option, or of a file as a whole.
    InputError(std::string file_, std::string reason_)
        : InputError(std::move(file_), 0, 0, std::move(reason_))
    {
    }

    std::string file;
    std::uint32_t line{};
    std::uint32_t column{};
    std::string reason;

    [[nodiscard]] static std::string format(const std::string& file, std::uint32_t line,
                                            std::uint32_t column, const std::string& reason)
    {
        std::string text = file;
        if (line != 0) {
            text += ':' + std::to_string(line);
            if (column != 0) text += ':' + std::to_string(column);
        }
        return text + ": " + reason;
    }
};

}  // namespace gsu
