#include "verilated/rtl_port.hpp"

#include <bit>
#include <cassert>
#include <stdexcept>

#include "golden/op_traits.hpp"
#include "verilated/system_base.hpp"

#ifndef GSU_WITH
#define GSU_WITH ""  // the structure of a model that `gsu build` makes
#endif

namespace gsu {

namespace {

constexpr unsigned kWordShift = 3;  // the barrier cache works on 8-byte words

raw::Wr packed(const Accesses& a, bool performed)
{
    raw::Wr out = toRaw(a);
    out.performed = performed;
    return out;
}

bool hasLimit(const SyncRequest& r) noexcept { return isMbarTryWait(r.op) && r.kind != 0; }

/// Whether all lanes have the operand of the lowest one; of a state only the phase counts.
bool isUniform(const SyncRequest& r) noexcept
{
    const auto first = unsigned(std::countr_zero(r.lanes));
    const unsigned shift = isMbarState(r.op) ? 63 : 0;
    const bool limits = hasLimit(r);
    for (Lanes rest = r.lanes & (r.lanes - 1); rest != 0; rest &= rest - 1) {
        const auto lane = unsigned(std::countr_zero(rest));
        if (r.addr[lane] != r.addr[first] || (r.data[lane] ^ r.data[first]) >> shift != 0 ||
            (limits && r.limit[lane] != r.limit[first]))
            return false;
    }
    return true;
}

/// One beat per quad of lanes that has a lane of the request, or one for all; a second round carries given time limits.
void queueOperands(SmInputs& in, const SyncRequest& r)
{
    const unsigned rounds = hasLimit(r) ? 2 : 1;
    in.request.bcast = isUniform(r);
    for (unsigned half = 0; half < rounds; ++half) {
        if (in.request.bcast) {
            const auto lane = unsigned(std::countr_zero(r.lanes));
            raw::OpndBeat beat;
            beat.mask = 1;
            beat.half = half != 0;
            beat.lane[0] = {.addr = r.addr[lane], .data = half != 0 ? r.limit[lane] : r.data[lane]};
            in.beats.push_back(beat);
            continue;
        }
        for (unsigned quad = 0; quad < 8; ++quad) {
            const auto mask = std::uint8_t(r.lanes >> (4 * quad) & 0xf);
            if (mask == 0) continue;
            raw::OpndBeat beat;
            beat.quad = std::uint8_t(quad);
            beat.mask = mask;
            beat.half = half != 0;
            for (unsigned k = 0; k < 4; ++k) {
                const unsigned lane = 4 * quad + k;
                beat.lane[k].addr = r.addr[lane];
                beat.lane[k].data = half != 0 ? r.limit[lane] : r.data[lane];
            }
            in.beats.push_back(beat);
        }
    }
    for (raw::OpndBeat& beat : in.beats) beat.warp = hasValues(r.op);
    in.beats.back().last = true;
}

}  // namespace

const RtlModels& builtInModels() noexcept
{
    static const RtlModels kModels = [] {
#ifdef GSU_MODEL_PLAIN
        RtlModels models{{}, makePlainSystem, nullptr, nullptr};
#elif defined(GSU_NO_ASSERTIONS)
        RtlModels models{{}, makePlainSystem, nullptr, makeTracedSystem};
#else
        RtlModels models{{}, makePlainSystem, makeCheckedSystem, makeTracedSystem};
#endif
        const std::string problem = setStructure(models.structure, GSU_WITH);
        assert(problem.empty());
        return models;
    }();
    return kModels;
}

RtlPort::RtlPort(unsigned sms, const Config& config, bool assertions)
    : RtlPort(sms, config, assertions, builtInModels())
{
}

RtlPort::RtlPort(unsigned sms, const Config& config, bool assertions, const RtlModels& models,
                 unsigned first)
    : sms_(sms),
      config_(config),
      models_(models),
      first_(first),
      system_((assertions ? models.checked : models.plain)(sms, config, first))
{
    assert(sms >= 1 && sms <= kMaxSms && config.trywait_slots <= models.structure.waits);
}

RtlPort::~RtlPort()
{
    if (system_) (void)system_->closeWaves();
}

bool RtlPort::openWaves(const WaveOptions& options)
{
    assert(!system_->started);
    auto traced = models_.traced(sms_, config_, first_);
    traced->sink = system_->sink;
    traced->memory = system_->memory;
    traced->skipping = system_->skipping;
    traced->inputs = system_->inputs;
    traced->inputMask = system_->inputMask;
    traced->routes = system_->routes;
    traced->grids = system_->grids;
    if (!traced->openWaves(options)) return false;
    system_ = std::move(traced);
    return true;
}

bool RtlPort::closeWaves() { return system_->closeWaves(); }
int RtlPort::waveError() const { return system_->waveError; }
void RtlPort::setMemory(SharedMemory& memory) { system_->memory = &memory; }
void RtlPort::setSkipping(bool on) { system_->skipping = on; }
void RtlPort::setThreads(unsigned threads, bool always)
{
    if (threads < 2)
        system_->pool.reset();
    else if (!system_->pool)
        system_->pool = std::make_unique<StepPool>(always);
}
std::uint64_t RtlPort::sharedCycles() const { return system_->pool ? system_->pool->rounds() : 0; }
std::uint64_t RtlPort::networksAhead() const { return system_->networksAhead; }
std::uint64_t RtlPort::evaluations() const { return system_->evaluations; }
unsigned RtlPort::sms() const { return sms_; }
const Structure& RtlPort::structure() const noexcept { return models_.structure; }
Cycle RtlPort::now() const { return system_->now; }
void RtlPort::setSink(SyncSink& sink) { system_->sink = &sink; }
bool RtlPort::canPresent(std::uint8_t sm) const
{
    return !system_->inputs[sm].requestValid && system_->inputs[sm].beats.empty();
}

void RtlPort::present(const SyncRequest& request)
{
    SmInputs& in = system_->inputs[request.at.sm];
    assert(canPresent(request.at.sm) && request.lanes != 0);
    in.request = toRaw(request);
    in.requestValid = true;
    system_->inputMask |= 1u << request.at.sm;
    if (isMbarRequest(request) || hasValues(request.op)) queueOperands(in, request);
}

bool RtlPort::canNotify(std::uint8_t sm) const { return !system_->inputs[sm].asyncValid; }

void RtlPort::notify(const AsyncUpdate& update)
{
    SmInputs& in = system_->inputs[update.sm];
    assert(!in.asyncValid);
    in.async = toRaw(update);
    in.asyncValid = true;
    system_->inputMask |= 1u << update.sm;
}

void RtlPort::route(const ClusterRoute& route)
{
    if (system_->noMoreRoutes) throw std::logic_error("a route after noMoreRoutes()");
    system_->routes.push_back(toRaw(route));
}

void RtlPort::grid(const GridStart& grid)
{
    if (system_->noMoreRoutes) throw std::logic_error("a grid after noMoreRoutes()");
    system_->grids.push_back(toRaw(grid));
}

void RtlPort::noMoreRoutes() { system_->noMoreRoutes = true; }

bool RtlPort::launch(const Launch& launch)
{
    SmInputs& in = system_->inputs[launch.sm];
    if (in.launchValid || !system_->routes.empty()) return false;   // routes go first
    if (launch.grid != 0 && !system_->grids.empty()) return false;  // and grids
    in.launch = toRaw(launch);
    in.launchValid = true;
    in.wbase[launch.cta] = launch.wbase;
    system_->inputMask |= 1u << launch.sm;
    return true;
}

void RtlPort::exit(const Exit& exit)
{
    system_->inputs[exit.at.sm].leaves(exit.at.cta, exit.at.warp);
    system_->inputs[exit.at.sm].exits.push_back(toRaw(exit));
    system_->inputMask |= 1u << exit.at.sm;
}

void RtlPort::stored(std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes)
{
    SmInputs& in = system_->inputs[sm];
    if (bytes == 0 || in.used.empty()) return;
    const std::uint32_t last = (addr + bytes - 1) >> kWordShift;
    for (std::uint32_t word = addr >> kWordShift; word <= last && word < in.used.size(); ++word)
        if (in.used[word]) in.snoops.push_back(word << kWordShift);
    if (!in.snoops.empty()) system_->inputMask |= 1u << sm;
}

std::uint8_t RtlPort::epoch(const WarpRef& at, Reach reach) const
{
    const unsigned slot =
        reach == Reach::Everyone ? at.cta : system_->inputs[at.sm].wbase[at.cta] + at.warp;
    return std::uint8_t(system_->epoch(at.sm, slot, reach));
}

void RtlPort::announce(const Accesses& accesses)
{
    system_->inputs[accesses.at.sm].accesses.announce(packed(accesses, false));
    system_->inputMask |= 1u << accesses.at.sm;
}

void RtlPort::performed(const Accesses& accesses)
{
    system_->inputs[accesses.at.sm].accesses.perform(packed(accesses, true));
    system_->inputMask |= 1u << accesses.at.sm;
}

bool RtlPort::canAnswerCancel(std::uint8_t sm) const { return !system_->inputs[sm].answerValid; }

void RtlPort::answerCancel(const CancelAnswer& answer)
{
    SmInputs& in = system_->inputs[answer.sm];
    assert(!in.answerValid);
    in.answer = {.slot = answer.slot};
    in.answerValid = true;
    system_->inputMask |= 1u << answer.sm;
}

void RtlPort::step()
{
    system_->started = true;
    system_->step();
}

Cycle RtlPort::quietUntil() const { return system_->quietUntil(); }

void RtlPort::skipTo(Cycle cycle)
{
    assert(cycle >= system_->now && cycle <= quietUntil());
    system_->now = cycle;
}

std::optional<Fault> RtlPort::fault() const { return system_->fault; }

}  // namespace gsu
