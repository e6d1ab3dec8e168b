// The part of Round that emits synchronization.
#include "fuzz/round.hpp"

namespace gsu::fuzz {

void Round::noise()
{
    if (has(Feature::Delays) && random.chance(35)) {
        const std::string t = k.b32();
        switch (random.below(3)) {
            case 0:
                k.op("and.b32 {}, {}, {}", t, random.chance(50) ? "%me" : "%mywarp",
                     random.below(32));
                k.op("mul.lo.u32 {0}, {0}, {1}", t, random.between(1, 40));
                k.op("nanosleep.u32 {}", t);
                break;
            case 1: k.op("nanosleep.u32 {}", random.between(1, 800)); break;
            default: {
                const std::string p = k.pred(), top = k.newLabel();
                k.op("add.u32 {}, %mycta, {}", t, random.chance(50) ? "%mywarp" : "%mylane");
                k.op("and.b32 {0}, {0}, {1}", t, random.between(1, 15));
                k.label(top);
                k.op("sub.u32 {0}, {0}, 1", t);
                k.op("setp.gt.s32 {}, {}, 0", p, t);
                k.op("@{} bra {}", p, top);
            }
        }
    }
    if (!has(Feature::Fences) || !random.chance(15)) return;
    constexpr const char* kOld[] = {"membar.cta",        "membar.gl",    "membar.sys",
                                    "fence.sc.cta",      "fence.sc.gpu", "fence.acq_rel.cta",
                                    "fence.acq_rel.gpu", "fence.sc.sys", "fence.proxy.alias"};
    constexpr const char* kNew[] = {"fence.acq_rel.cluster",
                                    "fence.sc.cluster",
                                    "fence.proxy.async",
                                    "fence.proxy.async.global",
                                    "fence.proxy.async.shared::cta",
                                    "fence.mbarrier_init.release.cluster",
                                    "fence.acquire.sync_restrict::shared::cluster.cluster",
                                    "fence.release.sync_restrict::shared::cta.cluster"};
    k.line(sm90() && random.chance(50) ? random.pick(kNew) : random.pick(kOld), kIdle);
}

unsigned Round::takeIds(unsigned n)
{
    const unsigned first = k.takeId();
    for (unsigned i = 1; i < n; ++i) static_cast<void>(k.takeId());
    return first;
}

void Round::barrier(const std::string& op, unsigned id, unsigned count)
{
    const std::string what = number(id);
    const std::string many = count != 0 ? ", " + number(count) : "";
    const char* cta = random.chance(30) ? ".cta" : "";
    const bool part = has(Feature::Divergence) && random.chance(25);
    if (!part && random.chance(60)) {
        k.op("bar{}.{} {}{}", cta, op, what, many);
        return;
    }
    if (!part) {
        k.op("barrier{}.{}{} {}{}", cta, op, random.chance(50) ? ".aligned" : "", what, many);
        return;
    }
    sides([&](Lanes) {
        noise();
        k.op("barrier{}.{} {}{}", cta, op, what, many);
    });
}

void Round::sync()
{
    if (warps_ == 1 && random.chance(50)) {
        k.op("bar.warp.sync {}", mask(~Lanes{0}));
        return;
    }
    if (syncId_ == 0) syncId_ = takeIds(1);
    const bool all = whole_ && random.chance(40);
    barrier("sync", syncId_, all ? 0 : 32 * warps_);
}

unsigned Round::mbarrier(unsigned count, bool remote)
{
    const unsigned object = k.shared(8, 8);
    before_.instructions.push_back(fmt::format("mbarrier.init.shared{}.b64 [{}], {}",
                                               random.chance(50) ? "::cta" : "", at(object),
                                               count));
    before_.objects.push_back(object);
    before_.cluster = before_.cluster || remote;
    return object;
}

void Round::initShared(unsigned offset, std::uint32_t value, bool remote)
{
    before_.cluster = before_.cluster || remote;
    before_.instructions.push_back(fmt::format("st.shared.u32 [%sm+{}], {}", offset, value));
}

unsigned Round::aux(const std::vector<std::uint32_t>& init)
{
    while (s.aux.size() % 4 != 0) {  // 16 bytes, for bulk copies
        s.aux.push_back(0);
        s.auxInit.push_back(0);
    }
    const auto first = static_cast<unsigned>(s.aux.size());
    s.aux.insert(s.aux.end(), init.begin(), init.end());
    s.auxInit.insert(s.auxInit.end(), init.begin(), init.end());
    return first;
}

std::string Round::waitQualifiers(bool cluster)
{
    if (!sm90()) return random.chance(50) ? "" : ".acquire.cta";
    if (cluster) return ".acquire.cluster";
    constexpr const char* kForms[] = {"", ".acquire.cta", ".acquire.cluster"};
    return random.pick(kForms);
}

void Round::waitLoop(const std::string& instruction, const std::string& pred)
{
    const std::string top = k.newLabel();
    k.label(top);
    k.line(instruction);
    if (has(Feature::Delays) && random.chance(20))
        k.op("@!{} nanosleep.u32 {}", pred, random.between(1, 100));
    k.op("@!{} bra {}", pred, top);
}

void Round::wait(unsigned object, const std::string& parity, bool cluster)
{
    const std::string p = k.pred();
    const bool tries = sm90() && random.chance(70);
    const std::string hint = tries && random.chance(30) ? ", " + number(random.below(3000)) : "";
    if (sm90() && cluster && random.chance(10)) {
        waitLoop(
            fmt::format("mbarrier.{}_wait.parity.relaxed.cluster.shared::cta.b64 {}, [{}], {}{}",
                        tries ? "try" : "test", p, at(object), parity, hint),
            p);
        k.line("fence.acq_rel.cluster");
        return;
    }
    const std::string q = waitQualifiers(cluster);
    waitLoop(fmt::format("mbarrier.{}_wait.parity{}{}.b64 {}, [{}], {}{}", tries ? "try" : "test",
                         q, sharedSpace(), p, at(object), parity, hint),
             p);
}

void Round::waitState(unsigned object, const std::string& state)
{
    const std::string p = k.pred();
    const bool tries = sm90() && random.chance(60);
    const std::string hint = tries && random.chance(30) ? ", " + number(random.below(3000)) : "";
    const std::string q = waitQualifiers(false);
    waitLoop(fmt::format("mbarrier.{}_wait{}{}.b64 {}, [{}], {}{}", tries ? "try" : "test", q,
                         sharedSpace(), p, at(object), state, hint),
             p);
}

void clusterBarrier(Round& r, const std::function<void()>& between)
{
    const bool relaxed = r.random.chance(25);
    const bool part = r.has(Feature::Divergence) && r.random.chance(20);
    const char* aligned = !part && r.random.chance(60) ? ".aligned" : "";
    const char* sem = relaxed ? ".relaxed" : r.random.chance(50) ? ".release" : "";
    if (relaxed) r.k.line(r.random.chance(50) ? "fence.acq_rel.cluster" : "fence.sc.cluster");
    const auto arrive = [&](Lanes) { r.k.op("barrier.cluster.arrive{}{}", sem, aligned); };
    if (part)
        r.sides(arrive);
    else
        arrive(0);
    between();
    const char* acquire = r.random.chance(50) ? ".acquire" : "";
    const auto wait = [&](Lanes) { r.k.op("barrier.cluster.wait{}{}", acquire, aligned); };
    if (part)
        r.sides(wait);
    else
        wait(0);
}

}  // namespace gsu::fuzz
