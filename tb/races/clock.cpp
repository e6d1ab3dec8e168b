#include "races/clock.hpp"

namespace gsu::races {
namespace {

constexpr auto kByCta = [](const auto& entry, std::uint32_t cta) { return entry.cta < cta; };
constexpr auto kByKey = [](const auto& entry, std::uint32_t key) { return entry.first < key; };

}  // namespace

const LaneTimes* Clock::find(std::uint32_t cta, std::uint32_t key) const noexcept
{
    if (ctas_ == nullptr) return nullptr;
    const auto found = std::lower_bound(ctas_->begin(), ctas_->end(), cta, kByCta);
    if (found == ctas_->end() || found->cta != cta) return nullptr;
    const Times& times = *found->times;
    const auto at = std::lower_bound(times.begin(), times.end(), key, kByKey);
    return at == times.end() || at->first != key ? nullptr : &at->second;
}

bool Clock::knows(std::uint32_t cta) const noexcept
{
    if (ctas_ == nullptr) return false;
    const auto found = std::lower_bound(ctas_->begin(), ctas_->end(), cta, kByCta);
    return found != ctas_->end() && found->cta == cta;
}

std::vector<Clock::Cta>& Clock::own()
{
    if (ctas_ == nullptr)
        ctas_ = std::make_shared<std::vector<Cta>>();
    else if (ctas_.use_count() > 1)
        ctas_ = std::make_shared<std::vector<Cta>>(*ctas_);
    return *ctas_;
}

LaneTimes& Clock::change(std::uint32_t cta, std::uint32_t key)
{
    std::vector<Cta>& all = own();
    auto found = std::lower_bound(all.begin(), all.end(), cta, kByCta);
    if (found == all.end() || found->cta != cta)
        found = all.insert(found, {cta, std::make_shared<Times>()});
    else if (found->times.use_count() > 1)
        found->times = std::make_shared<Times>(*found->times);
    Times& times = *found->times;
    auto at = std::lower_bound(times.begin(), times.end(), key, kByKey);
    if (at == times.end() || at->first != key) at = times.insert(at, {key, LaneTimes{}});
    return at->second;
}

void Clock::raise(std::uint32_t cta, std::uint32_t key, Lanes lanes, Time time)
{
    if (time != 0 && !reached(cta, key, lanes, time)) change(cta, key).raise(lanes, time);
}

void Clock::join(std::uint32_t cta, std::uint32_t key, const LaneTimes& times)
{
    if (times.none()) return;
    const LaneTimes* known = find(cta, key);
    if (known == nullptr || !known->covers(times)) change(cta, key).join(times);
}

bool Clock::covers(const Times& a, const Times& b) noexcept
{
    auto at = a.begin();
    for (const auto& [key, times] : b) {
        while (at != a.end() && at->first < key) ++at;
        if (at == a.end() || at->first != key || !at->second.covers(times)) return false;
    }
    return true;
}

bool Clock::covers(const Clock& other) const noexcept
{
    if (ctas_ == other.ctas_ || other.ctas_ == nullptr) return true;
    if (ctas_ == nullptr) return false;
    auto at = ctas_->begin();
    for (const Cta& theirs : *other.ctas_) {
        while (at != ctas_->end() && at->cta < theirs.cta) ++at;
        if (at == ctas_->end() || at->cta != theirs.cta) return false;
        if (at->times != theirs.times && !covers(*at->times, *theirs.times)) return false;
    }
    return true;
}

Clock Clock::withoutThreads(std::uint32_t cta) const
{
    Clock rest = *this;
    if (!knows(cta)) return rest;
    std::vector<Cta>& all = rest.own();
    const auto found = std::lower_bound(all.begin(), all.end(), cta, kByCta);
    auto kept = std::make_shared<Times>();
    for (const auto& [key, times] : *found->times)
        if (key >> 8 != static_cast<std::uint32_t>(Line::Threads)) kept->push_back({key, times});
    found->times = std::move(kept);
    return rest;
}

void Clock::join(const Clock& other)
{
    if (covers(other)) return;
    if (other.covers(*this)) {
        ctas_ = other.ctas_;
        return;
    }
    const std::vector<Cta> theirs = *other.ctas_;
    for (const Cta& their : theirs) {
        std::vector<Cta>& all = own();
        const auto found = std::lower_bound(all.begin(), all.end(), their.cta, kByCta);
        if (found == all.end() || found->cta != their.cta) {
            all.insert(found, their);
        } else if (found->times != their.times && !covers(*found->times, *their.times)) {
            if (covers(*their.times, *found->times)) {
                found->times = their.times;
                continue;
            }
            for (const auto& [key, times] : *their.times) change(their.cta, key).join(times);
        }
    }
}

}  // namespace gsu::races
