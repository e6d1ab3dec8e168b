/// Shadow memory: for each byte its last writer, and its readers since. An access of a warp to consecutive bytes is one record. A record is
/// dropped when a later access that is ordered after it has covered its bytes.
#pragma once
#include <array>
#include <memory>
#include <span>
#include <unordered_map>
#include <vector>

#include "races/byte_set.hpp"
#include "races/clock.hpp"

namespace gsu::races {

/// An access to some bytes of a block.
struct Record {
    /// Value of `on` in place of a Line: `time` is the index of an operation with an end of its own.
    static constexpr std::uint8_t kEnds = kOwnLines;
    std::uint32_t cta{}, line{};  ///< `line`: of the PTX
    Time time{};
    std::uint32_t value{};  ///< stands for the stored value, 0: not known
    /// Lanes of the access. With `each` 0 every lane touched all of `bytes`; else each has bytes of its own, lane after lane (bytesOf).
    Lanes lanes{};
    std::uint8_t warp{}, on{};  ///< Line or kEnds
    /// Bytes of a lane, distance from a lane to the next, and the first lane, whose bytes begin at `start`.
    std::uint8_t each{}, stride{}, lane{};
    bool writes : 1 {}, updates : 1 {}, strong : 1 {}, async : 1 {};
    std::uint8_t scope{};
    std::int16_t start{};  ///< may be in a block before
    ByteSet bytes;

    /// The bytes of a lane of a row in the block; there may be none.
    [[nodiscard]] ByteSet bytesOf(unsigned l) const noexcept
    {
        const int begin = start + (static_cast<int>(l) - lane) * stride, end = begin + each - 1;
        if (end < 0 || begin >= static_cast<int>(kBlock)) return {};
        return {static_cast<unsigned>(std::max(begin, 0)), static_cast<unsigned>(end)};
    }
    /// The bytes of all lanes of a row.
    [[nodiscard]] ByteSet bytesOfRow() const noexcept
    {
        ByteSet all;
        eachLane(lanes, [&](unsigned l) { all |= bytesOf(l); });
        return all;
    }
    /// The lanes that touch one of these bytes, of which there is at least one.
    [[nodiscard]] Lanes lanesAt(const ByteSet& some) const noexcept
    {
        if (each == 0) return lanes;
        const auto laneAt = [&](unsigned byte) {
            return lane + static_cast<unsigned>(static_cast<int>(byte) - start) / stride;
        };
        const unsigned first = some.first(), last = some.last(), low = laneAt(first),
                       high = laneAt(last);
        if (low == high) return Lanes{1} << low;
        Lanes all = 0;
        const bool whole = ByteSet(first, last) == some;
        for (unsigned l = low; l <= high && l < 32; ++l)
            if (whole || bytesOf(l).overlaps(some)) all |= Lanes{1} << l;
        return all;
    }
};

inline constexpr std::size_t kMostRecords =
    1024;  ///< records of a block: beyond them the oldest is forgotten

class Block {
public:
    /// All records, writes first.
    [[nodiscard]] const std::vector<Record>& records() const noexcept { return records_; }
    /// The records with which a record may conflict: a read conflicts with no read.
    [[nodiscard]] std::span<const Record> against(const Record& r) const noexcept
    {
        return std::span(records_).first(r.writes ? records_.size() : writes_);
    }
    /// Adds a record. `replaces(old)`: every conflict with the old record is also one with the new. Returns the growth of the number of records.
    template <class Replaces> int add(const Record& r, Replaces&& replaces)
    {
        const auto before = static_cast<int>(records_.size());
        for (std::size_t i = records_.size(); i-- > 0;) {
            Record& old = records_[i];
            if (joins(old, r)) {
                old.lanes |= r.lanes;
                return static_cast<int>(records_.size()) - before;
            }
            if (r.bytes.covers(old.bytes) && replaces(old)) remove(i);
        }
        if (records_.size() >= kMostRecords) {
            // The oldest read, or where all are writes the oldest of these.
            const std::size_t first = writes_ < records_.size() ? writes_ : 0;
            records_.erase(records_.begin() + static_cast<std::ptrdiff_t>(first));
            if (first == 0 && writes_ != 0) --writes_;
        }
        records_.push_back(r);
        if (r.writes) std::swap(records_[writes_++], records_.back());
        return static_cast<int>(records_.size()) - before;
    }

private:
    void remove(std::size_t i)
    {
        if (i < writes_) {
            records_[i] = records_[--writes_];
            i = writes_;
        }
        records_[i] = records_.back();
        records_.pop_back();
    }
    /// True if the records differ only in their lanes.
    [[nodiscard]] static bool joins(const Record& a, const Record& b) noexcept
    {
        return a.time == b.time && a.line == b.line && a.warp == b.warp && a.cta == b.cta &&
               a.on == b.on && a.bytes == b.bytes && a.each == 0 && b.each == 0 &&
               a.writes == b.writes && a.value == b.value;
    }
    std::vector<Record> records_;
    std::size_t writes_{};  ///< records that write
};

/// Blocks of global memory, by pages. A page is forgotten when there are too many records.
class GlobalShadow {
public:
    static constexpr std::uint64_t kPageBlocks = 64;     ///< 8 KiB of memory
    static constexpr std::size_t kMostPages = 1u << 17;  ///< 1 GiB of memory
    static constexpr std::int64_t kMostRecords = 1 << 23;
    [[nodiscard]] Block& at(std::uint64_t block)
    {
        const std::uint64_t page = block / kPageBlocks;
        if (page != lastPage_ || last_ == nullptr) {
            if (pages_.size() >= kMostPages || records_ > kMostRecords) forget();
            std::unique_ptr<Page>& found = pages_[page];
            if (found == nullptr) found = std::make_unique<Page>();
            last_ = found.get();
            lastPage_ = page;
        }
        return (*last_)[block % kPageBlocks];
    }
    void grew(int records) noexcept { records_ += records; }

private:
    using Page = std::array<Block, kPageBlocks>;
    void forget()
    {
        if (pages_.empty()) return;
        for (const Block& b : *pages_.begin()->second)
            records_ -= static_cast<std::int64_t>(b.records().size());
        pages_.erase(pages_.begin());
        last_ = nullptr;
    }

    std::unordered_map<std::uint64_t, std::unique_ptr<Page>> pages_;
    Page* last_{};
    std::uint64_t lastPage_{};
    std::int64_t records_{};
};

}  // namespace gsu::races
