#include "lockstep/ack_book.hpp"

#include <algorithm>
#include <bit>
#include <cassert>

#include "base/by_id.hpp"
#include "golden/op_traits.hpp"

namespace gsu::lockstep {

void AckBook::sent(std::uint64_t id, const WarpRef& source, std::uint16_t tag, Lanes lanes,
                   std::uint8_t owner, Op op, bool own)
{
    const bool each = isUnordered(op);  // a packet a lane
    const Lanes top = Lanes{1} << (31 - std::countl_zero(lanes));
    using Stage = Sent::Stage;
    assert(sms_[source.sm].sent.empty() || sms_[source.sm].sent.back().id < id);
    sms_[source.sm].sent.push_back({id, source.cta, owner, tag, lanes, 0, each ? lanes : top,
                                    each ? Stage::Away : Stage::Leaving, 0, samples_, each,
                                    op == Op::Atom, isAtomic(op), own, isCancel(op),
                                    op == Op::EvAgentArrive});
    ++debts_;
    if (!each) count(sms_[source.sm], source.cta, 1);
}

void AckBook::count(Source& source, std::uint8_t cta, int by) noexcept
{
    leaving_ += static_cast<std::uint32_t>(by);
    std::uint32_t& of = source.ctas[cta].leaving;
    of += static_cast<std::uint32_t>(by);
    const std::uint32_t bit = 1u << cta;
    source.leaving = of != 0 ? source.leaving | bit : source.leaving & ~bit;
}

std::uint8_t AckBook::epochsOf(const Source& source, const Sent& s) noexcept
{
    if (s.stage == Sent::Stage::Away) return s.epochs;
    const std::array<std::uint64_t, 2>& seen = source.ctas[s.cta].seen;
    return static_cast<std::uint8_t>(unsigned{seen[0] > s.since} | unsigned{seen[1] > s.since}
                                                                       << 1);
}

void AckBook::settle()
{
    for (const auto& [sm, id] : answered_) {
        Source& source = sms_[sm];
        Sent* s = byId(source.sent, id);
        if (s == nullptr) continue;  // acknowledged in the same step
        s->epochs = epochsOf(source, *s);
        s->stage = Sent::Stage::Away;
        count(source, s->cta, -1);
    }
    answered_.clear();
}

void AckBook::left(std::uint8_t sm, std::uint64_t id)
{
    Sent* s = byId(sms_[sm].sent, id);
    if (s == nullptr || s->stage != Sent::Stage::Leaving) return;
    s->stage = Sent::Stage::Answered;
    answered_.emplace_back(sm, id);
}

void AckBook::committed(std::uint8_t sm, std::uint64_t id, Lanes lanes)
{
    Sent* s = byId(sms_[sm].sent, id);
    if (s == nullptr) return;
    s->committed |= lanes;
    if (s->packets) s->missing |= Lanes{1} << (31 - std::countl_zero(lanes));
}

void AckBook::returned(std::uint8_t sm, std::uint64_t id)
{
    if (Sent* s = byId(sms_[sm].sent, id)) s->returned = true;
}

namespace {
constexpr const char* kWrongEpoch =
    "acknowledgement in an epoch in which its packet cannot have left";
}  // namespace

std::string AckBook::acknowledged(const Commit& a)
{
    Source& source = sms_[a.at.sm];
    std::vector<Sent>& sent = source.sent;
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
        if (!async && (epochsOf(source, s) >> (a.object & 1) & 1) == 0) return kWrongEpoch;
        if (((a.object >> 2 & 1) != 0) != s.reply)
            return "acknowledgement that answers, or does not, unlike its operation (ATOM-029)";
        s.lanes &= ~a.lanes;  // no second time
        s.missing &= ~a.lanes;
        if (s.missing == 0) {
            if (s.stage != Sent::Stage::Away) count(source, s.cta, -1);
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
    return byId(sms_[sm].sent, id) != nullptr;
}

bool AckBook::owed(const WarpRef& at, std::span<const std::uint64_t> except) const
{
    return std::ranges::any_of(sms_[at.sm].sent, [&](const Sent& s) {
        return s.cta == at.cta && std::ranges::find(except, s.id) == except.end();
    });
}

void AckBook::withdrawn(std::uint8_t sm, std::uint64_t id)
{
    Source& source = sms_[sm];
    const Sent* s = byId(source.sent, id);
    if (s == nullptr) return;
    if (s->stage != Sent::Stage::Away) count(source, s->cta, -1);
    source.sent.erase(source.sent.begin() + (s - source.sent.data()));
    --debts_;
}

}  // namespace gsu::lockstep
