#include "exec/timing/sharing.hpp"

#include <algorithm>
#include <cmath>
#include <iterator>
#include <vector>

#include "exec/timing/cached_lines.hpp"

namespace gsu::timing {
namespace {

constexpr double kSame = 0.05;       // of a number of sharers: no change
constexpr double kSeveral = 1.5;     // sharers
constexpr std::uint64_t kMuch = 64;  // one of so many lines

/// Lines that are looked at lie in no stride of a kernel.
bool sampled(std::uint64_t line) noexcept
{
    constexpr std::uint64_t kStir = 0x9e37'79b9'7f4a'7c15ull;  // 2^64 / golden ratio
    return (line * kStir >> 40) % LineSurvey::kSample == 0;
}

}  // namespace

void Sharing::allocated(std::uint64_t address, std::uint64_t bytes)
{
    areas_[address] = {address + bytes, {}};
}

void Sharing::add(std::uint64_t address, std::uint64_t parts, std::uint64_t times)
{
    pages_[address / kPage].add(parts, times);
    const auto above = areas_.upper_bound(address);
    if (above != areas_.begin()) std::prev(above)->second.count.add(parts, times);
}

double Sharing::sharersOf(std::uint64_t address) const
{
    if (const auto page = pages_.find(address / kPage); page != pages_.end())
        return page->second.mean();
    const auto above = areas_.upper_bound(address);
    if (above == areas_.begin()) return 0;
    const Area& area = std::prev(above)->second;
    return address < area.end ? area.count.mean() : 0;
}

std::map<std::uint64_t, double> Sharing::large() const
{
    std::uint64_t lines = 0;
    for (const auto& [begin, area] : areas_) lines += area.count.times;
    std::map<std::uint64_t, double> found;
    for (const auto& [begin, area] : areas_) {
        if (area.count.times > 0 && area.count.times * kMuch >= lines)
            found[begin] = area.count.mean();
    }
    return found;
}

bool Sharing::like(const Sharing& other) const
{
    const auto here = large();
    return std::all_of(here.begin(), here.end(), [&](const auto& one) {
        return std::abs(one.second - other.areas_.at(one.first).count.mean()) <= kSame * one.second;
    });
}

bool Sharing::shared() const
{
    const auto here = large();
    return std::all_of(here.begin(), here.end(),
                       [](const auto& one) { return one.second >= kSeveral; });
}

void LineSurvey::touch(unsigned part, std::uint64_t address, std::uint64_t bytes, Cycle now)
{
    now_ = now;
    for (std::uint64_t line = address / kLine; line * kLine < address + bytes; ++line) {
        if (!sampled(line)) continue;
        const auto [at, fresh] = lines_.try_emplace(line);
        Line& l = at->second;
        const bool gone = !fresh && volume_ - l.last >= kept_;
        if (gone) closed_.add(line * kLine, l.parts.count(), 1);
        if (gone || fresh) {
            l.parts.reset();
            l.begun = now;
            volume_ += std::uint64_t{kLine} * kSample;
        }
        l.last = volume_;
        l.parts.set(part % kParts);
    }
}

Sharing LineSurvey::found(bool cut) const
{
    Sharing all = closed_;
    constexpr unsigned kYoung = 8;  // that part of a run that was stopped
    const Cycle young = cut ? now_ - now_ / kYoung : now_;
    std::vector<std::pair<std::uint64_t, std::uint64_t>> late;
    for (const auto& [line, l] : lines_) {
        if (l.begun <= young) all.add(line * kLine, l.parts.count(), 1);
    }
    for (const auto& [line, l] : lines_) {
        // Better than nothing, where there is nothing else.
        if (l.begun > young && all.sharersOf(line * kLine) == 0)
            late.emplace_back(line * kLine, l.parts.count());
    }
    for (const auto& [address, parts] : late) all.add(address, parts, 1);
    all.cut = cut;
    return all;
}

}  // namespace gsu::timing
