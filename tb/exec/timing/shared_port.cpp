#include "exec/timing/shared_port.hpp"

#include <algorithm>

namespace gsu::timing {
namespace {

constexpr unsigned kBanks = 32, kWord = 4;

/// The most different words that a group of lanes wants of one bank.
class BankCount {
public:
    void want(std::uint64_t word) noexcept
    {
        const auto bank = static_cast<unsigned>(word % kBanks);
        for (unsigned i = 0; i < count_[bank]; ++i) {
            if (words_[bank][i] == word) return;
        }
        words_[bank][count_[bank]++] = word;
        most_ = std::max<unsigned>(most_, count_[bank]);
    }
    [[nodiscard]] unsigned most() const noexcept { return most_; }

private:
    std::array<std::uint8_t, kBanks> count_{};
    std::array<std::array<std::uint64_t, kBanks>, kBanks> words_;  ///< the first count_ of each
    unsigned most_{};
};

/// Whether each lane wants the same as its neighbour, or as the one after that.
bool inPairs(const LaneAccess& access) noexcept
{
    const auto alike = [&](unsigned distance) {
        for (unsigned lane = 0; lane < 32; ++lane) {
            const unsigned other = lane ^ distance;
            const bool both = (access.lanes >> lane & access.lanes >> other & 1) != 0;
            if (both && access.address[lane] != access.address[other]) return false;
        }
        return true;
    };
    return alike(1) || alike(2);
}

/// Lanes that are served at once, unless their words lie in one bank.
unsigned together(const LaneAccess& access, Pairs pairs) noexcept
{
    const unsigned words = std::max(access.bytes / kWord, 1u);
    const bool twice = words > 1 && pairs == Pairs::Together && inPairs(access);
    return (twice ? 64 : 32) / words;
}

}  // namespace

unsigned wavefronts(const LaneAccess& access, Pairs pairs) noexcept
{
    const unsigned words = std::max(access.bytes / kWord, 1u);
    const unsigned group = together(access, pairs);
    unsigned total = 0;
    for (unsigned first = 0; first < 32; first += group) {
        BankCount banks;
        for (unsigned lane = first; lane < first + group; ++lane) {
            if ((access.lanes >> lane & 1) == 0) continue;
            for (unsigned w = 0; w < words; ++w) banks.want(access.address[lane] / kWord + w);
        }
        total += banks.most();
    }
    return total;
}

unsigned returns(const LaneAccess& access) noexcept
{
    const unsigned group = together(access, Pairs::Together);
    const Lanes first = static_cast<Lanes>((std::uint64_t{1} << group) - 1);
    unsigned total = 0;
    for (unsigned lane = 0; lane < 32; lane += group)
        if ((access.lanes >> lane & first) != 0) ++total;
    return total;
}

Ticks SharedPort::timeOf(std::uint64_t bytes) const noexcept
{
    return timeFor(bytes, std::uint64_t{bytes_} * 1000);
}

Span SharedPort::access(Ticks ready, unsigned count, bool beside) noexcept
{
    const Ticks service = timeOf(std::uint64_t{count} * kBanks * kWord);
    return server_.first(ready, service, beside ? 2 * service : service);
}

Span SharedPort::stream(Ticks ready, std::uint64_t bytes, std::uint32_t weight) noexcept
{
    return server_.rest(ready, timeOf(bytes) * weight / 1000);
}

}  // namespace gsu::timing
