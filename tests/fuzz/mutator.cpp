// Mutations that know lines, statements and words, because flipped bytes rarely leave PTX that still parses. The bytes' own
// mutations stay half of all; everything is decided by the seed that libFuzzer gives.
#include <algorithm>
#include <cctype>
#include <cstring>
#include <random>
#include <string>
#include <string_view>
#include <vector>

extern "C" std::size_t LLVMFuzzerMutate(std::uint8_t* data, std::size_t size, std::size_t maxSize);

namespace {

using Random = std::minstd_rand;
using Pieces = std::vector<std::string>;

/// Each piece ends with a newline or a semicolon.
Pieces split(std::string_view text)
{
    Pieces pieces;
    std::string piece;
    for (const char c : text) {
        piece += c;
        if (c != '\n' && c != ';') continue;
        pieces.push_back(std::move(piece));
        piece.clear();
    }
    if (!piece.empty()) pieces.push_back(piece);
    return pieces;
}

std::size_t store(const Pieces& pieces, std::uint8_t* data, std::size_t maxSize)
{
    std::string text;
    for (const std::string& p : pieces) text += p;
    const std::size_t size = std::min(text.size(), maxSize);
    std::memcpy(data, text.data(), size);
    return size;
}

/// First and length of a word around a random place; words are what PTX, JSON and traces have between blanks and commas.
std::pair<std::size_t, std::size_t> word(const std::string& piece, Random& random)
{
    const auto part = [](char c) {
        return std::isalnum(static_cast<unsigned char>(c)) != 0 ||
               std::strchr("_%:-.", c) != nullptr;
    };
    std::size_t from = random() % piece.size();
    while (from < piece.size() && !part(piece[from])) ++from;
    while (from > 0 && part(piece[from - 1])) --from;
    std::size_t to = from;
    while (to < piece.size() && part(piece[to])) ++to;
    return {from, to - from};
}

std::string number(Random& random)
{
    static const char* const kNumbers[] = {
        "0",       "1",          "-1",         "2",           "3",          "7",
        "8",       "15",         "16",         "31",          "32",         "33",
        "63",      "64",         "127",        "128",         "255",        "256",
        "1023",    "1024",       "4095",       "65535",       "65536",      "1048575",
        "1048576", "16777216",   "33554432",   "0x7fffffff",  "0x80000000", "0xffffffff",
        "1<<40",   "4294967296", "2147483648", "-2147483648", "1000000",    "0x7f1000000000"};
    static const char* const kWide[] = {
        "0x7fffffffffffffff", "0x8000000000000000", "0xffffffffffffffff", "0x7f2000000000",
        "0x7f3000000000",     "0x7f4000000000",     "0x7f1001000000",     "-9223372036854775808"};
    if (random() % 4 == 0) return kWide[random() % std::size(kWide)];
    return kNumbers[random() % std::size(kNumbers)];
}

void mutateOnce(Pieces& pieces, Random& random)
{
    const std::size_t at = random() % pieces.size(), other = random() % pieces.size();
    std::string& piece = pieces[at];
    if (piece.empty() || pieces[other].empty()) return;
    switch (random() % 8) {
        case 0: std::swap(piece, pieces[other]); return;
        case 1:
            pieces.insert(pieces.begin() + std::ptrdiff_t(at), std::string(pieces[other]));
            return;
        case 2:
            if (pieces.size() > 1) pieces.erase(pieces.begin() + std::ptrdiff_t(at));
            return;
        case 3: {
            const auto [from, length] = word(piece, random);
            piece.replace(from, length, number(random));
            return;
        }
        case 4:
        case 5: {  // a word of another line
            const auto [from, length] = word(pieces[other], random);
            const std::string taken = pieces[other].substr(from, length);
            const auto [to, was] = word(piece, random);
            piece.replace(to, was, taken);
            return;
        }
        case 6: {  // one part of a dotted name
            const auto [from, length] = word(pieces[other], random);
            const std::string name = pieces[other].substr(from, length);
            const std::size_t dot = name.rfind('.');
            const std::size_t mine = piece.find('.');
            if (dot == std::string::npos || mine == std::string::npos) return;
            piece.insert(mine, name.substr(dot));
            return;
        }
        default: {  // a digit: another register, another number
            const std::size_t digit = piece.find_first_of("0123456789", random() % piece.size());
            if (digit != std::string::npos) piece[digit] = static_cast<char>('0' + random() % 10);
            return;
        }
    }
}

}  // namespace

extern "C" std::size_t LLVMFuzzerCustomMutator(std::uint8_t* data, std::size_t size,
                                               std::size_t maxSize, unsigned seed)
{
    Random random(seed);
    Pieces pieces = split({reinterpret_cast<const char*>(data), size});
    if (pieces.empty() || random() % 3 == 0) return LLVMFuzzerMutate(data, size, maxSize);
    for (unsigned n = 1 + random() % 4; n > 0 && !pieces.empty(); --n) mutateOnce(pieces, random);
    return store(pieces, data, maxSize);
}

extern "C" std::size_t LLVMFuzzerCustomCrossOver(const std::uint8_t* a, std::size_t aSize,
                                                 const std::uint8_t* b, std::size_t bSize,
                                                 std::uint8_t* out, std::size_t maxSize,
                                                 unsigned seed)
{
    Random random(seed);
    Pieces first = split({reinterpret_cast<const char*>(a), aSize});
    const Pieces second = split({reinterpret_cast<const char*>(b), bSize});
    if (first.empty() || second.empty()) return 0;
    const std::size_t from = random() % second.size();
    const std::size_t count = std::min<std::size_t>(1 + random() % 12, second.size() - from);
    const auto at = first.begin() + std::ptrdiff_t(random() % first.size());
    first.insert(at, second.begin() + std::ptrdiff_t(from),
                 second.begin() + std::ptrdiff_t(from + count));
    return store(first, out, maxSize);
}
