// Several things wrong with one mbarrier operation: what the unit reports and applies, RTL and golden model together, against what the requirements
// alone say (derived.hpp). Every subset of conditions that an operation can have at once is constructed.
#include <iostream>
#include <random>

#include "catch.hpp"
#include "files.hpp"
#include "golden/findings.hpp"
#include "rig.hpp"

using namespace gsu;
using namespace gsu::derived;

namespace {

std::string folder() { return testfiles::testsFolder() + "/precedence"; }

std::string text(const std::set<std::string>& names)
{
    std::string out = "{";
    for (const auto& name : names) out += (out.size() > 1 ? " " : "") + name;
    return out + "}";
}

std::string describeTrial(const Trial& t)
{
    const Attempt& a = t.attempt;
    return std::string(nameOf(a.kind)) + (t.async ? " async" : "") +
           (a.noComplete ? " noComplete" : "") + (a.wantsState ? " state" : "") + " target " +
           std::to_string(static_cast<int>(a.target)) + (a.misaligned ? " misaligned" : "") +
           (a.beyond ? " beyond" : "") + " operand " + std::to_string(a.operand) +
           (a.lockOnError ? " LOCK_ON_ERROR" : "") +
           "; object: " + describe(unpackMbar(wordOf(t.before)));
}

std::set<std::string> rulesOf(const std::vector<Commit>& commits)
{
    std::set<std::string> out;
    for (const Commit& c : commits)
        for (const FindingRule& rule : findingsOf(c))
            out.insert(rule.rule[0] != '\0' ? rule.rule : std::string("(no row)"));
    return out;
}

/// cp.async.mbarrier.arrive.noinc as an instruction does nothing to the object; its arrival comes later.
bool wordMatters(const Trial& t) { return t.attempt.kind != Kind::CpaNoinc || t.async; }

/// Compares outcomes with verdicts; counts what it saw.
class Judge {
public:
    explicit Judge(const Order& order) : order_(order) {}

    /// The error in the outcome; empty: none.
    std::string judge(const Trial& t, const Outcome& o)
    {
        Verdict v = derive(order_, t.attempt, t.before);
        if (!wordMatters(t) && v.holds.empty()) {
            v.after = t.before;
            v.flips = false;
        }
        ++trials;
        if (o.commits.empty()) return "no commit";
        bool refused = false;
        for (const Commit& c : o.commits) refused = refused || c.refused;
        std::string bad = refused == !v.holds.empty() ? ""
                          : refused                   ? "refused, and nothing forbids it"
                                                      : "applied, although " + text(v.holds);
        if (bad.empty())
            bad = refused ? judgeRefusal(t, v, rulesOf(o.commits))
                          : judgeNotes(v, rulesOf(o.commits));
        if (bad.empty()) bad = judgeWord(t, v, o);
        if (bad.empty()) bad = judgeAnswer(t, v, o);
        detail = "holds " + text(v.holds) + ", first " + text(v.first) + ", reported " +
                 text(rulesOf(o.commits)) + "; ";
        return bad;
    }
    std::map<std::set<std::string>, unsigned> subsets;  ///< conditions that held together
    unsigned trials{}, refusals{};
    std::string detail;  ///< of the last difference

private:
    std::string judgeRefusal(const Trial& t, const Verdict& v,
                             const std::set<std::string>& reported)
    {
        ++refusals;
        ++subsets[v.holds];
        std::set<std::string> allowed;
        for (const auto& condition : v.first)
            for (const auto& rule : order_.rules(condition, t.attempt.kind)) allowed.insert(rule);
        if (v.lock != Lock::As)
            allowed.insert(
                "MBAR-002");  // that it locks the object is a range violation's consequence
        if (reported.empty()) return "refused without a report";
        for (const auto& rule : reported)
            if (!allowed.count(rule)) return rule + " is reported, and may not be first";
        return "";
    }
    static std::string judgeNotes(const Verdict& v, const std::set<std::string>& reported)
    {
        for (const auto& rule : reported)
            if (!v.notes.count(rule)) return rule + " is reported of a legal operation";
        return reported.empty() != v.notes.empty()
                   ? "one of " + text(v.notes) + " has to be reported"
                   : "";
    }
    static std::string judgeWord(const Trial& t, const Verdict& v, const Outcome& o)
    {
        if (t.attempt.kind == Kind::Inval && v.holds.empty())
            return "";  // unspecified from here (D-37)
        const std::uint64_t lock = std::uint64_t{1} << 42;
        const std::uint64_t expected = wordOf(v.after) | (v.lock == Lock::Set ? lock : 0);
        const std::uint64_t care = v.lock == Lock::Open ? ~lock : ~std::uint64_t{0};
        if (((o.word ^ expected) & care) != 0)
            return "the object is afterwards: " + describe(unpackMbar(o.word)) +
                   ", not: " + describe(unpackMbar(expected));
        bool flips = false;
        for (const Commit& c : o.commits) flips = flips || c.flip;
        return flips != v.flips ? "flip" : "";
    }
    static std::string judgeAnswer(const Trial& t, const Verdict& v, const Outcome& o)
    {
        if (t.async) return o.responses.empty() ? "" : "a completion is answered";
        if (o.responses.size() != 1) return std::to_string(o.responses.size()) + " answers";
        const SyncResponse& r = o.responses[0];
        if ((r.pred != 0) != v.waitTrue) return "the wait's result";
        const bool remote = t.attempt.target != Target::Own;
        if (!v.holds.empty() && (r.value != 0 || (!remote && r.cause != Cause::Refused)))
            return "the answer of a refused operation is not the dummy";
        if (!v.holds.empty() || !t.attempt.wantsState) return "";
        if (t.ownRank) return r.value != 0 ? "a cluster address returns a state (D-38)" : "";
        // D-22: the word before the arrive-on, after the expect.
        Object state = t.before;
        if (t.attempt.kind == Kind::ArriveExpect || t.attempt.kind == Kind::DropExpect)
            state.tx += t.attempt.operand;
        return r.value != wordOf(state) ? "the state is not the word before the arrival" : "";
    }
    const Order& order_;
};

/// Values of objects that operations can lead to: with nothing pending and no bytes outstanding the phase would have ended.
std::vector<Object> objects(bool locked)
{
    std::vector<Object> out;
    for (const std::int64_t pending : {std::int64_t{0}, std::int64_t{1}, std::int64_t{3}, kMax})
        for (const std::int64_t expected :
             {std::int64_t{0}, std::int64_t{1}, std::int64_t{3}, kMax})
            for (const std::int64_t tx :
                 {-kMax, std::int64_t{-8}, std::int64_t{0}, std::int64_t{5}, kMax}) {
                const Object o{(out.size() * 7 / 3) % 2, pending, expected, tx, locked};
                if (pending != 0 || tx != 0 || o.retired()) out.push_back(o);
            }
    return out;
}

std::vector<std::int64_t> operandsOf(Kind kind)
{
    switch (kind) {
        case Kind::Init:
        case Kind::Arrive:
        case Kind::Drop: return {1, 3, 2, 0, kMax, kMax + 1, 0x80000001, 0xffffffff};
        case Kind::TestParity:
        case Kind::TryParity: return {0, 1, 2, 0x80000001, 0xffffffff};
        case Kind::Expect:
        case Kind::Complete:
        case Kind::ArriveExpect:
        case Kind::DropExpect: return {8, 0, 5, kMax, kMax + 1, 0x80000000, 0xffffffff};
        case Kind::RedAsync: return {4, 8};
        default: return {1};
    }
}

/// Calls give(trial) for every shape of an operation with this kind.
template <class F> void eachShape(Kind kind, F&& give)
{
    const bool arrival = kind >= Kind::Arrive && kind <= Kind::DropExpect;
    const bool plain = kind == Kind::Arrive || kind == Kind::Drop;
    const bool byState = kind == Kind::TestState || kind == Kind::TryState;
    for (const std::int64_t operand : operandsOf(kind))
        for (unsigned flags = 0; flags < 4; ++flags) {
            Trial t;
            t.attempt.kind = kind;
            t.attempt.operand = operand;
            t.attempt.wantsState = flags & 1 && arrival;
            t.attempt.noComplete = flags & 2 && plain;
            t.attempt.stateOfThisPhase = flags & 1 && byState;
            if ((flags & 1 && !arrival && !byState) || (flags & 2 && !plain)) continue;
            give(t);
        }
}

/// Every address with every word where the word counts, and with some where it does not.
std::vector<Trial> trialsOf(Kind kind, bool lockOnError)
{
    std::vector<Trial> out;
    unsigned turn = 0;
    const std::vector<Object> open = objects(false), shut = objects(true);
    eachShape(kind, [&](Trial t) {
        t.attempt.lockOnError = lockOnError;
        for (unsigned address = 0; address < 16; ++address) {
            t.attempt.target = static_cast<Target>(address / 4);
            t.attempt.misaligned = address & 1;
            t.attempt.beyond = address & 2;
            const bool reached = address % 4 == 0 && address / 4 < 2;
            for (unsigned i = 0; i < open.size() + shut.size(); ++i) {
                ++turn;
                const bool some = i < open.size() ? turn % 7 == 0 : turn % 61 == 0;
                if (!(reached && i < open.size()) && !some) continue;
                t.before = i < open.size() ? open[i] : shut[i - open.size()];
                t.beyond = turn / 3;
                t.ownRank = turn % 5 == 0;
                out.push_back(t);
                // Completions have an address in their own CTA, chosen by the driver: aligned or not, inside or not.
                t.async = t.attempt.target == Target::Own &&
                          (kind == Kind::CpaNoinc || kind == Kind::Complete);
                if (t.async) out.push_back(t);
                t.async = false;
            }
        }
    });
    return out;
}

}  // namespace

TEST_CASE(
    "which of several refusals is reported, and what is applied, as the requirements alone say it",
    "[GEN-010][MBAR-002][MBAR-003][MBAR-004][MBAR-015][MBAR-020][MBAR-021][MBAR-022][MBAR-041]["
    "MBARR-006][MBARR-010][MBARR-017][MBDROP-006]"
    "[MBDROP-010][MBDROP-011][MBDROP-017][MBW-011][CPA-005][CPA-007][HS-024][RASYNC-016][RASYNC-"
    "017][D-03][D-25][D-26][D-27][D-28][D-29][D-36][D-72]")
{
    const Order order(folder());
    Judge judge(order);
    std::map<std::string, std::pair<unsigned, std::string>> wrong;
    for (const bool lockOnError : {false, true}) {
        Rig rig(lockOnError);
        for (unsigned k = 0; k < kKinds; ++k) {
            std::vector<Trial> all = trialsOf(static_cast<Kind>(k), lockOnError), some;
            for (std::size_t i = 0; i < all.size(); ++i) {
                if (!wordMatters(all[i])) all[i].before = {0, 3, 3, 0, false};
                some.push_back(all[i]);
                if (some.size() < Rig::kPlaces && i + 1 < all.size()) continue;
                const std::vector<Outcome> outcomes = rig.perform(some);
                REQUIRE(rig.fault() == "");
                for (std::size_t n = 0; n < some.size(); ++n) {
                    const std::string bad = judge.judge(some[n], outcomes[n]);
                    if (bad.empty()) continue;
                    auto& entry = wrong[std::string(nameOf(some[n].attempt.kind)) + ": " + bad];
                    if (entry.first++ == 0) entry.second = judge.detail + describeTrial(some[n]);
                }
                some.clear();
            }
        }
    }
    for (const auto& [what, seen] : wrong)
        std::cout << what << " (" << seen.first << "x, e.g. " << seen.second << ")\n";
    CHECK(wrong.empty());
    CHECK(order.asked().find("not") ==
          std::string::npos);  // every pair of conditions was constructed
    std::cout << "precedence: " << judge.trials << " operations, " << judge.refusals << " refused, "
              << judge.subsets.size() << " sets of conditions, " << order.asked() << ", "
              << order.open() << " left open by the requirements\n";
}

namespace {

/// Lanes of one instruction on one object: the values between two lanes are those that the lane before left (D-23).
std::string judgeLanes(const Order& order, const std::vector<Trial>& lanes, const Outcome& o,
                       unsigned& refusals)
{
    Object now = lanes[0].before;
    std::vector<Verdict> verdicts;
    for (Trial t : lanes) {
        verdicts.push_back(derive(order, t.attempt, now));
        now = verdicts.back().after;
        refusals += !verdicts.back().holds.empty();
    }
    Lanes seen = 0;
    for (const Commit& c : o.commits) {
        if ((seen & c.lanes) != 0) return "a lane commits twice";
        seen |= c.lanes;
        std::set<std::string> allowed;
        bool due = false;
        for (unsigned lane = 0; lane < lanes.size(); ++lane) {
            const Verdict& v = verdicts[lane];
            if ((c.lanes >> lane & 1) == 0) continue;
            if (c.refused != !v.holds.empty())
                return "lane " + std::to_string(lane) + (c.refused ? " is refused" : " is applied");
            for (const auto& condition : v.first)
                for (const auto& rule : order.rules(condition, lanes[lane].attempt.kind))
                    allowed.insert(rule);
            allowed.insert(v.notes.begin(), v.notes.end());
            due = due || !v.holds.empty() || !v.notes.empty();
        }
        const std::set<std::string> reported = rulesOf({c});
        if (reported.empty() == due) return "reported " + text(reported) + ", not " + text(allowed);
        for (const auto& rule : reported)
            if (!allowed.count(rule)) return rule + " is reported, not one of " + text(allowed);
    }
    if (seen != (Lanes{1} << lanes.size()) - 1) return "not every lane commits";
    if (o.word != wordOf(now))
        return "the object is afterwards: " + describe(unpackMbar(o.word)) +
               ", not: " + describe(unpackMbar(wordOf(now)));
    return "";
}

/// Two to six lanes with small operands on an object of small values, so that they meet its bounds and its end.
std::vector<Trial> drawLanes(std::mt19937& random)
{
    const auto one = [&](std::initializer_list<std::int64_t> values) {
        return *(values.begin() + random() % values.size());
    };
    Trial t;
    t.attempt.kind = static_cast<Kind>(2 + random() % 6);
    t.attempt.target = random() % 2 ? Target::Own : Target::Peer;
    t.attempt.noComplete = t.attempt.target == Target::Own && random() % 4 == 0 &&
                           (t.attempt.kind == Kind::Arrive || t.attempt.kind == Kind::Drop);
    const bool counted = t.attempt.kind == Kind::Arrive || t.attempt.kind == Kind::Drop;
    do {
        t.before = {random() % 2, one({1, 2, 3, 5, 7}), one({0, 1, 2, 3, 6}),
                    one({-8, 0, 0, 4, kMax - 6, -kMax + 6}), false};
    } while (t.before.pending == 0 && t.before.tx == 0 && !t.before.retired());
    const bool same = random() % 2;
    const std::int64_t common = one({1, 2, 4});
    std::vector<Trial> lanes(2 + random() % 5, t);
    for (Trial& lane : lanes)
        lane.attempt.operand = same      ? common
                               : counted ? one({1, 1, 2, 3, 0, kMax + 1})
                                         : one({4, 4, 8, 0, kMax});
    return lanes;
}

}  // namespace

TEST_CASE(
    "lanes of one instruction on one object: each is refused or applied for itself, in the order "
    "of the lanes",
    "[GEN-010][MBAR-003][MBAR-041][MBARR-006][MBARR-017][MBDROP-006][MBDROP-011][MBDROP-017][D-23]")
{
    constexpr unsigned kRuns = 4000, kSeed = 71;
    const Order order(folder());
    std::mt19937 random(kSeed);
    Rig rig(false);
    unsigned refusals = 0, wrong = 0;
    for (unsigned run = 0; run < kRuns; ++run) {
        const std::vector<Trial> lanes = drawLanes(random);
        const Outcome o = rig.together(lanes);
        REQUIRE(rig.fault() == "");
        const std::string bad = judgeLanes(order, lanes, o, refusals);
        if (bad.empty()) continue;
        std::string operands;
        for (const Trial& t : lanes) operands += " " + std::to_string(t.attempt.operand);
        if (wrong++ < 5)
            std::cout << "run " << run << ": " << bad << "; " << describeTrial(lanes[0])
                      << "; operands" << operands << "\n";
    }
    CHECK(wrong == 0);
    CHECK(refusals > kRuns / 4);
    std::cout << "precedence of lanes: seed " << kSeed << ", " << kRuns << " instructions, "
              << refusals << " lanes refused\n";
}
