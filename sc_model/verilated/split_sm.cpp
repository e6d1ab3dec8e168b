#include "verilated/split_sm.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "verilated/port_words.hpp"

namespace gsu {

namespace {

constexpr Cycle kNoEvent = (Cycle{1} << kTimeW) - 1;

/// Writes a value that the other model shows; true if it is another one than before.
template <class Port, class Value> bool show(Port& port, Value value)
{
    return std::exchange(port, static_cast<Port>(value)) != static_cast<Port>(value);
}

/// A pulse and what it carries; true where it is one. The model ends it by itself.
template <class Valid, class Data>
bool showPulse(Valid& port, Data& data, Valid valid, const Data& value)
{
    port = valid;
    if (valid != 0) data = value;
    return valid != 0;
}

}  // namespace

SplitSm::SplitSm(VerilatedContext* context, const char* name)
    : rest_(context, name), mbar_(context, (std::string(name) + "_mbar").c_str())
{
    // Each says for itself when it is idle; ports of the unit alone wake it alone.
    rest_.mb_idle_i = 1;
    rest_.mb_next_event_i = kNoEvent;
}

void SplitSm::final()
{
    rest_.final();
    mbar_.final();
}

void SplitSm::setClocks(CData level, unsigned units)
{
    rest_.clk_i = level;
    rest_.clk_ct_i = (units & kClockSeldom) != 0;
    rest_.clk_ws_i = (units & kClockJoin) != 0;
    rest_.clk_nb_i = (units & kClockNamed) != 0;
    rest_.clk_or_i = (units & kClockOrder) != 0;
}

/// One clock of the rest, in which only `units` see an edge: the others would change nothing.
void SplitSm::restEdge(unsigned units)
{
    bool known = lower_clk_i(rest_);
    if ((units & kClockSeldom) != 0) known &= lower_clk_ct_i(rest_);
    if ((units & kClockJoin) != 0) known &= lower_clk_ws_i(rest_);
    if ((units & kClockNamed) != 0) known &= lower_clk_nb_i(rest_);
    if ((units & kClockOrder) != 0) known &= lower_clk_or_i(rest_);
    const bool ends = std::exchange(restTook_, false);
    if (ends) known &= lower_clk_end_i(rest_);
    if (!known) {
        setClocks(0, 0);
        rest_.clk_end_i = 0;
        rest_.eval();
        setClocks(1, units);
        rest_.clk_end_i = ends;
    }
    rest_.eval();
}

/// The rest looks at its inputs and at the time.
void SplitSm::takeRest()
{
    takeInputs(rest_);
    restTook_ = true;
    restNews_ = restLate_ = false;
}

void SplitSm::eval()
{
    const CData level = rest_.clk_i;
    mbar_.clk_i = level;
    rest_.clk_end_i = level;
    mbar_.rst_ni = rest_.rst_ni;
    mbar_.now_i = rest_.now_i;
    mbar_.cfg_i = rest_.cfg_i;
    setClocks(level, kClockAll * level);
    if (level != 0) {  // what they show each other was settled before the edge
        rest_.eval();
        mbar_.eval();
    } else {
        for (int pass = 0; pass < 2; ++pass) {
            takeRest();
            takeInputs(mbar_);
            (void)toUnit();
            (void)fromUnit();
        }
        takeRest();
        takeInputs(mbar_);
    }
    restQuiet_ = rest_.still_o != 0;
    restShows_ = true;
    idle_o = restQuiet_ && mbar_.idle_o;
    next_event_o = std::min<Cycle>(rest_.next_event_o, mbar_.next_event_o);
}

/// After clocks that were left out the model is told the time where that decides something: a deadline, whose answer may stand before the unit's. (What
/// comes with a request passes a buffer first, and what comes with any other input brings the time.)
void SplitSm::wakeRest(Cycle at)
{
    const bool late = restLast_ + 1 != at;
    restLast_ = at;
    rest_.now_i = at;
    if (!late || at < rest_.next_event_o) return;
    takeRest();
}

/// True where the unit has to be told the time.
bool SplitSm::wakeUnit(Cycle at)
{
    const bool late = unitLast_ + 1 != at;
    unitLast_ = at;
    mbar_.now_i = at;
    return late;
}

/// Pulses of the clock before, at the ports of a model that does not see this one.
void SplitSm::endPulses()
{
    if (!std::exchange(restShows_, false)) return;
    rest_.rsp_valid_o = rest_.rel_valid_o = rest_.exit_done_o = 0;
    rest_.cta_free_o = 0;
    rest_.tap_ct_valid_o = rest_.tap_ws_valid_o = rest_.tap_nb_valid_o = rest_.tap_cb_valid_o = 0;
    rest_.tap_ak_valid_o = rest_.tap_fe_valid_o = rest_.tap_nu_valid_o = rest_.tap_gd_valid_o = 0;
}

/// What the rest shows the unit; true if the unit has not seen it.
bool SplitSm::toUnit()
{
    bool news =
        showPulse(mbar_.launch_valid_i, mbar_.launch_i, rest_.mb_launch_valid_o, rest_.mb_launch_o);
    news |= showPulse(mbar_.cta_end_valid_i, mbar_.cta_end_cta_i, rest_.mb_cta_end_valid_o,
                      rest_.mb_cta_end_cta_o);
    news |= showPulse(mbar_.req_valid_i, mbar_.req_i, rest_.mb_req_valid_o, rest_.mb_req_o);
    if (rest_.mb_req_valid_o) mbar_.hold_i = rest_.mb_hold_o;
    const bool reply =
        rest_.ack_valid_i != 0 && load<raw::Ack>(rest_.ack_i).reply;  // it looks at no other
    news |= showPulse(mbar_.back_valid_i, mbar_.back_i, CData{reply}, rest_.ack_i);
    news |= show(mbar_.open_i, rest_.mb_open_o);
    news |= show(mbar_.ending_i, rest_.mb_ending_o);
    news |= show(mbar_.left_i, rest_.mb_left_o);
    news |= show(mbar_.fire_i, rest_.mb_fire_o);
    news |= show(mbar_.turn_i, rest_.mb_turn_o);
    news |= show(mbar_.own_fire_i, rest_.mb_own_fire_o);
    news |= show(mbar_.own_turn_i, rest_.mb_own_turn_o);
    return news;
}

/// What is no reason to evaluate the unit, but must be right when it is.
bool SplitSm::readyToUnit()
{
    bool changed = show(mbar_.epoch_i, rest_.mb_epoch_o);
    changed |= show(mbar_.rsp_ready_i, rest_.mb_rsp_ready_o);
    changed |= show(mbar_.fail_ready_i, rest_.mb_fail_ready_o);
    changed |= show(unitReady_, mbar_.tx_ready_i | mbar_.ack_ready_i << 1);
    return changed;
}

bool SplitSm::fromUnit()
{
    bool news = show(rest_.mb_cta_quiet_i, mbar_.cta_quiet_o);
    news |= show(rest_.mb_arriving_i, mbar_.arriving_o);
    // Ready counts where a request is offered; else the rest hears of it with whatever is news to it.
    restLate_ |= show(rest_.mb_req_ready_i, mbar_.req_ready_o);
    news |= restLate_ && rest_.mb_req_valid_o != 0;
    news |= (mbar_.sent_o | mbar_.wait_o) != 0;
    rest_.mb_wait_i = mbar_.wait_o;
    rest_.mb_sent_i = mbar_.sent_o;
    rest_.mb_sent_cta_i = mbar_.sent_cta_o;
    rest_.mb_sent_async_i = mbar_.sent_async_o;
    news |= showPulse(rest_.mb_fail_valid_i, rest_.mb_fail_i, mbar_.fail_valid_o, mbar_.fail_o);
    news |= showPulse(rest_.mb_rsp_valid_i, rest_.mb_rsp_i, mbar_.rsp_valid_o, mbar_.rsp_o);
    return news;
}

/// Beats are given to the mbarrier unit; values of match and redux are not its.
void SplitSm::dealOperands()
{
    rest_.opnd_valid_i = 0;
    if (mbar_.opnd_valid_i == 0) return;
    rest_.opnd_valid_i = load<raw::OpndBeat>(mbar_.opnd_i).warp;
    if (rest_.opnd_valid_i == 0) return;
    rest_.opnd_i = mbar_.opnd_i;
    mbar_.opnd_valid_i = 0;
}

/// A pulse at a port of the rest but that of requests.
bool SplitSm::restPulse() const
{
    return (rest_.launch_valid_i | rest_.exit_valid_i | rest_.ack_valid_i | rest_.cb_dn_valid_i |
            rest_.gd_dn_valid_i | rest_.wr_valid_i | rest_.opnd_valid_i) != 0;
}

/// The same at the ports that are the unit's alone.
bool SplitSm::unitPulse() const
{
    return (mbar_.opnd_valid_i | mbar_.async_valid_i | mbar_.mem_rsp_valid_i | mbar_.snoop_valid_i |
            mbar_.rx_valid_i | mbar_.clc_rsp_valid_i) != 0;
}

/// What of the unit's flops reaches what the rest shows it.
void SplitSm::takeEarly()
{
    rest_.mb_cta_quiet_i = mbar_.cta_quiet_o;
    rest_.mb_arriving_i = mbar_.arriving_o;
    takeRest();
}

/// The rest comes last in a clock: what the unit shows it has settled. `signals`: pulses of the unit.
void SplitSm::stepRest(bool skipping, bool signals)
{
    if (restNews_) takeRest();
    restEdge(skipping ? rest_.clk_en_o : unsigned{kClockAll});
    restQuiet_ = rest_.still_o != 0;
    restShows_ = true;
    if (signals)
        rest_.mb_rsp_valid_i = rest_.mb_sent_i = rest_.mb_wait_i = rest_.mb_fail_valid_i = 0;
}

void SplitSm::cycle(Cycle at, bool skipping)
{
    dealOperands();
    const bool restPulsed = restPulse();
    restNews_ |= show(restReady_, rest_.cb_up_ready_i | rest_.gd_up_ready_i << 1) || restPulsed;
    // Two outputs of the unit, from its flops, reach what the rest shows it, and only while a CTA ends; the ready of what failed hangs on a port.
    const bool ends = rest_.mb_ending_o != 0 && (rest_.mb_arriving_i != mbar_.arriving_o ||
                                                 rest_.mb_cta_quiet_i != mbar_.cta_quiet_o);
    const bool early = ends || mbar_.fail_valid_o;
    bool rest = rest_.req_valid_i || restPulsed || early || !restQuiet_ ||
                at >= rest_.next_event_o || !skipping;
    if (rest) wakeRest(at);
    if (early) takeEarly();

    const bool news = toUnit();
    const bool unitPulsed = unitPulse();
    const bool unit = news || unitPulsed || !mbar_.idle_o || at >= mbar_.next_event_o || !skipping;
    bool signals = false;
    if (unit) {
        const bool late = wakeUnit(at);
        if (readyToUnit() || news || unitPulsed || late) takeInputs(mbar_);
        signals = (mbar_.rsp_valid_o | mbar_.sent_o | mbar_.wait_o | mbar_.fail_valid_o) != 0;
        if (signals && !rest) wakeRest(at);
        rest = rest || signals;
    }

    tap_mb_valid_o = unit && mbar_.tap_valid_o;
    if (tap_mb_valid_o) tap_mb_o = mbar_.tap_o;

    if (rest && (unit || !told_)) restNews_ |= fromUnit();
    told_ = !unit && (told_ || rest);
    if (rest)
        stepRest(skipping, signals);
    else
        endPulses();
    if (unit) clockEdge(mbar_);
    // What one shows after a clock the other sees in the next.
    idle_o = restQuiet_ && !rest && !unit;
    next_event_o = std::min<Cycle>(rest_.next_event_o, mbar_.next_event_o);
}

}  // namespace gsu
