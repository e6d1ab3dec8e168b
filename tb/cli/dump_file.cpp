#include "cli/dump_file.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <cctype>
#include <iostream>

#include "base/input_error.hpp"
#include "base/read_file.hpp"

namespace gsu::cli {

namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";

std::string contents(const std::string& path)
{
    // a tenth of this is enough for the largest window in hexadecimal text
    constexpr std::size_t kLimit = 16u << 20;
    if (path != "-") return readFile(path, kLimit);
    std::string text;
    for (std::array<char, 65536> chunk;
         std::cin.read(chunk.data(), chunk.size()), std::cin.gcount() > 0;) {
        text.append(chunk.data(), static_cast<std::size_t>(std::cin.gcount()));
        if (text.size() > kLimit)
            throw InputError("standard input", fmt::format("holds more than {} bytes", kLimit));
    }
    return text;
}

/// The data of a NumPy file: magic, two version bytes, length of the header (2 or 4 bytes), header, data.
std::string npyData(const std::string& path, const std::string& text)
{
    const auto at = [&](std::size_t i) { return std::size_t{static_cast<unsigned char>(text[i])}; };
    const std::size_t prefix = text.size() > 8 && at(6) >= 2 ? 12 : 10;
    if (text.size() < prefix) throw InputError(path, "the NumPy header is cut off");
    std::size_t length = at(8) | at(9) << 8;
    if (prefix == 12) length |= at(10) << 16 | at(11) << 24;
    if (text.size() - prefix < length) throw InputError(path, "the NumPy header is cut off");
    const std::string header = text.substr(prefix, length);
    if (header.find("'>") != std::string::npos)
        throw InputError(path, "big-endian NumPy data; write it with '<'");
    if (header.find("'fortran_order': True") != std::string::npos)
        throw InputError(path, "NumPy data in Fortran order");
    return text.substr(prefix + length);
}

constexpr std::string_view kBlank = " \t\r\n,";

/// Numbers of a hexadecimal text; each is written highest digit first and stored lowest byte first.
std::string hexData(const std::string& path, const std::string& text)
{
    std::string bytes;
    for (std::size_t at = 0;;) {
        at = text.find_first_not_of(kBlank, at);
        if (at == std::string::npos) return bytes;
        const std::size_t end = std::min(text.find_first_of(kBlank, at), text.size());
        std::string_view number = std::string_view(text).substr(at, end - at);
        if (number.starts_with("0x") || number.starts_with("0X")) number.remove_prefix(2);
        if (number.empty() || number.size() % 2 != 0 ||
            !std::all_of(number.begin(), number.end(),
                         [](unsigned char d) { return std::isxdigit(d) != 0; })) {
            const auto line =
                1 + std::count(text.begin(), text.begin() + static_cast<std::ptrdiff_t>(at), '\n');
            const std::size_t column = at - (text.rfind('\n', at) + 1) + 1;
            throw InputError(path, static_cast<std::uint32_t>(line),
                             static_cast<std::uint32_t>(column),
                             "'" + text.substr(at, std::min<std::size_t>(end - at, 40)) +
                                 "' is not an even number of hexadecimal digits");
        }
        for (std::size_t k = number.size(); k >= 2; k -= 2)
            bytes +=
                static_cast<char>(std::stoul(std::string(number.substr(k - 2, 2)), nullptr, 16));
        at = end;
    }
}

}  // namespace

std::vector<std::uint8_t> readDump(const std::string& path)
{
    std::string text = contents(path);
    if (text.starts_with(kNpyMagic))
        text = npyData(path, text);
    else if (path.ends_with(".hex") || path.ends_with(".txt"))
        text = hexData(path, text);
    if (text.empty()) throw InputError(path, "the dump is empty");
    return {text.begin(), text.end()};
}

}  // namespace gsu::cli
