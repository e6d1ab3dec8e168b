// What comes to mbarriers without a request: completions of copies, arrivals of agents, answers to try_cancel.
#include "traffic/mbar_traffic.hpp"

namespace gsu::traffic {
namespace {

/// Limit of completions that wait to be reported; a unit that takes them more slowly than they arise gets no more.
constexpr std::size_t kBacklog = 64;

/// Reports what is due, in order, until the port takes no more in this cycle: `tell` then returns false.
template <class What, class Tell>
void tellDue(std::deque<std::pair<Cycle, What>>& due, Cycle now, const Tell& tell)
{
    for (auto it = due.begin(); it != due.end();) {
        if (it->first > now)
            ++it;
        else if (tell(it->second))
            it = due.erase(it);
        else
            return;
    }
}

}  // namespace

/// Gives an arrival of an agent at any CTAs of the cluster, or at a CTA without a cluster; some masks and offsets are wrong.
void MbarTraffic::agent(std::uint8_t index)
{
    const unsigned cta = some(agents_, index);
    const unsigned ctas = cta == 0 ? options_.sms : 1;
    const unsigned i = agents_.below(kObjects);
    AsyncUpdate u{AsyncKind::AgentArrive,
                  index,
                  slot(index, cta),
                  static_cast<std::uint8_t>(agents_.below(kWarps)),
                  offsetOf(i),
                  agents_.percent(3) ? 0 : 1 + agents_.below((1u << ctas) - 1),
                  static_cast<std::uint16_t>(agents_.next() & 0xffff)};
    if (agents_.percent(3)) u.amount |= 1u << ctas;
    if (agents_.percent(3)) u.addr += agents_.percent(50) ? 4 : window();
    if (!options_.remote && cta == 0) u.amount = 1u << index;
    sms_[index].due.emplace_back(port_.now() + agents_.below(50), u);
}

void MbarTraffic::asyncs(std::uint8_t index)
{
    Sm& sm = sms_[index];
    const bool stopping = !left_ && stops(index, 0);
    if (options_.agents && !stopping && stats_.requests < options_.requests && agents_.percent(2))
        agent(index);
    if (options_.async && !stopping && stats_.requests < options_.requests && random_.percent(4) &&
        sm.due.size() < kBacklog) {
        const unsigned cta = some(random_, index);
        AsyncUpdate u{AsyncKind::CompleteTx,
                      index,
                      slot(index, cta),
                      1,
                      0,
                      options_.lively && random_.percent(80) ? 0 : 8 * random_.below(3),
                      static_cast<std::uint16_t>(random_.next() & 0xffff)};
        u.addr = object(cta == 0 && options_.sms > 1 ? index : 0) + (random_.percent(3) ? 1 : 0);
        if (options_.wide && random_.percent(5)) u.amount = 1u << random_.below(32);
        sm.due.emplace_back(port_.now() + random_.below(50), u);
    }
    tellDue(sm.due, port_.now(), [&](const AsyncUpdate& update) {
        if (!port_.canNotify(index)) return false;
        port_.notify(update);
        return true;
    });
}

/// Answers like a driver whose queue takes its time.
void MbarTraffic::onCancel(const CancelQuery& q)
{
    ++stats_.queries;
    stats_.multicasts += q.multicast;
    sms_[q.sm].answers.emplace_back(port_.now() + 1 + random_.below(400),
                                    CancelAnswer{q.sm, q.slot, random_.percent(50), {}});
}

void MbarTraffic::answers(std::uint8_t index)
{
    tellDue(sms_[index].answers, port_.now(), [&](const CancelAnswer& answer) {
        if (!port_.canAnswerCancel(index)) return false;
        port_.answerCancel(answer);
        return true;
    });
}

}  // namespace gsu::traffic
