/// A port for a driver that counts SMs, CTA slots, warps and tags from 0, while they lie elsewhere at the port behind it: traffic that uses few of them reaches
/// every bit of their numbers. For traffic that launches each slot once.
#pragma once
#include <array>

#include "golden/cta_table.hpp"
#include "golden/forwarding_port.hpp"
#include "golden/op_traits.hpp"

namespace gsu::test {

/// Where they lie. As it is made, only SMs can be elsewhere.
struct Places {
    std::uint8_t firstSm{};
    /// CTA slots, warps and cluster slots are others on every SM, also from one seed to the next; CTAs have all their warps, of which those without a place exit at
    /// once; tags are backwards; CTAs of clusters and others have eras of their own.
    bool everywhere{};
    std::uint8_t seed{};
};

class Moved final : public ForwardingPort {
public:
    Moved(SyncPort& inner, const Places& places) : ForwardingPort(inner), places_(places) {}

private:
    static constexpr unsigned kTagBits = 12, kSlots = 32;  ///< CTA slots of an SM, warps of a CTA
    static constexpr unsigned kClusterStep = 21;           ///< reaches all cluster slots by and by

    [[nodiscard]] std::uint8_t in(std::uint8_t sm) const
    {
        return static_cast<std::uint8_t>(sm + places_.firstSm);
    }
    /// `number` of kSlots elsewhere, another for each SM of the driver and each seed: 0 and 1 differ in all bits, and so do 2 and 3. `back`: the way back.
    [[nodiscard]] std::uint8_t turned(unsigned number, unsigned sm, bool back) const
    {
        if (!places_.everywhere) return static_cast<std::uint8_t>(number);
        const unsigned turn = (2 * sm + places_.seed) % kSlots, last = kSlots - 1;
        const unsigned from = back ? number ^ turn : number;
        const unsigned other = back ? (from < kSlots / 2 ? 2 * from : 2 * (last - from) + 1)
                                    : (from % 2 == 0 ? from / 2 : last - from / 2);
        return static_cast<std::uint8_t>(back ? other : other ^ turn);
    }
    /// The bits of a tag backwards: tags that are given in order change all of them soon.
    [[nodiscard]] std::uint16_t tagOf(std::uint16_t tag) const
    {
        if (!places_.everywhere) return tag;
        unsigned moved = tag >> kTagBits << kTagBits;
        for (unsigned bit = 0; bit < kTagBits; ++bit)
            moved |= (tag >> bit & 1u) << (kTagBits - 1 - bit);
        return static_cast<std::uint16_t>(moved);
    }
    [[nodiscard]] std::uint8_t eraOf(bool cluster) const
    {
        const unsigned era = places_.seed * 0x25u;
        return static_cast<std::uint8_t>(!places_.everywhere ? 0 : cluster ? era : ~era);
    }
    template <class Record> [[nodiscard]] Record in(Record r) const { return moved(r, false); }
    template <class Record> [[nodiscard]] Record out(Record r) const { return moved(r, true); }
    template <class Record> [[nodiscard]] Record moved(Record r, bool back) const
    {
        const auto place = [&](auto& at) {
            const unsigned sm = at.sm - (back ? places_.firstSm : 0u);
            at.sm = static_cast<std::uint8_t>(back ? sm : sm + places_.firstSm);
            if constexpr (requires { at.cta; }) at.cta = turned(at.cta, sm, back);
            if constexpr (requires { at.warp; }) at.warp = turned(at.warp, sm, back);
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
    /// What the operation does not read has any value.
    void present(const SyncRequest& r) override
    {
        SyncRequest moved = in(r);
        if (places_.everywhere && isMbarRequest(r)) moved.pred = r.tag * 0x9e37'79b9u;
        inner_.present(moved);
    }
    void notify(const AsyncUpdate& u) override
    {
        AsyncUpdate moved = in(u);
        moved.era = eraOf(clustered_[u.sm % kSlots] >> u.cta & 1);
        inner_.notify(moved);
    }
    void announce(const Accesses& a) override { inner_.announce(in(a)); }
    void performed(const Accesses& a) override { inner_.performed(in(a)); }
    void exit(const Exit& e) override { inner_.exit(in(e)); }
    void answerCancel(const CancelAnswer& a) override { inner_.answerCancel(in(a)); }
    void route(const ClusterRoute& r) override
    {
        ClusterRoute moved = in(r);
        moved.cluster = clusterOf(r.cluster);
        inner_.route(moved);
    }
    [[nodiscard]] std::uint8_t clusterOf(std::uint8_t slot) const
    {
        return static_cast<std::uint8_t>(
            places_.everywhere ? (slot + kClusterStep * places_.seed) % kMaxClusters : slot);
    }
    bool launch(const Launch& l) override
    {
        Launch moved = in(l);
        if (l.ctas > 1) moved.cluster = clusterOf(l.cluster);
        if (places_.everywhere) {
            moved.wbase = (l.wbase == 0) == (places_.seed % 2 == 0) ? 0 : kMaxWarps;
            moved.threads = kMaxWarps * kLanes;
        }
        moved.era = eraOf(l.ctas > 1);
        if (!inner_.launch(moved)) return false;
        if (l.ctas > 1) clustered_[l.sm % kSlots] |= 1u << l.cta;
        for (unsigned w = warpsOf(l.threads); w < warpsOf(moved.threads); ++w)
            inner_.exit(in(Exit{{l.sm, l.cta, std::uint8_t(w)}, ~Lanes{0}, false}));
        return true;
    }
    void onResponse(const SyncResponse& r) override { sink_->onResponse(out(r)); }
    void onRelease(const Release& r) override
    {
        Release moved = out(r);
        moved.warps = 0;
        eachLane(r.warps, [&](unsigned w) { moved.warps |= 1u << turned(w, moved.sm, true); });
        sink_->onRelease(moved);
    }
    void onCommit(const Commit& c) override { sink_->onCommit(out(c)); }
    void onDelivered(const Delivered& d) override { sink_->onDelivered(out(d)); }
    void onCtaFree(const CtaFree& f) override { sink_->onCtaFree(out(f)); }
    void onCancel(const CancelQuery& q) override { sink_->onCancel(out(q)); }

    Places places_;
    std::array<std::uint32_t, kSlots> clustered_{};  ///< by SM of the driver: CTAs of clusters
};

}  // namespace gsu::test
