#include "capi/unit.hpp"

#include <filesystem>

#include "golden/limits.hpp"
#include "golden/params.hpp"
#include "golden/word_memory.hpp"

using gsu::capi::Refusal;

namespace {

gsu::Config configOf(const gsu_options& options)
{
    gsu::Preset preset = gsu::Preset::Hopper;
    if (options.preset != nullptr && !gsu::presetOf(options.preset, preset))
        throw Refusal{GSU_E_ARGUMENT, std::string("no preset '") + options.preset +
                                          "': hopper, ampere, blackwell, ideal"};
    gsu::Config config = gsu::configOf(preset);
    for (const char* const* setting = options.settings; setting != nullptr && *setting != nullptr;
         ++setting) {
        const std::string problem = gsu::setParameter(config, *setting);
        if (!problem.empty()) throw Refusal{GSU_E_ARGUMENT, problem};
    }
    return config;
}

unsigned smsOf(const gsu_options& options)
{
    if (options.sms < 1 || options.sms > gsu::kMaxSms)
        throw Refusal{GSU_E_ARGUMENT,
                      std::to_string(options.sms) + " SMs: 1 to " + std::to_string(gsu::kMaxSms)};
    return options.sms;
}

}  // namespace

gsu_unit::gsu_unit(const gsu_options& options)
    : callbacks_(gsu::capi::callbacksOf(options.callbacks)), guard_(smsOf(options))
{
    const gsu::Config config = configOf(options);
    const std::string name = options.unit != nullptr ? options.unit : "lockstep";
    const std::optional<gsu::UnitKind> kind = gsu::unitKindOf(name);
    if (!kind) throw Refusal{GSU_E_ARGUMENT, "no unit '" + name + "': rtl, golden, lockstep"};
    if (options.assertions > 1) throw Refusal{GSU_E_ARGUMENT, "assertions is 0 or 1"};
    if (options.threads > 1 && (*kind == gsu::UnitKind::Golden || options.assertions != 0))
        throw Refusal{GSU_E_ARGUMENT, "two threads: not the golden unit, and not with assertions"};
    const auto onNote = [this](const gsu::MbarNote& note) {
        if (callbacks_.on_finding != nullptr) notes_.push_back(note);
    };
    if (callbacks_.read_word == nullptr) own_ = std::make_unique<gsu::WordMemory>(options.sms);
    alone_ = options.threads < 2 && options.assertions == 0;
    const gsu::UnitOptions parts{.kind = *kind,
                                 .sms = options.sms,
                                 .assertions = options.assertions != 0,
                                 .threads = options.threads,
                                 .onNote = onNote};
    gsu::SharedMemory& memory = *this;  // a private base: make_unique cannot convert to it
    unit_ = std::make_unique<gsu::SyncUnit>(parts, config, memory);
    port_ = &unit_->port();
    port_->setSink(*this);
}

void gsu_unit::mayTakeInput() const
{
    if (stepping_) throw Refusal{GSU_E_NESTED, "called from inside a callback of this unit"};
}

void gsu_unit::mayUse(std::uint32_t sm) const
{
    if (sm >= port_->sms())
        throw Refusal{GSU_E_ARGUMENT,
                      "SM " + std::to_string(sm) + " of " + std::to_string(port_->sms())};
}

template <typename Input> void gsu_unit::check(const Input& input) const
{
    mayTakeInput();
    std::string problem = gsu::problemOf(input, port_->sms());
    if (!problem.empty()) throw Refusal{GSU_E_ARGUMENT, std::move(problem)};
    problem = guard_.problem(input);
    if (!problem.empty()) throw Refusal{GSU_E_STATE, std::move(problem)};
}

void gsu_unit::present(const gsu::SyncRequest& request)
{
    check(request);
    if (!port_->canPresent(request.at.sm))
        throw Refusal{GSU_E_BUSY,
                      "SM " + std::to_string(request.at.sm) + " takes no request in this cycle"};
    guard_.took(request);
    port_->present(request);
    given_ = true;
}

void gsu_unit::notify(const gsu::AsyncUpdate& update)
{
    check(update);
    if (!port_->canNotify(update.sm))
        throw Refusal{GSU_E_BUSY,
                      "SM " + std::to_string(update.sm) + " takes no completion in this cycle"};
    port_->notify(update);
    given_ = true;
}

void gsu_unit::route(const gsu::ClusterRoute& route)
{
    check(route);
    guard_.took(route);
    port_->route(route);
    given_ = true;
}

bool gsu_unit::launch(const gsu::Launch& launch)
{
    check(launch);
    if (!port_->launch(launch)) return false;
    guard_.took(launch);
    given_ = true;
    return true;
}

void gsu_unit::exit(const gsu::Exit& exit)
{
    check(exit);
    guard_.took(exit);
    port_->exit(exit);
    given_ = true;
}

void gsu_unit::stored(std::uint32_t sm, std::uint32_t addr, std::uint32_t bytes)
{
    mayTakeInput();
    mayUse(sm);
    if (bytes > gsu::kSharedBytes || addr > gsu::kSharedBytes - bytes)
        throw Refusal{GSU_E_ARGUMENT,
                      "shared memory above " + std::to_string(gsu::kSharedBytes) + " bytes"};
    port_->stored(std::uint8_t(sm), addr, bytes);
    given_ = true;
}

std::uint8_t gsu_unit::epoch(std::uint32_t sm, std::uint32_t cta, std::uint32_t warp,
                             std::uint32_t reach) const
{
    mayUse(sm);
    if (reach > GSU_REACH_EVERYONE || cta >= gsu::kMaxCtas || warp >= gsu::kMaxWarps)
        throw Refusal{GSU_E_ARGUMENT, "no such CTA slot, warp or reach"};
    const gsu::WarpRef at{std::uint8_t(sm), std::uint8_t(cta), std::uint8_t(warp)};
    const std::string problem = guard_.noWarp(at, 0);
    if (!problem.empty()) throw Refusal{GSU_E_STATE, problem};
    return port_->epoch(at, gsu::Reach(reach));
}

void gsu_unit::announce(const gsu::Accesses& accesses)
{
    check(accesses);
    if (accesses.epoch != port_->epoch(accesses.at, accesses.reach))
        throw Refusal{GSU_E_STATE, "the epoch of now is the other one: gsu_unit_epoch()"};
    std::string problem = guard_.tooMany(accesses);
    if (!problem.empty()) throw Refusal{GSU_E_STATE, std::move(problem)};
    guard_.announced(accesses);
    port_->announce(accesses);
    given_ = true;
}

void gsu_unit::performed(const gsu::Accesses& accesses)
{
    check(accesses);
    std::string problem = guard_.notAnnounced(accesses);
    if (!problem.empty()) throw Refusal{GSU_E_STATE, std::move(problem)};
    guard_.performed(accesses);
    port_->performed(accesses);
    given_ = true;
}

void gsu_unit::step()
{
    mayTakeInput();
    stepping_ = stepped_ = true;
    try {
        tellNotes(nullptr);  // of stores before this cycle
        port_->step();
        tellNotes(nullptr);
    } catch (...) {
        stepping_ = false;
        throw;
    }
    stepping_ = given_ = false;
}

void gsu_unit::skipTo(gsu::Cycle cycle)
{
    mayTakeInput();
    if (given_) throw Refusal{GSU_E_STATE, "an input was given for this cycle: step first"};
    const gsu::Cycle until = port_->quietUntil();
    if (cycle < port_->now() || cycle > until || cycle == GSU_NEVER)
        throw Refusal{GSU_E_STATE, "cycle " + std::to_string(cycle) + " is not between now (" +
                                       std::to_string(port_->now()) +
                                       ") and the end of quiet time"};
    port_->skipTo(cycle);
}

void gsu_unit::openWaves(const gsu_waves& waves)
{
    mayTakeInput();
    if (!unit_->hasWaves())
        throw Refusal{GSU_E_ARGUMENT, "the unit 'golden' has no waves: rtl, lockstep"};
    if (!alone_)
        throw Refusal{GSU_E_ARGUMENT, "waves need a unit of one thread and without assertions"};
    if (stepped_) throw Refusal{GSU_E_STATE, "waves are opened before the first step"};
    if (waves_) throw Refusal{GSU_E_STATE, "waves are open already"};
    std::error_code error;
    const auto there = std::filesystem::status(waves.path, error);
    if (std::filesystem::exists(there) && !std::filesystem::is_regular_file(there))
        throw Refusal{GSU_E_ARGUMENT, std::string(waves.path) + ": not a regular file"};
    if (!unit_->openWaves(waves.path, waves.from, waves.to != 0 ? waves.to : gsu::kNever))
        throw Refusal{GSU_E_ARGUMENT, std::string(waves.path) + ": cannot be written"};
    waves_ = true;
}

void gsu_unit::closeWaves()
{
    mayTakeInput();
    if (!waves_) throw Refusal{GSU_E_STATE, "no waves are open"};
    waves_ = false;
    if (!unit_->closeWaves()) throw Refusal{GSU_E_INTERNAL, "the waves could not be written"};
}

bool gsu_unit::canPresent(std::uint32_t sm) const
{
    mayUse(sm);
    return !stepping_ && port_->canPresent(std::uint8_t(sm));
}

bool gsu_unit::canNotify(std::uint32_t sm) const
{
    mayUse(sm);
    return !stepping_ && port_->canNotify(std::uint8_t(sm));
}

gsu::Cycle gsu_unit::quietUntil() const
{
    return stepping_ || given_ ? port_->now() : port_->quietUntil();
}

std::uint64_t gsu_unit::word(std::uint32_t sm, std::uint32_t addr) const
{
    mayUse(sm);
    if (addr >= gsu::kSharedBytes || addr % 8 != 0)
        throw Refusal{GSU_E_ARGUMENT, "no word of shared memory at byte " + std::to_string(addr)};
    return readWord(std::uint8_t(sm), addr);
}

const std::optional<gsu::Fault>& gsu_unit::fault()
{
    if (!fault_) fault_ = port_->fault();
    return fault_;
}

void gsu_unit::onResponse(const gsu::SyncResponse& response)
{
    guard_.saw(response);
    if (callbacks_.on_response == nullptr) return;
    const gsu_response out = gsu::capi::toC(response);
    callbacks_.on_response(callbacks_.user, &out);
}

void gsu_unit::onRelease(const gsu::Release& release)
{
    guard_.saw(release);
    if (callbacks_.on_release == nullptr) return;
    const gsu_release out = gsu::capi::toC(release);
    callbacks_.on_release(callbacks_.user, &out);
}

void gsu_unit::onCommit(const gsu::Commit& commit)
{
    if (callbacks_.on_commit != nullptr) {
        const gsu_commit out = gsu::capi::toC(commit);
        callbacks_.on_commit(callbacks_.user, &out);
    }
    if (callbacks_.on_finding == nullptr) return;
    if (commit.unit == gsu::Unit::Mbarrier) tellNotes(&commit);
    if (commit.errs == 0) return;
    for (const gsu::FindingRule& rule : gsu::findingsOf(commit)) {
        if (*rule.rule == '\0') continue;  // of no rule: an operation without hardware
        const gsu_finding out = gsu::capi::toC(rule, commit);
        callbacks_.on_finding(callbacks_.user, &out);
    }
}

void gsu_unit::tellNotes(const gsu::Commit* commit)
{
    for (const gsu::MbarNote& note : notes_) {
        const auto rule = gsu::findingOf(note.kind);
        if (!rule) continue;
        const gsu_finding out = gsu::capi::toC(*rule, note, commit, port_->now());
        callbacks_.on_finding(callbacks_.user, &out);
    }
    notes_.clear();
}

void gsu_unit::onDelivered(const gsu::Delivered& delivered)
{
    const auto tell = delivered.refused ? callbacks_.on_dropped : callbacks_.on_delivered;
    if (tell == nullptr) return;
    const gsu_delivered out = gsu::capi::toC(delivered);
    tell(callbacks_.user, &out);
}

void gsu_unit::onCtaFree(const gsu::CtaFree& free)
{
    guard_.saw(free);
    if (callbacks_.on_cta_free == nullptr) return;
    const gsu_cta_free out = gsu::capi::toC(free);
    callbacks_.on_cta_free(callbacks_.user, &out);
}

std::uint64_t gsu_unit::readWord(std::uint8_t sm, std::uint32_t addr) const
{
    return own_ ? own_->readWord(sm, addr) : callbacks_.read_word(callbacks_.user, sm, addr);
}

void gsu_unit::writeWord(std::uint8_t sm, std::uint32_t addr, std::uint64_t value)
{
    if (own_)
        own_->writeWord(sm, addr, value);
    else
        callbacks_.write_word(callbacks_.user, sm, addr, value);
}
