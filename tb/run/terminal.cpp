#include <unistd.h>

#include <algorithm>
#include <cstdio>
#include <cstdlib>
#include <cstring>

#include "base/input_error.hpp"
#include "run/terminal.hpp"

namespace gsu::run {

namespace {
bool anythingPrinted = false;
}

bool printed() noexcept { return anythingPrinted; }

void print(const std::string& text)
{
    anythingPrinted = true;
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
        std::fflush(stdout) != 0) {
        throw InputError("standard output", "writing failed");
    }
}

std::vector<std::string> sourceLines(std::string_view text)
{
    std::vector<std::string> lines;
    while (!text.empty()) {
        const auto end = std::min(text.find('\n'), text.size());
        const auto first = std::min(text.find_first_not_of(" \t"), end);
        std::string line(text.substr(first, end - first));
        for (char& c : line) {
            if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
        }
        lines.push_back(std::move(line));
        text.remove_prefix(std::min(end + 1, text.size()));
    }
    return lines;
}

bool colourful()
{
    const char* term = std::getenv("TERM");
    return ::isatty(1) == 1 && std::getenv("NO_COLOR") == nullptr && term != nullptr &&
           std::strcmp(term, "dumb") != 0;
}

}  // namespace gsu::run
