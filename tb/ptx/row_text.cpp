#include "ptx/row_text.hpp"

namespace gsu::ptx {

std::vector<std::string_view> splitRow(std::string_view text, char separator)
{
    std::vector<std::string_view> parts;
    while (!text.empty()) {
        const std::size_t at = text.find(separator);
        if (at != 0) parts.push_back(text.substr(0, at));
        text = at == std::string_view::npos ? std::string_view{} : text.substr(at + 1);
    }
    return parts;
}

}  // namespace gsu::ptx
