#include "exec/state/shared_lines.hpp"

#include <algorithm>
#include <array>
#include <cassert>
#include <new>
#include <unordered_map>

namespace gsu::exec {
namespace {

// A line's word: {stretch of time, reader, writer}. 0 is nobody, kMany more than one.
constexpr unsigned kBits = 12;
constexpr std::uint64_t kMany = (1u << kBits) - 1;

constexpr std::uint64_t pack(std::uint32_t stretch, std::uint64_t reader, std::uint64_t writer)
{
    return std::uint64_t{stretch} << (2 * kBits) | reader << kBits | writer;
}

}  // namespace

SharedLines::SharedLines(std::uint64_t base, std::uint64_t bytes, unsigned parts)
    : base_(base / kLine * kLine),
      bytes_(base + bytes - base_),
      lines_(static_cast<std::atomic<std::uint64_t>*>(
          std::calloc(bytes_ / kLine + 1, sizeof(std::atomic<std::uint64_t>)))),
      parts_(parts)
{
    static_assert(std::atomic<std::uint64_t>::is_always_lock_free);
    assert(parts <= kMostParts);
    if (lines_ == nullptr) throw std::bad_alloc();
}

/// Claims a line; false: another part has touched the line, and it or this one writes.
bool SharedLines::claim(std::uint64_t line, unsigned part, bool writes) noexcept
{
    std::atomic<std::uint64_t>& word = lines_[line];
    const std::uint64_t me = part + 1;
    std::uint64_t seen = word.load(std::memory_order_relaxed);
    for (;;) {
        const bool fresh = seen >> (2 * kBits) == stretch_;
        std::uint64_t reader = fresh ? seen >> kBits & kMany : 0, writer = fresh ? seen & kMany : 0;
        const bool others =
            (writer != 0 && writer != me) || (writes && reader != 0 && reader != me);
        if (writes)
            writer = writer == 0 || writer == me ? me : kMany;
        else
            reader = reader == 0 || reader == me ? me : kMany;
        const std::uint64_t next = pack(stretch_, reader, writer);
        if (next == seen || word.compare_exchange_weak(seen, next, std::memory_order_relaxed))
            return !others;
    }
}

void SharedLines::touch(unsigned index, std::uint64_t address, std::uint64_t bytes, bool writes)
{
    Part& part = parts_[index];
    if (bytes == 0) return;
    if (address < base_ || address - base_ + bytes > bytes_) {
        part.outside = true;
        return;
    }
    part.accesses.push_back({address, bytes, writes});
    const std::uint64_t last = (address + bytes - 1 - base_) / kLine;
    for (std::uint64_t line = (address - base_) / kLine; line <= last; ++line) {
        if (!claim(line, index, writes)) part.contended.push_back(line);
    }
}

/// Whether parts touch common bytes: lines are shared by parts that touch different bytes of them more often than bytes are.
bool SharedLines::overlaps() const
{
    struct Bytes {
        std::array<std::uint16_t, kLine> reader{}, writer{};
    };
    std::unordered_map<std::uint64_t, Bytes> lines;
    for (const Part& p : parts_) {
        for (const std::uint64_t line : p.contended) lines.try_emplace(line);
    }
    for (std::uint16_t me = 1; me <= parts_.size(); ++me) {
        for (const Access& a : parts_[me - 1].accesses) {
            const std::uint64_t from = a.address - base_, to = from + a.bytes;
            for (std::uint64_t line = from / kLine; line * kLine < to; ++line) {
                const auto found = lines.find(line);
                if (found == lines.end()) continue;
                Bytes& b = found->second;
                const std::uint64_t first = std::max(from, line * kLine) - line * kLine;
                const std::uint64_t end = std::min(to, (line + 1) * kLine) - line * kLine;
                for (std::uint64_t at = first; at < end; ++at) {
                    std::uint16_t &reader = b.reader[at], &writer = b.writer[at];
                    if (writer != 0 && writer != me) return true;
                    if (a.writes && reader != 0 && reader != me) return true;
                    if (a.writes)
                        writer = me;
                    else
                        reader = reader == 0 || reader == me ? me : kMany;
                }
            }
        }
    }
    return false;
}

bool SharedLines::takeConflict()
{
    const bool contended = std::any_of(parts_.begin(), parts_.end(), [](const Part& p) {
        return p.outside || !p.contended.empty();
    });
    const bool conflict = contended && (std::any_of(parts_.begin(), parts_.end(),
                                                    [](const Part& p) { return p.outside; }) ||
                                        overlaps());
    for (Part& p : parts_) {
        p.accesses.clear();
        p.contended.clear();
    }
    ++stretch_;
    return conflict;
}

}  // namespace gsu::exec
