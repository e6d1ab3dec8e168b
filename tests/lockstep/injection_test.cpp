// The order checker is only worth something if it catches what it is for: every kind of wrong report, by name.
#include <algorithm>
#include <string>

#include "catch.hpp"
#include "golden/golden_port.hpp"
#include "injections.hpp"
#include "lockstep/lockstep_port.hpp"
#include "traffic/barrier_traffic.hpp"

using namespace gsu;
using namespace gsu::test;
using namespace gsu::traffic;

namespace {

using Kind = Report::Kind;

bool isCommit(const Report& r, Unit unit, bool event = false)
{
    return r.kind == Kind::Commit && r.commit.unit == unit &&
           (r.commit.op >= Op::EvLaunch) == event;
}
bool isEvent(const Report& r, Unit unit, Op op)
{
    return r.kind == Kind::Commit && r.commit.unit == unit && r.commit.op == op;
}

/// The liked report goes to the front of its cycle.
auto early(std::function<bool(const Report&)> matches)
{
    return [=](std::vector<Report>& reports, std::size_t i) {
        if (i == 0 || !matches(reports[i])) return false;
        std::rotate(reports.begin(), reports.begin() + static_cast<std::ptrdiff_t>(i),
                    reports.begin() + static_cast<std::ptrdiff_t>(i) + 1);
        return true;
    };
}

bool named(const Report& r) { return isCommit(r, Unit::Named) && !r.commit.refused; }
bool refusedNamed(const Report& r) { return isCommit(r, Unit::Named) && r.commit.refused; }
bool warpSync(const Report& r) { return isCommit(r, Unit::WarpSync) && !r.commit.refused; }
bool clusterGroup(const Report& r) { return isCommit(r, Unit::Cluster) && !r.commit.refused; }
bool response(const Report& r) { return r.kind == Kind::Response; }
bool namedRelease(const Report& r) { return r.kind == Kind::Release && !r.release.cluster; }
bool clusterRelease(const Report& r) { return r.kind == Kind::Release && r.release.cluster; }
bool partRelease(const Report& r) { return namedRelease(r) && r.release.lanes != ~Lanes{0}; }
bool redRelease(const Report& r) { return namedRelease(r) && r.release.popc != 0; }
bool namedExitFlip(const Report& r)
{
    return isEvent(r, Unit::Named, Op::EvWarpExit) && r.commit.flip;
}
bool namedExit(const Report& r)
{
    return isEvent(r, Unit::Named, Op::EvWarpExit) && !r.commit.flip && r.commit.errs == 0;
}
bool namedLeft(const Report& r)
{
    return isEvent(r, Unit::Named, Op::EvWarpExit) && r.commit.errs != 0;
}
bool clusterExit(const Report& r) { return isEvent(r, Unit::Cluster, Op::EvWarpExit); }
bool clusterFlip(const Report& r) { return isEvent(r, Unit::Cluster, Op::EvClusterFlip); }
/// A delivery that releases a waiter is lost: alone (1) or with its release (2).
auto dropBefore(std::ptrdiff_t count)
{
    return [=](std::vector<Report>& reports, std::size_t i) {
        if (i + 1 >= reports.size() || !clusterFlip(reports[i]) || !clusterRelease(reports[i + 1]))
            return false;
        const auto first = reports.begin() + static_cast<std::ptrdiff_t>(i);
        reports.erase(first, first + count);
        return true;
    };
}
bool tableExit(const Report& r) { return isEvent(r, Unit::Cta, Op::EvWarpExit); }
bool opens(const Report& r) { return named(r) && r.commit.oldWord == 0 && !r.commit.flip; }
bool flips(const Report& r) { return named(r) && r.commit.flip; }
bool partial(const Report& r) { return named(r) && r.commit.newWord != 0; }

// long: a table, one row for each error
const std::vector<Injection>& injections()
{
    static const std::vector<Injection> all{
        {"wrong new word", "newWord differs",
         edit(partial, [](Report& r) { r.commit.newWord ^= 1ull << 16; })},
        {"wrong old word", "oldWord differs",
         edit(named, [](Report& r) { r.commit.oldWord ^= 1ull << 40; })},
        {"wrong popc", "newWord differs",
         edit(partial, [](Report& r) { r.commit.newWord ^= 1ull << 5; })},
        {"flip invented", "flip differs", edit(opens, [](Report& r) { r.commit.flip = true; })},
        {"flip missing", "flip differs", edit(flips, [](Report& r) { r.commit.flip = false; })},
        {"error invented", "errs differs",
         edit(named, [](Report& r) { r.commit.errs ^= 1u << kNbErrRearrive; })},
        {"diverged report invented", "errs differs",
         edit([](const Report& r) { return named(r) && r.commit.errs == 0; },
              [](Report& r) { r.commit.errs |= 1u << kNbErrDiverged; })},
        {"refusal invented", "refused differs",
         edit(named, [](Report& r) { r.commit.refused = true; })},
        {"refusal missing", "refused differs",
         edit(refusedNamed, [](Report& r) { r.commit.refused = false; })},
        {"wrong barrier", "object differs", edit(named, [](Report& r) { r.commit.object ^= 1; })},
        {"id truncated", "object differs",
         edit([](const Report& r) { return refusedNamed(r) && r.commit.object > 15; },
              [](Report& r) { r.commit.object &= 15; })},
        {"wrong operation", "operation differs",
         edit([](const Report& r) { return named(r) && r.commit.op == Op::BarSync; },
              [](Report& r) { r.commit.op = Op::BarArrive; })},
        {"lane lost in a join", "lanes of the group differ",
         edit(
             [](const Report& r) {
                 return named(r) && (r.commit.lanes & (r.commit.lanes - 1)) != 0;
             },
             [](Report& r) { r.commit.lanes &= r.commit.lanes - 1; })},
        {"wrong warp", "", edit(named, [](Report& r) { r.commit.at.warp ^= 1; })},
        {"wrong tag in commit", "tag differs",
         edit([](const Report& r) { return named(r) && r.commit.src == Src::Local; },
              [](Report& r) { r.commit.tag ^= 1; })},
        {"exit named as source", "source of the commit",
         edit([](const Report& r) { return named(r) && r.commit.src == Src::Local; },
              [](Report& r) { r.commit.src = Src::Exit; })},
        {"wrong unit", "wrong unit",
         edit(warpSync, [](Report& r) { r.commit.unit = Unit::Named; })},
        {"wrong CTA", "", edit(named, [](Report& r) { r.commit.at.cta ^= 1; })},
        {"wrong SM", "", edit(named, [](Report& r) { r.commit.at.sm ^= 1; })},
        {"commit lost", "", drop(named)},
        {"commit of a warp sync lost", "", drop(warpSync)},
        {"commit twice", "committed twice", repeat(named)},
        {"warp sync twice", "committed twice", repeat(warpSync)},
        {"wrong member mask", "object differs",
         edit(warpSync, [](Report& r) { r.commit.object ^= 1; })},
        {"exited lane not reported", "errs differs",
         edit([](const Report& r) { return warpSync(r) && r.commit.errs != 0; },
              [](Report& r) { r.commit.errs = 0; })},
        {"response lost", "response missing", drop(response)},
        {"response twice", "await none", repeat(response)},
        {"response before commit", "response before the commit", early(response)},
        {"response to other lanes", "",
         edit(response,
              [](Report& r) {
                  r.response.lanes =
                      r.response.lanes ^ (r.response.lanes & (0u - r.response.lanes));
              })},
        {"response with a wrong tag", "tag of the response",
         edit(response, [](Report& r) { r.response.tag ^= 1; })},
        {"response with a wrong cause", "cause of the response",
         edit([](const Report& r) { return response(r) && r.response.cause == Cause::Done; },
              [](Report& r) { r.response.cause = Cause::Refused; })},
        {"refusal answered as done", "cause of the response",
         edit([](const Report& r) { return response(r) && r.response.cause == Cause::Refused; },
              [](Report& r) { r.response.cause = Cause::Done; })},
        {"response with a result", "without result",
         edit(response, [](Report& r) { r.response.value = 1; })},
        // Told by the bound, or by the next release of the same barrier where that comes first.
        {"release lost", "release", drop(namedRelease)},
        {"release twice", "release before the completion, or twice", repeat(namedRelease)},
        {"release early", "release before the completion", early(namedRelease)},
        {"warp missing in a release", "released warps differ",
         edit(
             [](const Report& r) {
                 return namedRelease(r) && (r.release.warps & (r.release.warps - 1)) != 0;
             },
             [](Report& r) { r.release.warps &= r.release.warps - 1; })},
        {"warp too many in a release", "released warps differ",
         edit([](const Report& r) { return namedRelease(r) && (r.release.warps & 1) == 0; },
              [](Report& r) { r.release.warps |= 1; })},
        {"release of another barrier", "",
         edit(namedRelease, [](Report& r) { r.release.id ^= 1; })},
        {"wrong popc in a release", "reduction results",
         edit(redRelease, [](Report& r) { r.release.popc ^= 1; })},
        {"release of too few lanes", "released lanes differ",
         edit(partRelease, [](Report& r) { r.release.lanes &= r.release.lanes - 1; })},
        {"part of a warp released whole", "released lanes differ",
         edit(partRelease, [](Report& r) { r.release.lanes = ~Lanes{0}; })},
        {"release of a part of a warp lost", "", drop(partRelease)},
        {"whole warps released in part", "released lanes differ",
         edit([](const Report& r) { return namedRelease(r) && !partRelease(r); },
              [](Report& r) { r.release.lanes = 0xffff; })},
        {"cluster release of a part", "released lanes differ",
         edit(clusterRelease, [](Report& r) { r.release.lanes = 0xffff; })},
        {"wrong or in a release", "reduction results",
         edit(redRelease, [](Report& r) { r.release.any = !r.release.any; })},
        {"wrong and in a release", "reduction results",
         edit(redRelease, [](Report& r) { r.release.all = !r.release.all; })},
        {"exit lost at the table", "", drop(tableExit)},
        {"exit twice at the table", "exit", repeat(tableExit)},
        {"last lane not noticed", "last lane",
         edit(tableExit, [](Report& r) { r.commit.op = Op::EvLaneExit; })},
        {"exit lost at the named barriers", "", drop(namedExit)},
        {"exit twice at the named barriers", "named barriers see an exit", repeat(namedExit)},
        {"left arrivals not reported", "", drop(namedLeft)},
        {"left arrivals reported twice", "exit discards a barrier", repeat(namedLeft)},
        {"left arrivals of another barrier", "exit",  // the other one may have arrivals of its own
         edit(namedLeft, [](Report& r) { r.commit.object ^= 8; })},
        {"exit early at the named barriers", "", early(namedExit)},
        {"exit lost at the cluster barrier", "", drop(clusterExit)},
        {"exit twice at the cluster barrier", "cluster barrier sees an exit", repeat(clusterExit)},
        {"missing wait not reported", "errs differs",
         edit([](const Report& r) { return clusterExit(r) && r.commit.errs != 0; },
              [](Report& r) { r.commit.errs = 0; })},
        {"completion by exit lost", "", drop(namedExitFlip)},
        {"completion by exit twice", "exit completes a barrier", repeat(namedExitFlip)},
        {"completion by exit of another barrier", "exit completes a barrier",
         edit(namedExitFlip, [](Report& r) { r.commit.object ^= 8; })},
        {"cluster word wrong", "newWord differs",
         edit(clusterGroup, [](Report& r) { r.commit.newWord ^= 1; })},
        {"cluster arrive twice", "committed twice", repeat(clusterGroup)},
        {"cluster arrive lost", "", drop(clusterGroup)},
        {"cluster flip lost", "does not wait", dropBefore(1)},
        {"cluster flip and release lost", "", dropBefore(2)},
        {"cluster flip twice", "not complete", repeat(clusterFlip)},
        {"cluster flip not marked", "flip differs",
         edit(clusterFlip, [](Report& r) { r.commit.flip = false; })},
        {"network flip not marked", "flip differs",
         edit([](const Report& r) { return isEvent(r, Unit::Network, Op::EvClusterFlip); },
              [](Report& r) { r.commit.flip = false; })},
        {"opening of a cluster marked as a flip", "flip differs",
         edit([](const Report& r) { return isEvent(r, Unit::Cluster, Op::EvClusterOpen); },
              [](Report& r) { r.commit.flip = true; })},
        {"cluster release lost", "release missing", drop(clusterRelease)},
        {"cluster release twice", "does not wait", repeat(clusterRelease)},
        {"cluster release early", "does not wait", early(clusterRelease)},
        {"cluster release of too few warps", "released warps differ",
         edit(
             [](const Report& r) {
                 return clusterRelease(r) && (r.release.warps & (r.release.warps - 1)) != 0;
             },
             [](Report& r) { r.release.warps &= r.release.warps - 1; })},
        {"network flips twice", "network flips",
         repeat([](const Report& r) { return isEvent(r, Unit::Network, Op::EvClusterFlip); })},
        {"network frees early", "network frees",
         edit([](const Report& r) { return isEvent(r, Unit::Network, Op::EvClusterFlip); },
              [](Report& r) { r.commit.op = Op::EvCtaFree; })},
        {"cluster gate opened twice", "opened twice",
         repeat([](const Report& r) { return isEvent(r, Unit::Cluster, Op::EvClusterOpen); })},
        {"launch twice", "launch out of order",
         repeat([](const Report& r) { return isEvent(r, Unit::Cta, Op::EvLaunch); })},
        {"slot freed without commit", "without its commit",
         drop([](const Report& r) { return isEvent(r, Unit::Cta, Op::EvCtaFree); })},
        {"slot freed too early", "freed while",
         edit([](const Report& r) { return isEvent(r, Unit::Cta, Op::EvLaunch); },
              [](Report& r) { r.commit.op = Op::EvCtaFree; })},
        {"refused operation without unit applied", "refused differs",
         edit([](const Report& r) { return isCommit(r, Unit::Null); },
              [](Report& r) { r.commit.refused = false; })},
    };
    return all;
}

/// With results: what vote, match, redux and elect add.
const std::vector<Injection>& warpInjections()
{
    const auto answers = [](bool last) {
        return [last](const Report& r) {
            return response(r) && r.response.last == last && r.response.cause == Cause::Done;
        };
    };
    static const std::vector<Injection> all{
        {"value wrong", "value differs",
         edit([](const Report& r) { return response(r) && r.response.value > 1; },
              [](Report& r) { r.response.value ^= 2; })},
        {"value too wide", "value differs",
         edit([](const Report& r) { return response(r) && r.response.value > 1; },
              [](Report& r) { r.response.value |= std::uint64_t{1} << 32; })},
        {"predicate wrong", "predicates differ",
         edit([](const Report& r) { return response(r) && r.response.pred != 0; },
              [](Report& r) { r.response.pred &= r.response.pred - 1; })},
        {"refusal with a result", "without result",
         edit([](const Report& r) { return response(r) && r.response.cause == Cause::Refused; },
              [](Report& r) { r.response.pred = 1; })},
        {"last set of a match not marked", "not marked last",
         edit([=](const Report& r) { return answers(true)(r) && r.response.value != 0; },
              [](Report& r) { r.response.last = false; })},
        {"set of a match lost", "marked last while other lanes",
         drop([=](const Report& r) { return answers(false)(r) && r.response.value != 0; })},
        {"sets of a match merged", "lanes of the response differ",
         [=](std::vector<Report>& reports, std::size_t i) {
             if (i + 1 >= reports.size() || !answers(false)(reports[i])) return false;
             Report& next = reports[i + 1];
             if (!response(next) || next.response.tag != reports[i].response.tag) return false;
             next.response.lanes |= reports[i].response.lanes;
             reports.erase(reports.begin() + static_cast<std::ptrdiff_t>(i));
             return true;
         }},
        {"wrong operation of a rendezvous", "operation differs",
         edit([](const Report& r) { return warpSync(r) && r.commit.op == Op::MatchAll; },
              [](Report& r) { r.commit.op = Op::MatchAny; })},
        {"exited lane reported by a vote", "errs differs",
         edit([](const Report& r) { return warpSync(r) && r.commit.op == Op::VoteSync; },
              [](Report& r) { r.commit.errs |= 1u << kWsErrExited; })},
        {"exited lane not reported by elect", "errs differs",
         edit(
             [](const Report& r) {
                 return warpSync(r) && r.commit.op == Op::Elect && r.commit.errs != 0;
             },
             [](Report& r) { r.commit.errs = 0; })},
    };
    return all;
}

void requireCaught(const std::vector<Injection>& injections, unsigned warpOps)
{
    for (const Injection& injection : injections) {
        for (const unsigned seed : {1u, 2u, 3u}) {
            CAPTURE(injection.name, seed);
            unsigned wait = 5 * seed;  // not the very first opportunity
            bool done = false;
            GoldenPort device(2);
            CorruptPort corrupt(device, [&](std::vector<Report>& reports) {
                for (std::size_t i = 0; !done && i < reports.size(); ++i) {
                    std::vector<Report> trial = reports;
                    if (!injection.apply(trial, i) || wait-- != 0) continue;
                    reports = trial;
                    done = true;
                }
            });
            LockstepPort port(corrupt, {.bound = 5'000});
            BarrierTraffic stimulus(
                port,
                {.seed = seed, .sms = 2, .requests = 30'000, .illegal = 8, .warpOps = warpOps});
            stimulus.run();
            REQUIRE(done);
            REQUIRE(port.fault());
            CHECK(port.fault()->kind == Fault::Kind::Divergence);
            CHECK_THAT(port.fault()->message, Catch::Contains(injection.says));
            CHECK_THAT(port.fault()->message, Catch::Contains("cycle "));
        }
    }
}

}  // namespace

TEST_CASE("every injected error in an answer of a warp-wide operation is caught and named",
          "[D-01][D-20][VSYNC-006][ELECT-007]")
{
    requireCaught(warpInjections(), 80);
}

TEST_CASE("every injected error is caught and named", "[D-01][D-70]")
{
    requireCaught(injections(), 0);
}
