/// GoldenPort plus a plain functional mbarrier unit over the executor's shared bytes: every operation in one clock, remote ones
/// after a seeded delay, waits parked until flip or limit. Only for the tests of tb/exec.
#pragma once
#include <functional>
#include <map>
#include <random>
#include <tuple>
#include <utility>
#include <vector>

#include "golden/golden_port.hpp"
#include "golden/mbarrier.hpp"

namespace gsu::test {

class MbarPort : public GoldenPort, private SyncSink {
public:
    MbarPort(unsigned sms, SharedMemory& memory, std::uint64_t seed)
        : GoldenPort(sms), memory_(&memory), random_(seed), busy_(sms)
    {
        GoldenPort::setSink(*this);
    }
    void setSink(SyncSink& sink) override { out_ = &sink; }
    bool canPresent(std::uint8_t sm) const override
    {
        return busy_[sm] == 0 && GoldenPort::canPresent(sm);
    }
    void present(const SyncRequest& r) override
    {
        const bool mine = (r.op >= Op::MbarInit && r.op <= Op::CpAsyncArriveNoinc) ||
                          r.op == Op::StAsync || r.op == Op::RedAsync || r.op == Op::ClcTryCancel;
        if (!mine) return GoldenPort::present(r);
        busy_[r.at.sm] = 1;
        work_.push_back(r);
    }
    bool canNotify(std::uint8_t) const override { return true; }
    void notify(const AsyncUpdate& u) override { updates_.push_back(u); }
    void answerCancel(const CancelAnswer& a) override
    {
        const auto [r, lane] = queries_.at({a.sm, a.slot});
        queries_.erase({a.sm, a.slot});
        const Launch own = launches_.at({r.at.sm, r.at.cta});
        for (std::uint8_t rank = 0; rank < own.ctas; ++rank) {
            if (!r.remote && rank != own.rank) continue;
            const Launch to = own.ctas > 1 ? members_.at({own.cluster, rank}) : own;
            later_.emplace(now() + 20 + random_() % 40, [this, r = r, lane = lane, to] {
                out_->onDelivered({to.sm, to.cta, r.tag, now(), false, Lanes{1} << lane});
                apply(to, r.addr[lane], {MbarOp::CompleteTx, 16, false}, r.at, r.tag, r.op);
            });
        }
    }
    bool launch(const Launch& l) override
    {
        if (!GoldenPort::launch(l)) return false;
        launches_[{l.sm, l.cta}] = l;
        if (l.ctas > 1) members_[{l.cluster, l.rank}] = l;
        return true;
    }
    void step() override
    {
        for (const SyncRequest& r : std::exchange(work_, {})) request(r);
        for (const AsyncUpdate& u : std::exchange(updates_, {})) update(u);
        for (auto it = later_.begin(); it != later_.end() && it->first <= now();) {
            const auto run = it->second;
            it = later_.erase(it);
            run();
        }
        wakeWaiters();
        std::fill(busy_.begin(), busy_.end(), 0);
        GoldenPort::step();
    }
    Cycle quietUntil() const override
    {
        if (!work_.empty() || !updates_.empty()) return now();
        Cycle next = GoldenPort::quietUntil();
        if (!later_.empty()) next = std::min(next, std::max(now(), later_.begin()->first));
        for (const Waiter& w : waiters_) next = std::min(next, std::max(now(), w.limit));
        return next;
    }
    unsigned flips{}, remotes{}, errors{};

private:
    struct Waiter {
        SyncRequest request;
        Cycle limit{};
    };
    [[nodiscard]] Launch placeOf(const SyncRequest& r, std::uint32_t address) const
    {
        const Launch own = launches_.at({r.at.sm, r.at.cta});
        return own.ctas > 1 && address >> 24 != own.rank
                   ? members_.at({own.cluster, std::uint8_t(address >> 24)})
                   : own;
    }
    [[nodiscard]] MbarState load(const Launch& l, std::uint32_t a) const
    {
        return unpackMbar(memory_->readWord(l.sm, l.base + (a & 0xff'ffff)));
    }
    std::uint64_t apply(const Launch& l, std::uint32_t a, MbarRequest op, const WarpRef& at,
                        std::uint16_t tag, Op name)
    {
        const MbarState before = load(l, a);
        const MbarNext next = mbarNext(before, op);
        memory_->writeWord(l.sm, l.base + (a & 0xff'ffff), packMbar(next.state));
        flips += next.flip;
        Commit c;
        c.cycle = now();
        c.unit = Unit::Mbarrier;
        c.op = name;
        c.at = at;
        c.tag = tag;
        c.object = a;
        c.oldWord = packMbar(before);
        c.newWord = packMbar(next.state);
        c.flip = next.flip;
        c.errs = next.errs;
        c.refused = next.refused;
        errors += next.errs != 0;
        out_->onCommit(c);
        return next.result;
    }
    void answer(const SyncRequest& r, Lanes lanes, std::uint64_t value, Lanes pred)
    {
        SyncResponse a;
        a.tag = r.tag;
        a.at = r.at;
        a.lanes = lanes;
        a.pred = pred;
        a.value = value;
        a.cycle = now();
        out_->onResponse(a);
    }
    [[nodiscard]] static MbarOp opOf(Op op)
    {
        switch (op) {
            case Op::MbarInit: return MbarOp::Init;
            case Op::MbarExpectTx: return MbarOp::ExpectTx;
            case Op::MbarCompleteTx: return MbarOp::CompleteTx;
            case Op::MbarArriveExpectTx: return MbarOp::ArriveExpectTx;
            case Op::MbarArriveDrop: return MbarOp::Drop;
            case Op::MbarDropExpectTx: return MbarOp::DropExpectTx;
            case Op::CpAsyncArrive: return MbarOp::CpAsyncIncrement;
            default: return MbarOp::Arrive;
        }
    }
    [[nodiscard]] bool holds(const SyncRequest& r, unsigned l) const
    {
        const MbarState s = load(placeOf(r, r.addr[l]), r.addr[l]);
        const bool parity = r.op == Op::MbarTestWaitParity || r.op == Op::MbarTryWaitParity;
        return parity ? mbarTestParity(s, std::uint32_t(r.data[l])) : mbarTest(s, r.data[l]);
    }
    void ask(const SyncRequest& r)
    {
        for (Lanes left = r.lanes; left != 0; left &= left - 1) {
            const auto l = std::uint8_t(__builtin_ctz(left));
            std::uint8_t slot = 0;
            while (queries_.contains({r.at.sm, slot})) ++slot;
            queries_[{r.at.sm, slot}] = {r, l};
            answer(r, 1u << l, 0, 0);
            out_->onCancel({r.at.sm, r.at.cta, l, slot, r.tag, r.remote, now()});
        }
    }
    void request(const SyncRequest& r)
    {
        if (r.op == Op::ClcTryCancel) return ask(r);
        const bool waits = r.op >= Op::MbarTestWait && r.op <= Op::MbarTryWaitParity;
        if (waits) {
            const bool parks = r.op >= Op::MbarTryWait;
            waiters_.push_back(
                {r, parks ? now() + (r.kind != 0 ? r.limit[unsigned(__builtin_ctz(r.lanes))] : 300)
                          : now()});
            return;
        }
        for (Lanes left = r.lanes; left != 0; left &= left - 1) {
            const auto l = unsigned(__builtin_ctz(left));
            std::uint64_t value = 0;
            const Launch to = placeOf(r, r.addr[l]);
            const bool data = r.op == Op::StAsync || r.op == Op::RedAsync;
            if (data || to.sm != r.at.sm || to.cta != r.at.cta) {
                ++remotes;
                const MbarRequest op{data ? MbarOp::CompleteTx : opOf(r.op),
                                     std::uint32_t(r.data[l]), r.noComplete};
                // One thread's operations on one object stay in order.
                Cycle& last = order_[{r.at.sm, r.at.cta, r.at.warp, r.addr[l]}];
                last = std::max(last + 1, now() + 20 + random_() % 40);
                const std::uint32_t a = r.addr[l];
                later_.emplace(last, [this, r, op, to, a, data] {
                    if (data) out_->onDelivered({to.sm, to.cta, r.tag, now(), false});
                    apply(to, a, op, r.at, r.tag, r.op);
                });
            } else if (r.op != Op::MbarInval && r.op != Op::CpAsyncArriveNoinc) {
                value = apply(to, r.addr[l], {opOf(r.op), std::uint32_t(r.data[l]), r.noComplete},
                              r.at, r.tag, r.op);
            }
            answer(r, 1u << l, value, 0);
        }
    }
    /// One arrival in each CTA of the mask; those of others come later.
    void agent(const AsyncUpdate& u, const Launch& own)
    {
        for (std::uint8_t rank = 0; rank < own.ctas; ++rank) {
            if ((u.amount >> rank & 1) == 0) continue;
            const Launch to = own.ctas > 1 ? members_.at({own.cluster, rank}) : own;
            const Cycle delay = rank == own.rank ? 0 : 20 + random_() % 40;
            later_.emplace(now() + delay, [this, u, to] {
                apply(to, u.addr, {MbarOp::Arrive, 1, false}, {u.sm, u.cta, u.warp}, u.tag,
                      Op::EvAgentArrive);
            });
        }
    }
    void update(const AsyncUpdate& u)
    {
        const Launch l = launches_.at({u.sm, u.cta});
        if (u.kind == AsyncKind::AgentArrive) return agent(u, l);
        const bool arrive = u.kind == AsyncKind::ArriveOn;
        for (std::uint32_t i = 0; i < (arrive ? u.amount : 1); ++i) {
            apply(
                l, u.addr,
                {arrive ? MbarOp::CpAsyncArrive : MbarOp::CompleteTx, arrive ? 1 : u.amount, false},
                {u.sm, u.cta, u.warp}, u.tag, arrive ? Op::EvAsyncArrive : Op::EvAsyncCompleteTx);
        }
    }
    void wakeWaiters()
    {
        std::vector<Waiter> list = std::exchange(waiters_, {});
        for (Waiter& w : list) {
            Lanes yes = 0;
            for (Lanes left = w.request.lanes; left != 0; left &= left - 1) {
                const auto l = unsigned(__builtin_ctz(left));
                yes |= holds(w.request, l) ? 1u << l : 0;
            }
            if (yes != 0) answer(w.request, yes, 0, yes);
            w.request.lanes &= ~yes;
            if (w.request.lanes == 0) continue;
            if (w.limit <= now())
                answer(w.request, w.request.lanes, 0, 0);
            else
                waiters_.push_back(w);
        }
    }
    void onResponse(const SyncResponse& r) override { out_->onResponse(r); }
    void onRelease(const Release& r) override { out_->onRelease(r); }
    void onCommit(const Commit& c) override { out_->onCommit(c); }
    void onDelivered(const Delivered& d) override { out_->onDelivered(d); }
    void onCtaFree(const CtaFree& f) override { out_->onCtaFree(f); }

    SharedMemory* memory_;
    std::mt19937_64 random_;
    SyncSink* out_{};
    std::vector<std::uint8_t> busy_;
    std::vector<SyncRequest> work_;
    std::vector<AsyncUpdate> updates_;
    std::vector<Waiter> waiters_;
    std::multimap<Cycle, std::function<void()>> later_;
    std::map<std::pair<std::uint8_t, std::uint8_t>, std::pair<SyncRequest, std::uint8_t>>
        queries_;  ///< of try_cancel, by SM and slot
    std::map<std::pair<std::uint8_t, std::uint8_t>, Launch> launches_, members_;
    std::map<std::tuple<std::uint8_t, std::uint8_t, std::uint8_t, std::uint32_t>, Cycle> order_;
};

}  // namespace gsu::test
