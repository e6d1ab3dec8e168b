#include <unistd.h>

#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <fstream>

#include "base/input_error.hpp"
#include "cli/commands.hpp"

namespace gsu::cli {

namespace {
bool anythingPrinted = false;
}

bool printed() noexcept { return anythingPrinted; }

void print(const std::string& text)
{
    anythingPrinted = true;
    if (std::fwrite(text.data(), 1, text.size(), stdout) != text.size() ||
        std::fflush(stdout) != 0) {
        throw InputError("standard output", 0, 0, "writing failed");
    }
}

std::vector<std::string> sourceLines(const std::string& path)
{
    std::vector<std::string> lines;
    std::ifstream in(path);
    for (std::string line; std::getline(in, line);) {
        const auto first = line.find_first_not_of(" \t");
        std::string text = first == std::string::npos ? "" : line.substr(first);
        for (char& c : text) {
            if (static_cast<unsigned char>(c) < 0x20 || c == 0x7f) c = ' ';
        }
        lines.push_back(std::move(text));
    }
    return lines;
}

bool colourful()
{
    const char* term = std::getenv("TERM");
    return ::isatty(1) == 1 && std::getenv("NO_COLOR") == nullptr && term != nullptr &&
           std::strcmp(term, "dumb") != 0;
}

}  // namespace gsu::cli
