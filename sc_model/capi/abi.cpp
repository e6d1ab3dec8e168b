// The functions of gsu.h: no exception leaves, misuse becomes a status and a text.
#include <fmt/format.h>

#include <algorithm>
#include <cstring>
#include <new>
#include <type_traits>

#include "base/processor.hpp"
#include "capi/unit.hpp"

using gsu::capi::Refusal;

namespace {

/// The last error has a fixed size: reporting that memory ran out must not need memory.
thread_local char lastError[512] = "";

gsu_status fail(gsu_status status, const char* text) noexcept
{
    const std::size_t length = std::min(std::strlen(text), sizeof lastError - 1);
    std::memcpy(lastError, text, length);
    lastError[length] = '\0';
    return status;
}

/// Runs `call`, which returns a status, a truth value (0 or 1), or nothing if it cannot fail, and catches every exception.
template <typename Call> gsu_status guarded(Call&& call) noexcept
{
    try {
        if constexpr (std::is_void_v<decltype(call())>) {
            call();
            return GSU_OK;
        } else {
            return static_cast<gsu_status>(call());
        }
    } catch (const Refusal& refusal) {
        return fail(refusal.status, refusal.reason.c_str());
    } catch (const std::bad_alloc&) {
        return fail(GSU_E_MEMORY, "out of memory");
    } catch (const std::exception& error) {
        return fail(GSU_E_INTERNAL, error.what());
    } catch (...) {
        return fail(GSU_E_INTERNAL, "an unknown exception");
    }
}

/// As guarded(), for calls on a unit.
template <typename Unit, typename Call> gsu_status with(Unit* unit, Call&& call) noexcept
{
    if (unit == nullptr) return fail(GSU_E_ARGUMENT, "the unit is NULL");
    return guarded([&] { return call(*unit); });
}

gsu_status noResult() { return fail(GSU_E_ARGUMENT, "the pointer for the result is NULL"); }

}  // namespace

uint32_t gsu_abi_version(void) { return GSU_ABI; }
const char* gsu_version(void) { return GSU_VERSION; }
const char* gsu_last_error(void) { return lastError; }

gsu_status gsu_unit_create(const gsu_options* options, gsu_unit** unit)
{
    if (unit == nullptr) return noResult();
    *unit = nullptr;
    if (const char* missing = gsu::missingInstruction()) return fail(GSU_E_INTERNAL, missing);
    return guarded([&] { *unit = new gsu_unit(gsu::capi::optionsOf(options)); });
}

gsu_status gsu_unit_destroy(gsu_unit* unit)
{
    if (unit != nullptr && unit->stepping())
        return fail(GSU_E_NESTED, "called from inside a callback of this unit");
    return guarded([&] { delete unit; });
}

gsu_status gsu_unit_can_present(const gsu_unit* unit, uint32_t sm)
{
    return with(unit, [&](const gsu_unit& u) { return u.canPresent(sm); });
}

gsu_status gsu_unit_present(gsu_unit* unit, const gsu_request* request)
{
    return with(unit, [&](gsu_unit& u) { u.present(gsu::capi::fromC(request)); });
}

gsu_status gsu_unit_can_notify(const gsu_unit* unit, uint32_t sm)
{
    return with(unit, [&](const gsu_unit& u) { return u.canNotify(sm); });
}

gsu_status gsu_unit_notify(gsu_unit* unit, const gsu_async* update)
{
    return with(unit, [&](gsu_unit& u) { u.notify(gsu::capi::fromC(update)); });
}

gsu_status gsu_unit_route(gsu_unit* unit, const gsu_route* route)
{
    return with(unit, [&](gsu_unit& u) { u.route(gsu::capi::fromC(route)); });
}

gsu_status gsu_unit_grid(gsu_unit* unit, const gsu_grid* grid)
{
    return with(unit, [&](gsu_unit& u) { u.grid(gsu::capi::fromC(grid)); });
}

gsu_status gsu_unit_launch(gsu_unit* unit, const gsu_launch* launch)
{
    return with(unit, [&](gsu_unit& u) { return u.launch(gsu::capi::fromC(launch)); });
}

gsu_status gsu_unit_exit(gsu_unit* unit, const gsu_exit* lanes)
{
    return with(unit, [&](gsu_unit& u) { u.exit(gsu::capi::fromC(lanes)); });
}

gsu_status gsu_unit_stored(gsu_unit* unit, uint32_t sm, uint32_t addr, uint32_t bytes)
{
    return with(unit, [&](gsu_unit& u) { u.stored(sm, addr, bytes); });
}

gsu_status gsu_unit_epoch(const gsu_unit* unit, uint32_t sm, uint32_t cta, uint32_t warp,
                          uint32_t reach)
{
    return with(unit, [&](const gsu_unit& u) { return u.epoch(sm, cta, warp, reach); });
}

gsu_status gsu_unit_announce(gsu_unit* unit, const gsu_accesses* accesses)
{
    return with(unit, [&](gsu_unit& u) { u.announce(gsu::capi::fromC(accesses)); });
}

gsu_status gsu_unit_performed(gsu_unit* unit, const gsu_accesses* accesses)
{
    return with(unit, [&](gsu_unit& u) { u.performed(gsu::capi::fromC(accesses)); });
}

gsu_status gsu_unit_can_answer_cancel(const gsu_unit* unit, uint32_t sm)
{
    return with(unit, [&](const gsu_unit& u) { return u.canAnswerCancel(sm); });
}

gsu_status gsu_unit_answer_cancel(gsu_unit* unit, const gsu_cancel_answer* answer)
{
    return with(unit, [&](gsu_unit& u) { u.answerCancel(gsu::capi::fromC(answer)); });
}

gsu_status gsu_unit_read_word(const gsu_unit* unit, uint32_t sm, uint32_t addr, uint64_t* word)
{
    if (word == nullptr) return noResult();
    return with(unit, [&](const gsu_unit& u) { *word = u.word(sm, addr); });
}

gsu_status gsu_unit_step(gsu_unit* unit)
{
    return with(unit, [&](gsu_unit& u) { u.step(); });
}

gsu_status gsu_unit_now(const gsu_unit* unit, uint64_t* cycle)
{
    if (cycle == nullptr) return noResult();
    return with(unit, [&](const gsu_unit& u) { *cycle = u.now(); });
}

gsu_status gsu_unit_quiet_until(const gsu_unit* unit, uint64_t* cycle)
{
    if (cycle == nullptr) return noResult();
    return with(unit, [&](const gsu_unit& u) { *cycle = u.quietUntil(); });
}

gsu_status gsu_unit_skip_to(gsu_unit* unit, uint64_t cycle)
{
    return with(unit, [&](gsu_unit& u) { u.skipTo(cycle); });
}

gsu_status gsu_unit_open_waves(gsu_unit* unit, const gsu_waves* waves)
{
    return with(unit, [&](gsu_unit& u) { u.openWaves(gsu::capi::fromC(waves)); });
}

gsu_status gsu_unit_close_waves(gsu_unit* unit)
{
    return with(unit, [&](gsu_unit& u) { u.closeWaves(); });
}

gsu_status gsu_unit_next_event(gsu_unit* unit, gsu_event* event)
{
    if (event == nullptr) return noResult();
    return with(unit, [&](gsu_unit& u) {
        gsu::capi::requireSize(*event, "gsu_event");
        gsu_event next{};
        if (!u.nextEvent(next)) return 0;
        gsu::capi::give(next, *event);
        return 1;
    });
}

gsu_status gsu_unit_barrier(const gsu_unit* unit, uint32_t sm, uint32_t cta, uint32_t id,
                            gsu_barrier_state* state)
{
    if (state == nullptr) return noResult();
    return with(unit, [&](const gsu_unit& u) {
        gsu::capi::requireSize(*state, "gsu_barrier_state");
        gsu::capi::give(u.barrier(sm, cta, id), *state);
    });
}

gsu_status gsu_unit_mbarrier(const gsu_unit* unit, uint32_t sm, uint32_t cta, uint32_t addr,
                             gsu_mbarrier_state* state)
{
    if (state == nullptr) return noResult();
    return with(unit, [&](const gsu_unit& u) {
        gsu::capi::requireSize(*state, "gsu_mbarrier_state");
        gsu::capi::give(u.mbarrier(sm, cta, addr), *state);
    });
}

gsu_status gsu_unit_cluster(const gsu_unit* unit, uint32_t sm, uint32_t cta,
                            gsu_cluster_state* state)
{
    if (state == nullptr) return noResult();
    return with(unit, [&](const gsu_unit& u) {
        gsu::capi::requireSize(*state, "gsu_cluster_state");
        gsu::capi::give(u.cluster(sm, cta), *state);
    });
}

gsu_status gsu_unit_explain(gsu_unit* unit, const char** text)
{
    if (text == nullptr) return noResult();
    return with(unit, [&](gsu_unit& u) { *text = u.explain(); });
}

gsu_status gsu_unit_line(gsu_unit* unit, uint32_t line)
{
    return with(unit, [&](gsu_unit& u) { u.line(line); });
}

gsu_status gsu_unit_hang(gsu_unit* unit, uint32_t idle, gsu_hang* hang)
{
    if (hang == nullptr) return noResult();
    return with(unit, [&](gsu_unit& u) {
        gsu::capi::requireSize(*hang, "gsu_hang");
        if (idle > 1) throw Refusal{GSU_E_ARGUMENT, "idle is 0 or 1"};
        gsu_hang found{};
        const bool hangs = u.hang(idle != 0, found);
        gsu::capi::give(found, *hang);
        return hangs;
    });
}

gsu_status gsu_unit_reset(gsu_unit* unit)
{
    return with(unit, [&](gsu_unit& u) { u.reset(); });
}

gsu_status gsu_unit_save(const gsu_unit* unit, void* data, uint64_t capacity, uint64_t* bytes)
{
    if (bytes == nullptr) return noResult();
    return with(unit, [&](const gsu_unit& u) {
        const std::string checkpoint = u.save();
        *bytes = checkpoint.size();
        if (data == nullptr) return;
        if (capacity < checkpoint.size())
            throw Refusal{GSU_E_ARGUMENT,
                          fmt::format("the checkpoint has {} bytes", checkpoint.size())};
        std::memcpy(data, checkpoint.data(), checkpoint.size());
    });
}

gsu_status gsu_unit_restore(gsu_unit* unit, const void* data, uint64_t bytes)
{
    if (data == nullptr) return fail(GSU_E_ARGUMENT, "the checkpoint is NULL");
    return with(unit, [&](gsu_unit& u) { u.restore(data, bytes); });
}

gsu_status gsu_unit_fault(gsu_unit* unit, uint32_t* kind, const char** text)
{
    return with(unit, [&](gsu_unit& u) {
        const auto& fault = u.fault();
        if (kind != nullptr) *kind = fault ? uint32_t(fault->kind) : 0;
        if (text != nullptr) *text = fault ? fault->message.c_str() : "";
        return fault.has_value();
    });
}
