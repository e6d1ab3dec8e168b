#include "run/smem_dump.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iostream>

#include "base/atomic_file.hpp"
#include "base/input_error.hpp"
#include "base/read_file.hpp"

namespace gsu::run {

namespace {

constexpr std::string_view kNpyMagic = "\x93NUMPY";

bool endsWith(const std::string& text, std::string_view tail)
{
    return text.size() >= tail.size() &&
           text.compare(text.size() - tail.size(), tail.size(), tail) == 0;
}

std::string contents(const std::string& path)
{
    constexpr std::size_t kLimit = 16u
                                   << 20;  // hexadecimal text of the largest window takes a tenth
    if (path != "-") return readFile(path, kLimit);
    std::string text;
    for (std::array<char, 65536> chunk;
         std::cin.read(chunk.data(), chunk.size()), std::cin.gcount() > 0;) {
        text.append(chunk.data(), static_cast<std::size_t>(std::cin.gcount()));
        if (text.size() > kLimit)
            throw InputError("standard input", 0, 0,
                             fmt::format("holds more than {} bytes", kLimit));
    }
    return text;
}

/// The data of a NumPy file: magic, two version bytes, length of the header (2 or 4 bytes), header, data.
std::string npyData(const std::string& path, const std::string& text)
{
    const auto at = [&](std::size_t i) { return std::size_t{static_cast<unsigned char>(text[i])}; };
    const std::size_t prefix = text.size() > 8 && at(6) >= 2 ? 12 : 10;
    if (text.size() < prefix) throw InputError(path, 0, 0, "the NumPy header is cut off");
    std::size_t length = at(8) | at(9) << 8;
    if (prefix == 12) length |= at(10) << 16 | at(11) << 24;
    if (text.size() - prefix < length) throw InputError(path, 0, 0, "the NumPy header is cut off");
    const std::string header = text.substr(prefix, length);
    if (header.find("'>") != std::string::npos)
        throw InputError(path, 0, 0, "big-endian NumPy data; write it with '<'");
    if (header.find("'fortran_order': True") != std::string::npos)
        throw InputError(path, 0, 0, "NumPy data in Fortran order");
    return text.substr(prefix + length);
}

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\r' || c == '\n' || c == ','; }

int digitOf(char c)
{
    if (c >= '0' && c <= '9') return c - '0';
    if (c >= 'a' && c <= 'f') return c - 'a' + 10;
    return c >= 'A' && c <= 'F' ? c - 'A' + 10 : -1;
}

/// Numbers of a hexadecimal text; each is written highest digit first and stored lowest byte first.
std::string hexData(const std::string& path, const std::string& text)
{
    std::string bytes;
    std::uint32_t line = 1, column = 1;  // of text[i]
    for (std::size_t i = 0; i < text.size();) {
        const char c = text[i];
        if (isBlank(c)) {
            ++i, ++column;
            if (c == '\n') ++line, column = 1;
            continue;
        }
        std::size_t end = i;
        while (end < text.size() && !isBlank(text[end])) ++end;
        std::string number = text.substr(i, end - i);
        if (number.rfind("0x", 0) == 0 || number.rfind("0X", 0) == 0) number.erase(0, 2);
        const bool digits =
            !number.empty() && number.size() % 2 == 0 &&
            std::all_of(number.begin(), number.end(), [](char d) { return digitOf(d) >= 0; });
        if (!digits)
            throw InputError(path, line, column,
                             "'" + text.substr(i, std::min<std::size_t>(end - i, 40)) +
                                 "' is not an even number of hexadecimal digits");
        for (std::size_t k = number.size(); k >= 2; k -= 2)
            bytes += static_cast<char>(digitOf(number[k - 2]) << 4 | digitOf(number[k - 1]));
        column += static_cast<std::uint32_t>(end - i);
        i = end;
    }
    return bytes;
}

}  // namespace

std::vector<std::uint8_t> readDump(const std::string& path)
{
    std::string text = contents(path);
    if (std::string_view(text).substr(0, kNpyMagic.size()) == kNpyMagic)
        text = npyData(path, text);
    else if (endsWith(path, ".hex") || endsWith(path, ".txt"))
        text = hexData(path, text);
    if (text.empty()) throw InputError(path, 0, 0, "the dump is empty");
    return {text.begin(), text.end()};
}

void SmemDump::onPlace(const Launch& launch, std::uint32_t linear)
{
    if (linear != cta_) return;
    launch_ = launch;
    placed_ = true;
}

void SmemDump::onLaunch(Cycle, const Launch& launch)
{
    if (!placed_ || launch.sm != launch_.sm || launch.cta != launch_.cta) return;
    placed_ = false;
    resident_ = started_ = true;
}

void SmemDump::onStored(Cycle, std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes)
{
    if (!resident_ || sm != launch_.sm || addr < launch_.base) return;
    const std::uint32_t from = (addr - launch_.base) & ~7u, to = addr - launch_.base + bytes;
    for (std::uint32_t at = from; at < to && !words_.empty(); at += 8) words_.erase(at);
}

void SmemDump::onCommit(const Commit& c)
{
    if (c.unit != Unit::Mbarrier || !mine(c.at.sm, c.at.cta)) return;
    if (c.op == Op::EvTimeout || c.op == Op::EvDelivered || c.src == Src::Network) return;
    if (c.oldWord != c.newWord) words_[clusterOffset(c.object)] = c.newWord;
}

void SmemDump::onCtaFree(const CtaFree& free)
{
    if (!mine(free.sm, free.cta)) return;
    take();
    resident_ = false;
}

void SmemDump::take()
{
    bytes_.resize(launch_.size);
    for (std::uint32_t at = 0; at < launch_.size; at += 8) {
        const auto kept = words_.find(at);
        const std::uint64_t word =
            kept != words_.end() ? kept->second : memory_.readWord(launch_.sm, launch_.base + at);
        for (unsigned i = 0; i < 8 && at + i < launch_.size; ++i)
            bytes_[at + i] = static_cast<std::uint8_t>(word >> 8 * i);
    }
}

void SmemDump::write(const std::string& path)
{
    if (!started_)
        throw InputError("--dump-cta", 0, 0, fmt::format("CTA {} was never started", cta_));
    if (resident_) take();
    if (bytes_.empty()) throw InputError("--dump-smem", 0, 0, "the kernel has no shared memory");
    AtomicFile file(path);
    file.write({reinterpret_cast<const char*>(bytes_.data()), bytes_.size()});
    file.commit();
}

}  // namespace gsu::run
