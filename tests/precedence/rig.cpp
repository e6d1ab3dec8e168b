#include "rig.hpp"

#include "golden/params.hpp"

namespace gsu::derived {
namespace {

constexpr std::uint32_t kSize = 0x400, kPlace = 0x40;
constexpr Op kOps[kKinds] = {Op::MbarInit,           Op::MbarInval,          Op::MbarExpectTx,
                             Op::MbarCompleteTx,     Op::MbarArrive,         Op::MbarArriveExpectTx,
                             Op::MbarArriveDrop,     Op::MbarDropExpectTx,   Op::MbarTestWait,
                             Op::MbarTestWaitParity, Op::MbarTryWait,        Op::MbarTryWaitParity,
                             Op::CpAsyncArrive,      Op::CpAsyncArriveNoinc, Op::RedAsync};

Config configFor(bool lockOnError)
{
    Config config = configOf(Preset::Hopper);
    config.mbar_policy = lockOnError ? 2 : 0;
    return config;
}

LockstepOptions checksFor(bool lockOnError)
{
    LockstepOptions checks;
    checks.policy.lockOnError = lockOnError;
    return checks;
}

std::uint8_t smOf(Target target) { return target == Target::Peer ? 1 : 0; }

std::uint32_t baseOf(std::uint8_t sm) { return 0x1000u * (sm + 1u); }

std::uint32_t offsetOf(const Trial& t, unsigned place)
{
    const std::uint32_t misaligned = t.attempt.misaligned ? 1u + place % 7 : 0u;
    if (!t.attempt.beyond) return kPlace + 8 * place + misaligned;
    const std::uint32_t far[] = {kSize, kSize + 8 * place, 0x20000 + 8 * place,
                                 0xffff00 + 8 * place};
    return t.beyond % 5 == 4 && t.attempt.misaligned ? kSize - 8 + misaligned
                                                     : far[t.beyond % 4] + misaligned;
}

std::uint32_t rankOf(const Trial& t)
{
    switch (t.attempt.target) {
        case Target::Own: return 0;
        case Target::Peer: return 1;
        case Target::Exited: return 2;
        case Target::Nobody: return t.beyond % 2 ? 3 : 0xff;
    }
    return 0;
}

}  // namespace

std::uint64_t wordOf(const Object& o)
{
    return packMbar({o.phase % 2 != 0, o.locked, static_cast<std::uint32_t>(o.pending),
                     static_cast<std::uint32_t>(o.expected), static_cast<std::int32_t>(o.tx)});
}

Rig::Rig(bool lockOnError)
    : memory_(3), rtl_(3, configFor(lockOnError), true), port_(rtl_, checksFor(lockOnError))
{
    rtl_.setMemory(memory_);
    port_.setSink(*this);
    for (std::uint8_t i = 0; i < 3; ++i) port_.route({3, i, i, 5, 3});
    for (std::uint8_t i = 0; i < 3; ++i) {
        const Launch l{.sm = i,
                       .cta = 5,
                       .wbase = 0,
                       .cluster = 3,
                       .rank = i,
                       .ctas = 3,
                       .threads = 512,
                       .base = baseOf(i),
                       .size = kSize,
                       .era = 0};
        while (!port_.launch(l)) port_.step();
    }
    settle(100);
    for (std::uint8_t w = 0; w < 16; ++w) port_.exit({{2, 5, w}, ~Lanes{0}, false});
    settle(200);
}

void Rig::setWord(const Trial& t, unsigned place)
{
    const std::uint8_t sm = smOf(t.attempt.target);
    const std::uint32_t at = baseOf(sm) + kPlace + 8 * place;
    memory_.writeWord(sm, at, wordOf(t.before));
    port_.stored(sm, at, 8);
}

SyncRequest Rig::requestOf(const Trial& t, unsigned place) const
{
    const Attempt& a = t.attempt;
    SyncRequest r;
    r.op = kOps[static_cast<unsigned>(a.kind)];
    r.at = {0, 5, static_cast<std::uint8_t>(place)};
    r.lanes = 1;
    r.tag = static_cast<std::uint16_t>(100 + place);
    r.noComplete = a.noComplete;
    r.wantValue = a.wantsState;
    r.remote = a.target != Target::Own || t.ownRank || a.kind == Kind::RedAsync;
    r.kind = a.kind == Kind::TryState ||
             a.kind == Kind::TryParity;  // with a limit of 0: answered at once
    r.addr[0] = clusterAddress(r.remote ? rankOf(t) : 0, offsetOf(t, place));
    r.data[0] = static_cast<std::uint64_t>(a.operand);
    if (a.kind == Kind::TestState || a.kind == Kind::TryState)
        r.data[0] = wordOf(t.before) ^ (a.stateOfThisPhase ? 0 : std::uint64_t{1} << 63);
    return r;
}

void Rig::give(const Trial& t, unsigned place)
{
    if (t.async) {
        const std::uint8_t sm = smOf(t.attempt.target);
        const AsyncKind kind =
            t.attempt.kind == Kind::CpaNoinc ? AsyncKind::ArriveOn : AsyncKind::CompleteTx;
        while (!port_.canNotify(sm)) port_.step();
        port_.notify({kind, sm, 5, static_cast<std::uint8_t>(place), offsetOf(t, place),
                      static_cast<std::uint32_t>(t.attempt.operand),
                      static_cast<std::uint16_t>(100 + place), 0});
        return;
    }
    while (!port_.canPresent(0)) port_.step();
    port_.present(requestOf(t, place));
    port_.step();
}

Outcome Rig::outcomeOf(const Trial& t, unsigned place)
{
    const auto tag = static_cast<std::uint16_t>(100 + place);
    const std::uint8_t sm = smOf(t.attempt.target);
    return {commits_[tag], responses_[tag], memory_.readWord(sm, baseOf(sm) + kPlace + 8 * place)};
}

void Rig::until(std::size_t commits)
{
    for (int i = 0; i < 3000 && commits_.size() < commits; ++i) port_.step();
    settle(40);
}

std::vector<Outcome> Rig::perform(const std::vector<Trial>& trials)
{
    commits_.clear();
    responses_.clear();
    for (unsigned place = 0; place < trials.size(); ++place) setWord(trials[place], place);
    port_.step();
    for (unsigned place = 0; place < trials.size(); ++place) give(trials[place], place);
    until(trials.size());
    std::vector<Outcome> out;
    for (unsigned place = 0; place < trials.size(); ++place)
        out.push_back(outcomeOf(trials[place], place));
    return out;
}

Outcome Rig::together(const std::vector<Trial>& lanes)
{
    commits_.clear();
    responses_.clear();
    setWord(lanes[0], 0);
    port_.step();
    SyncRequest r = requestOf(lanes[0], 0);
    for (unsigned lane = 0; lane < lanes.size(); ++lane) {
        r.lanes |= Lanes{1} << lane;
        r.addr[lane] = r.addr[0];
        r.data[lane] = static_cast<std::uint64_t>(lanes[lane].attempt.operand);
    }
    port_.present(r);
    until(1);
    settle(200);
    return outcomeOf(lanes[0], 0);
}

}  // namespace gsu::derived
