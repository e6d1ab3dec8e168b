// clusterlaunchcontrol.try_cancel on the golden port: lanes ask, the driver answers at any time, responses are delivered in the next cycle
// (CLC-003, CLC-005, CLC-006, CLC-009, CLC-013, D-55, D-56).
#include "golden/golden_port.hpp"

namespace gsu {
namespace {

constexpr std::uint8_t kSlots = 32;  ///< names of queries on a port

}  // namespace

/// The lane continues at once: its response comes later (CLC-005).
void GoldenPort::cancelAsk(const SyncRequest& r, unsigned lane, std::uint32_t offset)
{
    Sm& sm = sms_[r.at.sm];
    sm.asks.push_back({r.at, r.tag, static_cast<std::uint8_t>(lane), r.remote, offset});
    ++sm.owed[r.at.cta];
    mbarAnswer(r.at, r.tag, Lanes{1} << lane, Cause::Done);
}

/// Reports new queries to the driver, as long as there are free names.
void GoldenPort::cancelTell(unsigned index)
{
    Sm& sm = sms_[index];
    for (std::uint8_t slot = 0; slot < kSlots && !sm.asks.empty(); ++slot) {
        if (sm.told.contains(slot)) continue;
        const Cancel& c = sm.told[slot] = sm.asks.front();
        sm.asks.pop_front();
        if (sink_ != nullptr)
            sink_->onCancel({c.at.sm, c.at.cta, c.lane, slot, c.tag, c.multicast, now_});
    }
}

/// One response for each target, the same bytes in all (D-56).
void GoldenPort::answerCancel(const CancelAnswer& answer)
{
    auto& told = sms_[answer.sm].told;
    const auto found = told.find(answer.slot);
    if (found == told.end()) {
        if (!fault_)
            fault_ = Fault{Fault::Kind::Protocol, now_, "answer to no query of try_cancel"};
        return;
    }
    const Cancel cancel = found->second;
    told.erase(found);
    const Launch& own = unit_.cta(cancel.at).launch;
    for (std::uint8_t rank = 0; cancel.multicast && rank < own.ctas; ++rank)
        if (rank != own.rank) cancelSend(cancel, rank, false);
    cancelSend(cancel, own.ctas > 1 ? own.rank : std::uint8_t{0}, true);
}

void GoldenPort::cancelSend(const Cancel& cancel, std::uint8_t rank, bool own)
{
    Packet packet = packetOf(cancel.at, Op::ClcTryCancel, cancel.tag, cancel.lane, kCancelBytes,
                             rank, cancel.offset);
    packet.request.remote = cancel.multicast;
    packet.to.away = !own;
    packet.own = own;
    (own ? arriving_ : packets_).push_back(packet);
}

}  // namespace gsu
