#include "litmus/header.hpp"

#include <algorithm>
#include <cctype>

#include "base/input_error.hpp"

namespace gsu::litmus {
namespace {

std::string upper(std::string word)
{
    for (char& c : word) c = static_cast<char>(std::toupper(static_cast<unsigned char>(c)));
    return word;
}

}  // namespace

Header headerOf(const std::string& text, const std::string& file, const std::string& word)
{
    const std::size_t at = std::min(text.find_first_not_of(" \t\r\n"), text.size());
    if (upper(text.substr(at, word.size())) != word)
        throw InputError(file, 1, 1, "a litmus test begins with " + word + " and its name");
    Header h;
    const std::size_t end = std::min(text.find('\n', at), text.size());
    h.name = text.substr(at + word.size(), end - at - word.size());
    const auto first = h.name.find_first_not_of(" \t\r"), last = h.name.find_last_not_of(" \t\r");
    h.name = first == std::string::npos ? "" : h.name.substr(first, last - first + 1);
    if (h.name.empty())
        throw InputError(file, 1, static_cast<std::uint32_t>(word.size()) + 1,
                         "the test has no name");
    std::size_t open = end;
    while (open < text.size() && text[open] != '{') {
        const std::size_t close = text[open] == '"' ? text.find('"', open + 1) : std::string::npos;
        if (close != std::string::npos)
            h.remarks.push_back(text.substr(open + 1, close - open - 1));
        open = close != std::string::npos ? close + 1 : open + 1;
    }
    h.rest = text;
    for (std::size_t i = 0; i < open; ++i)
        if (h.rest[i] != '\n') h.rest[i] = ' ';
    return h;
}

}  // namespace gsu::litmus
