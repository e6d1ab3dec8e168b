#include "traffic/mbar_traffic.hpp"

#include <algorithm>
#include <bit>

#include "golden/mbarrier_unit.hpp"

namespace gsu::traffic {

MbarTraffic::MbarTraffic(SyncPort& port, const MbarOptions& options)
    : port_(port), options_(options), random_(options.seed), sms_(options.sms)
{
    port.setSink(*this);
}

void MbarTraffic::launchAll()
{
    const auto ctas = static_cast<std::uint8_t>(options_.sms);
    for (std::uint8_t sm = 0; ctas > 1 && sm < ctas; ++sm)
        port_.route({3, sm, sm, slot(sm, 0), ctas});
    for (std::uint8_t cta = 0; cta < 2; ++cta) {
        for (std::uint8_t sm = 0; sm < ctas; ++sm) {
            Launch l{};
            l.sm = sm;
            l.cta = slot(sm, cta);
            l.threads = kWarps * 32;
            l.wbase = static_cast<std::uint8_t>(cta * kWarps);
            // the addresses differ in the highest bit only
            l.base = options_.spread || options_.wide ? 0x4000u + (l.cta << 17) : 0x400u * cta;
            l.size = window();
            if (cta == 0) {
                l.ctas = ctas;
                l.cluster = ctas > 1 ? 3 : 0;
                l.rank = sm;
            }
            while (!port_.launch(l)) port_.step();
        }
        port_.step();
    }
    for (int i = 0; i < 3; ++i) port_.step();
}

const MbarStats& MbarTraffic::run()
{
    launchAll();
    if (options_.lively) initAll();
    Cycle quiet = 0;
    const auto openLanes = [&] {
        for (const Sm& sm : sms_) {
            if (!sm.due.empty() || !sm.answers.empty()) return true;
            for (const auto& cta : sm.warp)
                for (const Warp& w : cta)
                    if (w.open != 0) return true;
        }
        return false;
    };
    while (!port_.fault() && (stats_.requests < options_.requests || openLanes())) {
        const std::uint64_t before = stats_.commits + stats_.requests;
        for (std::uint8_t sm = 0; sm < options_.sms; ++sm) {
            asyncs(sm);
            answers(sm);
            if (stats_.requests < options_.requests && port_.canPresent(sm) && random_.percent(80))
                drive(sm);
        }
        if (!left_ && stops(options_.sms - 1, 0)) leave();
        port_.step();
        quiet = before == stats_.commits + stats_.requests ? quiet + 1 : 0;
        if (quiet > 50'000) {
            stats_.hung = true;
            return stats_;
        }
    }
    exitAll();
    for (int i = 0; i < 20'000 && !port_.fault() && stats_.freed < 2 * options_.sms; ++i)
        port_.step();
    (void)port_.quietUntil();
    return stats_;
}

void MbarTraffic::exitAll()
{
    for (std::uint8_t sm = 0; sm < options_.sms; ++sm)
        for (std::uint8_t cta = 0; cta < 2; ++cta) {
            const bool gone = left_ && sm + 1u == options_.sms && cta == slot(sm, 0);
            for (std::uint8_t w = 0; w < kWarps && !gone; ++w)
                port_.exit({{sm, cta, w}, ~Lanes{0}, false});
        }
}

/// The leaver exits when its lanes and its completions have come to their end.
void MbarTraffic::leave()
{
    const auto index = static_cast<std::uint8_t>(options_.sms - 1);
    const Sm& sm = sms_[index];
    const bool busy = std::any_of(sm.warp[0].begin(), sm.warp[0].end(),
                                  [](const Warp& w) { return w.open != 0; });
    if (busy || !sm.due.empty() || !sm.answers.empty()) return;
    for (std::uint8_t w = 0; w < kWarps; ++w)
        port_.exit({{index, slot(index, 0), w}, ~Lanes{0}, false});
    left_ = true;
}

/// Inits each object of each CTA by one lane of its first warp. The inits count as requests.
void MbarTraffic::initAll()
{
    for (unsigned i = 0; i < kObjects; ++i)
        for (unsigned cta = 0; cta < 2; ++cta)
            for (std::uint8_t sm = 0; sm < options_.sms && stats_.requests < options_.requests;
                 ++sm) {
                SyncRequest r{};
                r.op = Op::MbarInit;
                r.at = {sm, slot(sm, cta), 0};
                r.lanes = Lanes{1} << i;
                r.addr.fill(clusterAddress(cta == 0 && options_.sms > 1 ? sm : 0, offsetOf(i)));
                r.data.fill(random_.percent(5) ? 0xf'ffff - random_.below(3)
                                               : 1 + random_.below(24));
                while (!port_.canPresent(sm) && !port_.fault()) port_.step();
                if (port_.fault()) return;
                give(r, cta);
            }
}

/// Whether to leave an operation out so that objects of a lively stream last: nine of ten operations that end an object are left out.
bool MbarTraffic::spared(Op op)
{
    return options_.lively && (op == Op::MbarInit || op == Op::MbarInval) && random_.percent(90);
}

/// Presents the request under a free tag.
bool MbarTraffic::give(SyncRequest& r, unsigned cta)
{
    Sm& sm = sms_[r.at.sm];
    while (sm.open[sm.nextTag % 4096] != 0) ++sm.nextTag;
    r.tag = static_cast<std::uint16_t>(sm.nextTag++ % 4096);
    sm.open[r.tag] = r.lanes;
    sm.warp[cta][r.at.warp].open |= r.lanes;
    ++stats_.requests;
    port_.present(r);
    return r.op == Op::CpAsyncArrive || r.op == Op::CpAsyncArriveNoinc;
}

Op MbarTraffic::pick()
{
    static constexpr std::array kOps{Op::MbarArrive,
                                     Op::MbarArrive,
                                     Op::MbarArrive,
                                     Op::MbarInit,
                                     Op::MbarArriveExpectTx,
                                     Op::MbarExpectTx,
                                     Op::MbarCompleteTx,
                                     Op::MbarArriveDrop,
                                     Op::MbarTestWait,
                                     Op::MbarTryWait,
                                     Op::MbarTestWaitParity,
                                     Op::MbarTryWaitParity,
                                     Op::MbarTryWaitParity,
                                     Op::MbarDropExpectTx,
                                     Op::MbarInval,
                                     Op::CpAsyncArrive,
                                     Op::CpAsyncArriveNoinc,
                                     Op::StAsync,
                                     Op::RedAsync,
                                     Op::Atom,
                                     Op::Atom,
                                     Op::Red,
                                     Op::Red,
                                     Op::ClcTryCancel};
    return kOps[random_.below(kOps.size())];
}

void MbarTraffic::drive(std::uint8_t index)
{
    Sm& sm = sms_[index];
    const unsigned cta = random_.below(2);
    const unsigned warp = random_.below(kWarps);
    Warp& w = sm.warp[cta][warp];
    if (w.open == ~Lanes{0} || stops(index, cta)) return;
    SyncRequest r{};
    r.op = pick();
    if (spared(r.op)) return;
    const bool async =
        r.op == Op::CpAsyncArrive || r.op == Op::CpAsyncArriveNoinc || isMbarData(r.op);
    if (async && !options_.async) return;
    if (isAtomic(r.op) && !options_.atomics) return;
    if (isCancel(r.op) && (!options_.cancels || (!options_.wide && random_.percent(70)))) return;
    if ((isMbarData(r.op) || isAtomic(r.op)) && (!options_.remote || cta != 0 || options_.sms == 1))
        return;
    r.at = {index, slot(index, cta), static_cast<std::uint8_t>(warp)};
    r.lanes = random_.percent(30) ? ~w.open : random_.subset(~w.open);
    if (r.op == Op::MbarInit || r.op == Op::MbarInval || isMbarData(r.op) || random_.percent(30))
        r.lanes &= 0u - r.lanes;
    operands(r, index, cta, w);
    if (random_.percent(options_.illegal)) spoil(r);
    if (!give(r, cta)) return;
    AsyncUpdate u{AsyncKind::ArriveOn,
                  index,
                  r.at.cta,
                  r.at.warp,
                  r.addr[unsigned(std::countr_zero(r.lanes))],
                  static_cast<std::uint32_t>(std::popcount(r.lanes)),
                  r.tag};
    sm.due.emplace_back(port_.now() + 20 + random_.below(100), u);
}

/// The count of an init, or of an arrival: most are small.
std::uint64_t MbarTraffic::drawnCount(Op op)
{
    if (options_.wide && random_.percent(30))
        return op == Op::MbarInit ? 0xf'ffff - random_.below(1000)
                                  : 1 + random_.below(1u << random_.below(19));
    return op == Op::MbarInit ? 1 + random_.below(48) : random_.percent(90) ? 1 : 2;
}

// long: the operands of one request, drawn in a fixed order
void MbarTraffic::operands(SyncRequest& r, std::uint8_t sm, unsigned cta, const Warp& w)
{
    static constexpr std::array kAway{Op::MbarArrive,         Op::MbarExpectTx,
                                      Op::MbarCompleteTx,     Op::MbarArriveDrop,
                                      Op::MbarArriveExpectTx, Op::MbarDropExpectTx};
    const unsigned rank = cta == 0 && options_.sms > 1 ? sm : 0;
    const bool can = std::find(kAway.begin(), kAway.end(), r.op) != kAway.end();
    r.remote = isMbarData(r.op) || isAtomic(r.op) ||
               (can && options_.remote && cta == 0 && options_.sms > 1 && random_.percent(30));
    if (isCancel(r.op)) r.remote = options_.remote && random_.percent(40);  // multicast
    r.wantValue = !r.remote && isMbarArrive(r.op) && random_.percent(50);
    r.noComplete =
        !r.remote && (r.op == Op::MbarArrive || r.op == Op::MbarArriveDrop) && random_.percent(10);
    r.diverged = random_.percent(20);
    r.sem = isMbarArrive(r.op) && random_.percent(50) ? Sem::Release : Sem::Relaxed;
    r.scope = random_.percent(50) ? Scope::Cluster : Scope::Cta;
    r.kind = isMbarTryWait(r.op);
    const bool same = random_.percent(60);
    const unsigned other =
        (rank + 1 + random_.below(options_.sms > 1 ? options_.sms - 1 : 1)) % options_.sms;
    const std::uint64_t count = drawnCount(r.op);
    const std::uint64_t bytes = options_.lively && random_.percent(80) ? 0 : 8u * random_.below(3);
    if (isAtomic(r.op)) r.wantValue = r.op == Op::Atom;
    for (unsigned i = 0; i < kLanes; ++i) {
        const bool fresh = i == 0 || !same;
        r.addr[i] = fresh ? object(r.remote && !isCancel(r.op)
                                       ? (random_.percent(20) && !isMbarData(r.op) ? rank : other)
                                       : rank)
                          : r.addr[0];
        switch (r.op) {
            case Op::MbarTestWait:
            case Op::MbarTryWait: r.data[i] = w.state[i]; break;
            case Op::MbarTestWaitParity:
            case Op::MbarTryWaitParity: r.data[i] = fresh ? random_.below(2) : r.data[0]; break;
            case Op::MbarExpectTx:
            case Op::MbarCompleteTx:
            case Op::MbarArriveExpectTx:
            case Op::MbarDropExpectTx: r.data[i] = bytes; break;
            case Op::StAsync:
            case Op::RedAsync: r.data[i] = 8; break;
            case Op::ClcTryCancel: r.data[i] = 16 * random_.below(window() / 16); break;
            default: r.data[i] = count;
        }
        // Some lanes coincide; the CTA is any one, the executing one also by its cluster address; offsets have any alignment.
        if (isAtomic(r.op))
            r.addr[i] = i != 0 && random_.percent(same ? 95 : 60)
                            ? r.addr[i - 1] + 4
                            : clusterAddress(random_.below(options_.sms), atomicOffset());
        r.limit[i] = fresh ? random_.below(4) == 0 ? 0 : 20 + random_.below(200) : r.limit[0];
        if (options_.wide && fresh && random_.percent(3)) r.limit[i] = 256u << random_.below(8);
    }
}

/// Changes the request into one that must be refused or reported.
void MbarTraffic::spoil(SyncRequest& r)
{
    for (std::uint32_t& a : r.addr) {
        if (random_.percent(50)) continue;
        a += random_.percent(50) ? 4 : window();
    }
    if (isCancel(r.op) && random_.percent(50))
        for (std::uint64_t& offset : r.data) offset += random_.percent(50) ? 8 : window();
    switch (isCancel(r.op) ? 4 : random_.below(5)) {
        case 0: r.data.fill(0); break;
        case 1:
            r.data.fill(std::uint64_t{1} << (options_.wide ? 20 + random_.below(12) : 20));
            break;
        case 2: r.data.fill(isMbarTryWait(r.op) ? 2 : 0xf'ffff); break;
        case 3: r.wantValue = true; break;
        default:
            if (r.remote)
                for (std::uint32_t& a : r.addr) a |= 0x0800'0000;
    }
}

void MbarTraffic::onResponse(const SyncResponse& r)
{
    ++stats_.responses;
    ++stats_.causes[static_cast<unsigned>(r.cause)];
    Sm& sm = sms_[r.at.sm];
    sm.open[r.tag] &= ~r.lanes;
    Warp& w = sm.warp[slot(r.at.sm, r.at.cta)][r.at.warp];
    w.open &= ~r.lanes;
    if (r.value != 0) w.state[unsigned(std::countr_zero(r.lanes))] = r.value;
}

void MbarTraffic::onDelivered(const Delivered& d)
{
    ++stats_.delivered;
    if (std::popcount(d.lanes) > 1) stats_.atomicLanes += unsigned(std::popcount(d.lanes));
}

void MbarTraffic::onCommit(const Commit& c)
{
    ++stats_.commits;
    stats_.findings.see(c);
    if (c.unit != Unit::Mbarrier) return;
    stats_.flips += c.flip;
    stats_.refused += c.refused;
    stats_.remoteCommits += c.src == Src::Remote;
    stats_.agents += c.op == Op::EvAgentArrive && !c.refused;
    stats_.agentsAway += c.op == Op::EvAgentArrive && !c.refused && c.src == Src::Remote;
    stats_.asyncCommits += c.op == Op::EvAsyncArrive || c.op == Op::EvAsyncCompleteTx;
    stats_.responses16 += isCancel(c.op) && c.src != Src::Local && !c.refused;
    stats_.timeouts += c.op == Op::EvTimeout;
    for (unsigned bit = 0; bit < 16; ++bit) stats_.errs[bit] += c.errs >> bit & 1;
}

}  // namespace gsu::traffic
