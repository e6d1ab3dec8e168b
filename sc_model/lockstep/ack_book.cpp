#include "lockstep/ack_book.hpp"

#include <algorithm>
#include <bit>

#include "golden/op_traits.hpp"

namespace gsu::lockstep {

void AckBook::sent(std::uint64_t id, const WarpRef& source, std::uint16_t tag, Lanes lanes,
                   std::uint8_t owner, Op op, bool own)
{
    const bool each = isUnordered(op);  // a packet a lane
    const Lanes top = Lanes{1} << (31 - std::countl_zero(lanes));
    using Stage = Sent::Stage;
    sms_[source.sm].push_back({id, source.cta, owner, tag, lanes, 0, each ? lanes : top,
                               each ? Stage::Away : Stage::Leaving, 0, each, op == Op::Atom,
                               isAtomic(op), own, isCancel(op), op == Op::EvAgentArrive});
    ++debts_;
    leaving_ += !each;
}

void AckBook::left(std::uint8_t sm, std::uint64_t id)
{
    for (Sent& s : sms_[sm])
        if (s.id == id && s.stage == Sent::Stage::Leaving) s.stage = Sent::Stage::Answered;
}

void AckBook::committed(std::uint8_t sm, std::uint64_t id, Lanes lanes)
{
    for (Sent& s : sms_[sm])
        if (s.id == id) {
            s.committed |= lanes;
            if (s.packets) s.missing |= Lanes{1} << (31 - std::countl_zero(lanes));
        }
}

void AckBook::returned(std::uint8_t sm, std::uint64_t id)
{
    for (Sent& s : sms_[sm])
        if (s.id == id) s.returned = true;
}

namespace {
constexpr const char* kWrongEpoch =
    "acknowledgement in an epoch in which its packet cannot have left";
}  // namespace

std::string AckBook::acknowledged(const Commit& a)
{
    auto& sent = sms_[a.at.sm];
    bool any = false, other = false;
    for (std::size_t i = 0; i < sent.size(); ++i) {
        Sent& s = sent[i];
        // A completion may have the tag of a request.
        const bool async = (a.object >> 1 & 1) != 0;
        const bool network = a.src == Src::Network;  // it came back, or never left
        const bool owner = s.owner == a.srcSm;
        const bool fits = s.cta == a.at.cta && s.tag == a.tag && (a.lanes & ~s.lanes) == 0 &&
                          (s.cancel  ? s.own == network && (s.own || owner)
                           : s.agent ? s.returned == network && (network || owner)
                                     : owner || network);
        if (!fits) continue;
        other |= s.async != async;
        if (s.async != async) continue;
        any = true;
        if (std::popcount(a.lanes) != 1 || (a.lanes & ~s.committed) != 0) continue;
        if (!async && (s.epochs >> (a.object & 1) & 1) == 0) return kWrongEpoch;
        if (((a.object >> 2 & 1) != 0) != s.reply)
            return "acknowledgement that answers, or does not, unlike its operation (ATOM-029)";
        s.lanes &= ~a.lanes;  // no second time
        s.missing &= ~a.lanes;
        if (s.missing == 0) {
            leaving_ -= s.stage != Sent::Stage::Away;
            sent.erase(sent.begin() + static_cast<std::ptrdiff_t>(i));
            --debts_;
        }
        return {};
    }
    if (!any && other) return kWrongEpoch;
    return any ? "acknowledgement before the commit of its packet (D-54)"
               : "acknowledgement of no packet of this CTA (never sent, or acknowledged twice)";
}

bool AckBook::owed(std::uint8_t sm, std::uint64_t id) const
{
    return std::any_of(sms_[sm].begin(), sms_[sm].end(), [&](const Sent& s) { return s.id == id; });
}

bool AckBook::owed(const WarpRef& at, std::span<const std::uint64_t> except) const
{
    return std::ranges::any_of(sms_[at.sm], [&](const Sent& s) {
        return s.cta == at.cta && std::ranges::find(except, s.id) == except.end();
    });
}

void AckBook::withdrawn(std::uint8_t sm, std::uint64_t id)
{
    std::erase_if(sms_[sm], [&](const Sent& s) {
        if (s.id != id) return false;
        leaving_ -= s.stage != Sent::Stage::Away;
        --debts_;
        return true;
    });
}

}  // namespace gsu::lockstep
