#include "scenarios/scenario.hpp"

#include <algorithm>
#include <cstring>
#include <set>
#include <sstream>

#include "catch.hpp"
#include "exec/machine/executor.hpp"
#include "golden/mbarrier_unit.hpp"
#include "golden/params.hpp"
#include "lockstep/lockstep_port.hpp"
#include "observers/tap_port.hpp"
#include "ptx/parser.hpp"
#include "verilated/rtl_port.hpp"

using namespace gsu;

namespace scenario {

namespace {

constexpr std::uint32_t kSourceWords = 256, kSourceBias = 1000;

const char* const kPrologue = R"(
    .reg .pred %p<16>; .reg .b32 %r<64>; .reg .b64 %rd<32>;
    .shared .align 128 .b8 smem[1024];
    ld.param.u64 %rd0, [out];
    ld.param.u64 %rd1, [src];
    mov.u32 %r0, %tid.x;
    mov.u32 %r1, smem;
    mov.u32 %r2, %cluster_ctarank;
    setp.eq.u32 %p0, %r0, 0;
    setp.eq.u32 %p1, %r2, 0;
    mov.u32 %r3, %ntid.x;
    mad.lo.u32 %r4, %r2, %r3, %r0;
    mul.wide.u32 %rd2, %r4, 4;
    add.s64 %rd2, %rd0, %rd2;
    cvt.u64.u32 %rd3, %r1;
    cvta.shared.u64 %rd3, %rd3;
)";

DataArray bytesOf(DataType type, const std::vector<std::uint32_t>& words)
{
    DataArray a{type, {}};
    a.bytes.resize(words.size() * 4);
    std::memcpy(a.bytes.data(), words.data(), a.bytes.size());
    return a;
}

LaunchSpec specOf(const Scenario& s)
{
    LaunchSpec spec;
    spec.file = "scenario.launch.json";
    spec.block = {s.threads, 1, 1};
    spec.grid = {s.ctas * s.clusters, 1, 1};
    if (s.ctas > 1) spec.cluster = {s.ctas, 1, 1};
    std::vector<std::uint32_t> source(kSourceWords);
    for (std::uint32_t i = 0; i < kSourceWords; ++i) source[i] = i + kSourceBias;
    spec.params = {
        {LaunchParam::Kind::Buffer, bytesOf(DataType::U32, std::vector<std::uint32_t>(s.outWords))},
        {LaunchParam::Kind::Buffer, bytesOf(DataType::U32, source)}};
    return spec;
}

State stateOf(std::uint64_t word)
{
    const MbarState s = unpackMbar(word);
    return {s.pending, s.expected, s.tx, s.phase};
}

/// Keeps what happened to each mbarrier word, and its bytes when the CTA ends.
class Words final : public ExecObserver, public PortObserver {
public:
    Words(const SharedMemory& memory, std::map<Object, History>& words)
        : memory_(memory), words_(words)
    {
    }
    void onPlaced(const CtaPlace& place) override
    {
        places_[{place.launch.sm, place.launch.cta}] = place;
    }
    void onCommit(const Commit& c) override
    {
        if (c.unit != Unit::Mbarrier || c.refused || isMbarWait(c.op) || c.src == Src::Network)
            return;
        if (c.op == Op::EvTimeout || c.op == Op::EvDelivered) return;
        const auto place = places_.find({c.at.sm, c.at.cta});
        if (place == places_.end()) return;
        History& h = words_[{place->second.linear, c.object & 0xff'ffffu}];
        h.states.push_back(stateOf(c.newWord));
        h.ops.emplace_back(nameOf(c.op));
        h.flips += c.flip;
    }
    void onCtaFree(const CtaFree& f) override
    {
        const auto place = places_.find({f.sm, f.cta});
        if (place == places_.end()) return;
        for (auto& [object, history] : words_) {
            if (object.first == place->second.linear)
                history.memory = memory_.readWord(f.sm, place->second.launch.base + object.second);
        }
    }

private:
    const SharedMemory& memory_;
    std::map<Object, History>& words_;
    std::map<std::pair<std::uint8_t, std::uint8_t>, CtaPlace> places_;
};

template <class T> std::string text(const T& value)
{
    std::ostringstream out;
    out << value;
    return out.str();
}
template <class T> std::string text(const std::vector<T>& values)
{
    std::string all;
    for (const T& v : values) all += text(v) + ' ';
    return all;
}
std::string text(const Object& o)
{
    return "object " + text(o.second) + " of CTA " + text(o.first);
}

std::vector<std::string> rulesOf(const RunResult& result)
{
    std::set<std::string> rules;
    for (const Finding& f : result.findings) rules.insert(f.rule);
    return {rules.begin(), rules.end()};
}

void compareWords(const Expected& e, const Observed& o, Conditions c, std::vector<std::string>& bad)
{
    for (const auto& [object, steps] : e.steps) {
        const auto h = o.words.find(object);
        if (h == o.words.end())
            bad.push_back(text(object) + " was never used");
        else if (h->second.states != steps)
            bad.push_back(text(object) + ": " + text(h->second.states) + "instead of " +
                          text(steps));
    }
    for (const auto& [object, last] : e.last) {
        const auto h = o.words.find(object);
        if (h == o.words.end()) {
            bad.push_back(text(object) + " was never used");
            continue;
        }
        if (!(h->second.states.back() == last.first))
            bad.push_back(text(object) + " ends as " + text(h->second.states.back()) +
                          " instead of " + text(last.first));
        if (h->second.flips != last.second)
            bad.push_back(text(object) + " completed " + text(h->second.flips) +
                          " phases instead of " + text(last.second));
        if (c.policy == 0 && h->second.memory && h->second.ops.back() != "MbarInval" &&
            !(stateOf(*h->second.memory) == last.first))
            bad.push_back(text(object) + " in memory is " + text(stateOf(*h->second.memory)));
    }
}

}  // namespace

std::ostream& operator<<(std::ostream& out, const State& s)
{
    return out << '{' << s.pending << '/' << s.expected << " tx " << s.tx << " phase " << s.phase
               << '}';
}

std::string ptxOf(const Scenario& s)
{
    return ".version " + s.version + "\n.target " + s.target + "\n.address_size 64\n" +
           ".visible .entry k(.param .u64 out, .param .u64 src)\n{" + kPrologue + s.body +
           "\n    ret;\n}\n";
}

Observed run(const Scenario& s, Conditions c)
{
    const ptx::Module module = ptx::parseModule(ptxOf(s), "scenario.ptx");
    if (const ptx::Diagnostic* d = ptx::firstError(module))
        throw InputError("scenario.ptx", d->at.line, d->at.column, d->message);
    const LaunchSpec spec = specOf(s);
    RunOptions options;
    options.seed = c.seed;
    options.maxCycles = 3'000'000;
    Config config = configOf(Preset::Hopper);
    config.mbar_policy = static_cast<decltype(config.mbar_policy)>(c.policy);
    options.params = execParamsOf(Preset::Hopper);
    Executor executor(spec, module, options);
    RtlPort rtl(executor.sms(), config);
    rtl.setMemory(executor.sharedMemory());
    LockstepPort port(rtl, {.waitLimit = config.trywait_limit,
                            .onNote = [&executor](const MbarNote& note) { executor.note(note); }});
    Observed observed;
    Words words(executor.sharedMemory(), observed.words);
    executor.addObserver(words);
    TapPort tap(port);
    tap.add(words);
    observed.result = executor.run(tap);
    const std::vector<std::uint8_t> out = executor.readBuffer(0);
    observed.out.resize(out.size() / 4);
    std::memcpy(observed.out.data(), out.data(), out.size());
    return observed;
}

std::vector<std::string> differences(const Expected& e, const Observed& o, Conditions c)
{
    std::vector<std::string> bad;
    const RunResult& r = o.result;
    if (r.verdict != e.verdict)
        bad.push_back(std::string("verdict ") + nameOf(r.verdict) + " instead of " +
                      nameOf(e.verdict));
    if (r.fault) bad.push_back(r.fault->message);
    if (r.hang && e.verdict != Verdict::Hang && e.hang.empty()) bad.push_back(r.hang->explanation);
    if (r.trap.find(e.trap) == std::string::npos || r.trap.empty() != e.trap.empty())
        bad.push_back("trap \"" + r.trap + "\" instead of \"" + e.trap + '"');
    if (r.hang && r.hang->explanation.find(e.hang) == std::string::npos)
        bad.push_back("hang \"" + r.hang->explanation + "\" instead of \"" + e.hang + '"');
    if (rulesOf(r) != e.findings) {
        bad.push_back("findings " + text(rulesOf(r)) + "instead of " + text(e.findings));
        for (const Finding& f : r.findings)
            bad.push_back(f.rule + " in line " + text(f.line) + ": " + f.message);
    }
    std::vector<std::uint32_t> out = e.out;
    out.resize(o.out.size());
    for (std::size_t i = 0; i < out.size(); ++i) {
        if (out[i] == o.out[i]) continue;
        bad.push_back("out[" + text(i) + "] is " + text(o.out[i]) + " instead of " + text(out[i]));
        break;
    }
    for (const Object& object : e.waitedOn) {
        const auto named = [&](const HangReport::Waiting& w) {
            return w.kind == HangReport::Kind::Mbarrier && Object{w.cta, w.address} == object;
        };
        if (!r.hang || std::none_of(r.hang->waiting.begin(), r.hang->waiting.end(), named))
            bad.push_back("nobody is named as waiting on " + text(object));
    }
    compareWords(e, o, c, bad);
    return bad;
}

namespace {

/// Each expectation made wrong in one place.
std::vector<Expected> falsified(const Expected& e)
{
    std::vector<Expected> all;
    const auto with = [&](auto&& change) { change(all.emplace_back(e)); };
    with([](Expected& x) {
        x.verdict = x.verdict == Verdict::Pass ? Verdict::Hang : Verdict::Pass;
    });
    with([](Expected& x) { x.findings.push_back("none"); });
    for (std::size_t i = 0; i < e.out.size(); ++i) with([i](Expected& x) { ++x.out[i]; });
    for (const auto& [object, steps] : e.steps) {
        for (std::size_t i = 0; i < steps.size(); ++i)
            with([o = object, i](Expected& x) { ++x.steps[o][i].pending; });
        with([o = object](Expected& x) { x.steps[o].pop_back(); });
    }
    for (const auto& entry : e.last) {
        with([o = entry.first](Expected& x) { x.last[o].first.phase ^= 1; });
        with([o = entry.first](Expected& x) { ++x.last[o].first.expected; });
        with([o = entry.first](Expected& x) { --x.last[o].first.tx; });
        with([o = entry.first](Expected& x) { ++x.last[o].second; });
    }
    with([](Expected& x) { x.waitedOn.push_back({7, 4096}); });
    with([](Expected& x) { x.trap += "?"; });
    if (e.verdict == Verdict::Hang || !e.hang.empty()) with([](Expected& x) { x.hang += "?"; });
    return all;
}

}  // namespace

void check(const Scenario& s)
{
    const Expected& e = s.expected;
    // An empty expectation would agree with everything.
    REQUIRE(e.out.size() + e.steps.size() + e.last.size() + e.findings.size() + e.waitedOn.size() +
                e.hang.size() >
            0);
    for (const std::uint32_t policy : {0u, 1u}) {
        for (const std::uint64_t seed : {1u, 2u, 3u}) {
            const Conditions c{policy, seed};
            CAPTURE(policy, seed);
            const Observed o = run(s, c);
            CHECK(differences(e, o, c) == std::vector<std::string>{});
            for (const Expected& wrong : falsified(e)) REQUIRE(!differences(wrong, o, c).empty());
        }
    }
}

}  // namespace scenario
