#include "verilated/split_sm.hpp"

#include <algorithm>
#include <string>

#include "verilated/clock_edge.hpp"
#include "verilated/port_words.hpp"

namespace gsu {

SplitSm::SplitSm(VerilatedContext* context, const char* name)
    : SmModels(context, name, (std::string(name) + "_mbar").c_str())
{
}

void SplitSm::final()
{
    core_.final();
    unit_.final();
}

/// Gives the core its inputs and the time.
void SplitSm::takeCore()
{
    takeInputs(core_);
    coreNews_ = coreLate_ = false;
}

void SplitSm::resetClock()
{
    unit_.rst_ni = core_.rst_ni;
    unit_.now_i = core_.now_i;
    unit_.cfg_i = core_.cfg_i;
    for (int pass = 0; pass < 2; ++pass) {
        takeCore();
        takeInputs(unit_);
        (void)toUnit();
        (void)readyToUnit();
        (void)fromUnit(coreLate_);
    }
    takeCore();
    takeInputs(unit_);
    clockEdge(core_);
    clockEdge(unit_);
    coreQuiet_ = core_.still_o != 0;
    idle_o = coreQuiet_ && unit_.idle_o;
    next_event_o = std::min<Cycle>(core_.next_event_o, unit_.next_event_o);
}

/// After skipped clocks the core must be given the current time if one of its deadlines has passed, because its answer may come before the
/// unit's. (A request passes a buffer first, and any other input brings the time.)
void SplitSm::wakeCore(Cycle at)
{
    const bool late = coreLast_ + 1 != at;
    coreLast_ = at;
    core_.now_i = at;
    if (!late || at < core_.next_event_o) return;
    takeCore();
}

/// Whether the unit must be given the time.
bool SplitSm::wakeUnit(Cycle at)
{
    const bool late = unitLast_ + 1 != at;
    unitLast_ = at;
    unit_.now_i = at;
    return late;
}

/// Beats of mbarrier operations are the unit's, values of match and redux the core's.
void SplitSm::dealOperands()
{
    core_.opnd_valid_i = opnd_valid_i != 0 && load<raw::OpndBeat>(opnd_i).warp;
    unit_.opnd_valid_i = opnd_valid_i != 0 && !core_.opnd_valid_i;
    if (core_.opnd_valid_i != 0) core_.opnd_i = opnd_i;
}

/// Acknowledgements that carry a value go to the unit, too.
bool SplitSm::tellReply()
{
    const bool reply = ack_valid_i != 0 && load<raw::Ack>(ack_i).reply;
    if (reply) unit_.back_i = ack_i;
    return showPulse(unit_.back_valid_i, CData{reply});
}

/// Passes on the registered outputs of the unit on which outputs of the core to the unit depend.
void SplitSm::takeEarly()
{
    core_.mb_cta_quiet_i = unit_.cta_quiet_o;
    core_.mb_arriving_i = unit_.arriving_o;
    takeCore();
}

void SplitSm::clockCore()
{
    coreClocked_ = coreRuns_;
    if (!coreRuns_) return;
    if (coreNews_) takeCore();
    clockEdge(core_);
    coreQuiet_ = core_.still_o != 0;
    if (signals_) endSignals();
}

void SplitSm::clockUnit()
{
    if (unitRuns_) clockEdge(unit_);
    // Each model sees the outputs of the other in the next clock.
    idle_o = coreQuiet_ && !coreRuns_ && !unitRuns_;
    next_event_o = std::min<Cycle>(core_.next_event_o, unit_.next_event_o);
}

void SplitSm::exchange(Cycle at, bool skipping)
{
    dealOperands();
    const bool corePulsed = corePulse();
    coreNews_ |= show(coreReady_, coreReady()) || corePulsed;
    // Two registered outputs of the unit affect outputs of the core to the unit, and only while a CTA ends; the ready of failed waits
    // depends on a port.
    const bool ends = core_.mb_ending_o != 0 && (core_.mb_arriving_i != unit_.arriving_o ||
                                                 core_.mb_cta_quiet_i != unit_.cta_quiet_o);
    const bool early = ends || unit_.fail_valid_o;
    coreRuns_ = core_.req_valid_i || corePulsed || early || !coreQuiet_ ||
                at >= core_.next_event_o || !skipping;
    if (coreRuns_) wakeCore(at);
    if (early) takeEarly();

    bool news = toUnit();
    news |= tellReply();
    const bool unitPulsed = unitPulse();
    unitRuns_ = news || unitPulsed || !unit_.idle_o || at >= unit_.next_event_o || !skipping;
    signals_ = false;
    if (unitRuns_) {
        const bool late = wakeUnit(at);
        news |= readyToUnit();
        news |= show(unitReady_, unitReady());
        if (news || unitPulsed || late) takeInputs(unit_);
        signals_ = unitSignals();
        if (signals_ && !coreRuns_) wakeCore(at);
        coreRuns_ = coreRuns_ || signals_;
    }

    tap_mb_valid_o = unitRuns_ && unit_.tap_valid_o;
    if (tap_mb_valid_o) tap_mb_o = unit_.tap_o;

    if (coreRuns_ && (unitRuns_ || !told_)) coreNews_ |= fromUnit(coreLate_);
    told_ = !unitRuns_ && (told_ || coreRuns_);
}

}  // namespace gsu
