#include "lockstep/ack_book.hpp"

#include <algorithm>
#include <bit>

namespace gsu::lockstep {

void AckBook::sent(std::uint64_t id, const WarpRef& source, std::uint16_t tag, Lanes lanes,
                   std::uint8_t owner, bool each)
{
    const Lanes top = Lanes{1} << (31 - std::countl_zero(lanes));
    sms_[source.sm].push_back({id, source.cta, owner, tag, lanes, 0, each ? lanes : top});
    ++debts_;
}

void AckBook::committed(std::uint8_t sm, std::uint64_t id, Lanes lanes)
{
    for (Sent& s : sms_[sm])
        if (s.id == id) s.committed |= lanes;
}

std::string AckBook::acknowledged(const Commit& a)
{
    auto& sent = sms_[a.at.sm];
    bool any = false;
    for (std::size_t i = 0; i < sent.size(); ++i) {
        Sent& s = sent[i];
        const bool fits = s.cta == a.at.cta && s.tag == a.tag && (a.lanes & ~s.lanes) == 0 &&
                          (s.owner == a.srcSm || a.src == Src::Network);
        if (!fits) continue;
        any = true;
        if (std::popcount(a.lanes) != 1 || (a.lanes & ~s.committed) != 0) continue;
        s.lanes &= ~a.lanes;  // no second time
        s.missing &= ~a.lanes;
        if (s.missing == 0) {
            sent.erase(sent.begin() + static_cast<std::ptrdiff_t>(i));
            --debts_;
        }
        return {};
    }
    return any ? "acknowledgement before the commit of its packet (D-54)"
               : "acknowledgement of no packet of this CTA (never sent, or acknowledged twice)";
}

bool AckBook::owed(const WarpRef& at) const
{
    const auto& sent = sms_[at.sm];
    return std::any_of(sent.begin(), sent.end(), [&](const Sent& s) { return s.cta == at.cta; });
}

}  // namespace gsu::lockstep
