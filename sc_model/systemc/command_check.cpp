#include "systemc/command_check.hpp"

namespace gsu {

namespace {

constexpr unsigned kMaxTag = 4095;
constexpr unsigned kMaxThreads = 1024;
constexpr auto kLastRequestable = Op::ClcQueryCancel;

struct Checker {
    unsigned sms;

    [[nodiscard]] std::string slot(unsigned sm, unsigned cta) const
    {
        if (sm >= sms) return "SM " + std::to_string(sm) + " of " + std::to_string(sms);
        if (cta >= kMaxCtas)
            return "CTA slot " + std::to_string(cta) + " of " + std::to_string(kMaxCtas);
        return {};
    }
    [[nodiscard]] std::string warp(const WarpRef& at) const
    {
        if (at.warp >= kMaxWarps)
            return "warp " + std::to_string(at.warp) + " of " + std::to_string(kMaxWarps);
        return slot(at.sm, at.cta);
    }
    [[nodiscard]] static std::string cluster(unsigned id, unsigned rank, unsigned ctas)
    {
        if (id >= kMaxClusters)
            return "cluster slot " + std::to_string(id) + " of " + std::to_string(kMaxClusters);
        if (ctas < 1 || ctas > kMaxRanks) return "a cluster of " + std::to_string(ctas) + " CTAs";
        if (rank >= ctas) return "rank " + std::to_string(rank) + " of " + std::to_string(ctas);
        return {};
    }

    std::string operator()(std::monostate) const { return "no command in the extension"; }
    std::string operator()(const SyncRequest& r) const
    {
        if (r.op == Op::None || r.op > kLastRequestable)
            return "operation " + std::to_string(unsigned(r.op)) + " cannot be requested";
        if (r.lanes == 0) return "a request without lanes";
        if (r.tag > kMaxTag)
            return "tag " + std::to_string(r.tag) + " above " + std::to_string(kMaxTag);
        return warp(r.at);
    }
    std::string operator()(const Launch& l) const
    {
        if (l.threads < 1 || l.threads > kMaxThreads)
            return "a CTA of " + std::to_string(l.threads) + " threads";
        if (l.wbase + (l.threads + kLanes - 1) / kLanes > kMaxWarpSlots)
            return "warp slots above " + std::to_string(kMaxWarpSlots);
        const std::string reason = slot(l.sm, l.cta);
        return reason.empty() ? cluster(l.cluster, l.rank, l.ctas) : reason;
    }
    std::string operator()(const Exit& e) const
    {
        return e.lanes == 0 ? "an exit without lanes" : warp(e.at);
    }
    std::string operator()(const ClusterRoute& r) const
    {
        const std::string reason = slot(r.sm, r.cta);
        return reason.empty() ? cluster(r.cluster, r.rank, r.ctas) : reason;
    }
    std::string operator()(const AsyncUpdate& u) const { return warp({u.sm, u.cta, u.warp}); }
    std::string operator()(const Stored& s) const { return slot(s.sm, 0); }
};

}  // namespace

std::string problemOf(const SyncCommand& command, unsigned sms)
{
    return std::visit(Checker{sms}, command);
}

std::uint8_t smOf(const SyncCommand& command) noexcept
{
    struct {
        std::uint8_t operator()(std::monostate) const { return 0; }
        std::uint8_t operator()(const SyncRequest& r) const { return r.at.sm; }
        std::uint8_t operator()(const Launch& l) const { return l.sm; }
        std::uint8_t operator()(const Exit& e) const { return e.at.sm; }
        std::uint8_t operator()(const ClusterRoute&) const { return 0; }
        std::uint8_t operator()(const AsyncUpdate& u) const { return u.sm; }
        std::uint8_t operator()(const Stored& s) const { return s.sm; }
    } visitor;
    return std::visit(visitor, command);
}

}  // namespace gsu
