/// A port for a driver that counts SMs, CTA slots, warps and tags from 0, while they lie elsewhere at the port behind it: traffic that uses few of them reaches
/// every bit of their numbers.
#pragma once
#include <algorithm>
#include <bit>
#include <numeric>

#include "golden/cta_table.hpp"
#include "golden/forwarding_port.hpp"
#include "traffic/barrier_traffic.hpp"

namespace gsu::test {

/// Where they lie. As it is made, only SMs can be elsewhere.
struct Places {
    std::uint8_t firstSm{};
    std::uint8_t clusters{};  ///< bits of a cluster slot's number that are the other way round
    bool
        all{};  ///< CTAs have all their warps, of which those without a place exit at once; tags are backwards
    std::array<std::uint8_t, 32> ctas{inOrder()}, warps{inOrder()};

    [[nodiscard]] static constexpr std::array<std::uint8_t, 32> inOrder()
    {
        std::array<std::uint8_t, 32> numbers{};
        std::iota(numbers.begin(), numbers.end(), std::uint8_t{0});
        return numbers;
    }
    /// All in an order drawn from `seed`.
    [[nodiscard]] static Places drawn(std::uint64_t seed)
    {
        Places places;
        places.all = true;
        traffic::Random random(seed);
        places.clusters = static_cast<std::uint8_t>(random.below(kMaxClusters));
        for (auto* numbers : {&places.ctas, &places.warps})
            for (unsigned left = 32; left > 1; --left)
                std::swap((*numbers)[left - 1], (*numbers)[random.below(left)]);
        return places;
    }
};

class Moved final : public ForwardingPort {
public:
    Moved(SyncPort& inner, const Places& places) : ForwardingPort(inner), places_(places)
    {
        for (std::uint8_t i = 0; i < 32; ++i) {
            cta_[places.ctas[i]] = i;
            warp_[places.warps[i]] = i;
        }
    }

private:
    static constexpr unsigned kTagBits = 12;

    [[nodiscard]] std::uint8_t in(std::uint8_t sm) const
    {
        return static_cast<std::uint8_t>(sm + places_.firstSm);
    }
    /// The bits of a tag backwards: tags that are given in order change all of them soon.
    [[nodiscard]] std::uint16_t tagOf(std::uint16_t tag) const
    {
        if (!places_.all) return tag;
        unsigned moved = tag & ~0xfffu;
        for (unsigned bit = 0; bit < kTagBits; ++bit)
            moved |= (tag >> bit & 1u) << (kTagBits - 1 - bit);
        return static_cast<std::uint16_t>(moved);
    }
    template <class Record> [[nodiscard]] Record in(Record r) const
    {
        return moved(r, places_.firstSm, places_.ctas, places_.warps);
    }
    template <class Record> [[nodiscard]] Record out(Record r) const
    {
        return moved(r, -int{places_.firstSm}, cta_, warp_);
    }
    template <class Record>
    [[nodiscard]] Record moved(Record r, int sms, const std::array<std::uint8_t, 32>& ctas,
                               const std::array<std::uint8_t, 32>& warps) const
    {
        const auto place = [&](auto& at) {
            at.sm = static_cast<std::uint8_t>(at.sm + sms);
            if constexpr (requires { at.cta; }) at.cta = ctas[at.cta];
            if constexpr (requires { at.warp; }) at.warp = warps[at.warp];
        };
        if constexpr (requires { r.at; })
            place(r.at);
        else
            place(r);
        if constexpr (requires { r.tag; }) r.tag = tagOf(r.tag);
        return r;
    }

    bool canPresent(std::uint8_t sm) const override { return inner_.canPresent(in(sm)); }
    bool canNotify(std::uint8_t sm) const override { return inner_.canNotify(in(sm)); }
    bool canAnswerCancel(std::uint8_t sm) const override { return inner_.canAnswerCancel(in(sm)); }
    std::uint8_t epoch(const WarpRef& at, Reach reach) const override
    {
        return inner_.epoch(in(Exit{at, 0, false}).at, reach);
    }
    void present(const SyncRequest& r) override { inner_.present(in(r)); }
    void notify(const AsyncUpdate& u) override { inner_.notify(in(u)); }
    void announce(const Accesses& a) override { inner_.announce(in(a)); }
    void performed(const Accesses& a) override { inner_.performed(in(a)); }
    void exit(const Exit& e) override { inner_.exit(in(e)); }
    void answerCancel(const CancelAnswer& a) override { inner_.answerCancel(in(a)); }
    void route(const ClusterRoute& r) override
    {
        ClusterRoute moved = in(r);
        moved.cluster ^= places_.clusters;
        inner_.route(moved);
    }
    bool launch(const Launch& l) override
    {
        Launch moved = in(l);
        moved.cluster ^= l.ctas > 1 ? places_.clusters : 0;
        if (places_.all) {
            moved.wbase = l.wbase == 0 ? 0 : kMaxWarps;
            moved.threads = kMaxWarps * kLanes;
        }
        if (!inner_.launch(moved)) return false;
        const unsigned used = warpsOf(l.threads);
        for (unsigned w = used; w < warpsOf(moved.threads); ++w)
            inner_.exit({{moved.sm, moved.cta, places_.warps[w]}, ~Lanes{0}, false});
        return true;
    }
    void onResponse(const SyncResponse& r) override { sink_->onResponse(out(r)); }
    void onRelease(const Release& r) override
    {
        Release moved = out(r);
        moved.warps = 0;
        eachLane(r.warps, [&](unsigned w) { moved.warps |= Lanes{1} << warp_[w]; });
        sink_->onRelease(moved);
    }
    void onCommit(const Commit& c) override { sink_->onCommit(out(c)); }
    void onDelivered(const Delivered& d) override { sink_->onDelivered(out(d)); }
    void onCtaFree(const CtaFree& f) override { sink_->onCtaFree(out(f)); }
    void onCancel(const CancelQuery& q) override { sink_->onCancel(out(q)); }

    Places places_;
    std::array<std::uint8_t, 32> cta_{}, warp_{};  ///< the way back
};

}  // namespace gsu::test
