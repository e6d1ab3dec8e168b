#include "verilated/split_sm.hpp"

#include <algorithm>
#include <iterator>
#include <string>
#include <utility>

#include "verilated/port_words.hpp"

namespace gsu {

namespace {

constexpr Cycle kNoEvent = (Cycle{1} << kTimeW) - 1;

/// The last of the clocks that were left out: it brings the model's copy of the time up to date and changes nothing else.
template <std::size_t N>
void catchUp(auto& model, CData* const (&valid)[N], Cycle at, const auto& edge)
{
    CData kept[N];
    for (std::size_t i = 0; i < N; ++i) kept[i] = std::exchange(*valid[i], 0);
    model.now_i = at;
    edge(model);
    for (std::size_t i = 0; i < N; ++i) *valid[i] = kept[i];
}

}  // namespace

/// One clock of the rest, in which only `units` see an edge: the others would change nothing.
void SplitSm::restEdge(auto& model, unsigned units)
{
    if constexpr (GSU_CLOCK_LOWERS(clk_i) && GSU_CLOCK_LOWERS(clk_ct_i)) {
        GSU_CLOCK_LOWER(clk_i);
        if ((units & kClockCtaTable) != 0) GSU_CLOCK_LOWER(clk_ct_i);
        if ((units & kClockJoin) != 0) GSU_CLOCK_LOWER(clk_ws_i);
        if ((units & kClockWarp) != 0) GSU_CLOCK_LOWER(clk_wo_i);
        if ((units & kClockNamed) != 0) GSU_CLOCK_LOWER(clk_nb_i);
        if ((units & kClockCluster) != 0) GSU_CLOCK_LOWER(clk_cb_i);
        if ((units & kClockOrder) != 0) GSU_CLOCK_LOWER(clk_or_i);
    } else {  // another Verilator
        setClocks(0, 0);
        model.eval();
        setClocks(1, units);
    }
    model.eval();
}

void SplitSm::setClocks(CData level, unsigned units)
{
    rest_.clk_i = level;
    rest_.clk_ct_i = (units & kClockCtaTable) != 0;
    rest_.clk_ws_i = (units & kClockJoin) != 0;
    rest_.clk_wo_i = (units & kClockWarp) != 0;
    rest_.clk_nb_i = (units & kClockNamed) != 0;
    rest_.clk_cb_i = (units & kClockCluster) != 0;
    rest_.clk_or_i = (units & kClockOrder) != 0;
}

/// Units of the rest that need the coming edge: what they say themselves, and what ports bring in this clock.
unsigned SplitSm::clockedUnits(bool skipping) const
{
    if (!skipping) return kClockAll;
    unsigned units = rest_.clk_en_o;
    if (rest_.opnd_valid_i != 0) units |= kClockWarp;
    if ((rest_.ack_valid_i | rest_.mb_sent_i | rest_.mb_fail_valid_i | rest_.mb_wait_i) != 0)
        units |= kClockOrder;
    return units;
}

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

void SplitSm::eval()
{
    mbar_.clk_i = rest_.clk_i;
    mbar_.rst_ni = rest_.rst_ni;
    mbar_.now_i = rest_.now_i;
    mbar_.cfg_i = rest_.cfg_i;
    setClocks(rest_.clk_i, kClockAll * rest_.clk_i);
    for (int pass = 0; pass < 2; ++pass) {
        rest_.eval();
        mbar_.eval();
        if (rest_.clk_i != 0) break;  // what they show each other was settled before the edge
        toUnit();
        fromUnit();
    }
    restQuiet_ = rest_.idle_o != 0;
    idle_o = restQuiet_ && mbar_.idle_o;
    next_event_o = std::min<Cycle>(rest_.next_event_o, mbar_.next_event_o);
}

void SplitSm::wakeRest(Cycle at)
{
    CData* const valid[] = {&rest_.req_valid_i, &rest_.launch_valid_i, &rest_.exit_valid_i,
                            &rest_.ack_valid_i, &rest_.cb_dn_valid_i,  &rest_.wr_valid_i,
                            &rest_.opnd_valid_i};
    if (restLast_ + 1 != at)
        catchUp(rest_, valid, at - 1, [this](auto& model) { restEdge(model, rest_.clk_en_o); });
    restLast_ = at;
    rest_.now_i = at;
}

void SplitSm::wakeUnit(Cycle at)
{
    CData* const valid[] = {&mbar_.opnd_valid_i, &mbar_.async_valid_i, &mbar_.mem_rsp_valid_i,
                            &mbar_.snoop_valid_i, &mbar_.rx_valid_i};
    if (unitLast_ + 1 != at) catchUp(mbar_, valid, at - 1, [](auto& model) { clockEdge(model); });
    unitLast_ = at;
    mbar_.now_i = at;
}

/// What the rest shows the unit is not what the unit has seen last. (A pulse that ends is news as well.)
bool SplitSm::unitHasNews() const
{
    return (rest_.mb_req_valid_o | rest_.mb_launch_valid_o | rest_.mb_cta_end_valid_o |
            mbar_.req_valid_i | mbar_.launch_valid_i | mbar_.cta_end_valid_i) != 0 ||
           mbar_.open_i != rest_.mb_open_o || mbar_.ending_i != rest_.mb_ending_o ||
           mbar_.left_i != rest_.mb_left_o || mbar_.fire_i != rest_.mb_fire_o ||
           mbar_.turn_i != rest_.mb_turn_o || mbar_.own_fire_i != rest_.mb_own_fire_o ||
           mbar_.own_turn_i != rest_.mb_own_turn_o;
}

void SplitSm::toUnit()
{
    mbar_.launch_valid_i = rest_.mb_launch_valid_o;
    if (rest_.mb_launch_valid_o) mbar_.launch_i = rest_.mb_launch_o;
    mbar_.cta_end_valid_i = rest_.mb_cta_end_valid_o;
    mbar_.cta_end_cta_i = rest_.mb_cta_end_cta_o;
    mbar_.open_i = rest_.mb_open_o;
    mbar_.ending_i = rest_.mb_ending_o;
    mbar_.left_i = rest_.mb_left_o;
    mbar_.epoch_i = rest_.mb_epoch_o;
    mbar_.fire_i = rest_.mb_fire_o;
    mbar_.turn_i = rest_.mb_turn_o;
    mbar_.own_fire_i = rest_.mb_own_fire_o;
    mbar_.own_turn_i = rest_.mb_own_turn_o;
    mbar_.req_valid_i = rest_.mb_req_valid_o;
    if (rest_.mb_req_valid_o) {
        mbar_.req_i = rest_.mb_req_o;
        mbar_.hold_i = rest_.mb_hold_o;
    }
    mbar_.rsp_ready_i = rest_.mb_rsp_ready_o;
    mbar_.fail_ready_i = rest_.mb_fail_ready_o;
}

void SplitSm::fromUnit()
{
    rest_.mb_cta_quiet_i = mbar_.cta_quiet_o;
    rest_.mb_arriving_i = mbar_.arriving_o;
    rest_.mb_wait_i = mbar_.wait_o;
    rest_.mb_req_ready_i = mbar_.req_ready_o;
    rest_.mb_sent_i = mbar_.sent_o;
    rest_.mb_sent_cta_i = mbar_.sent_cta_o;
    rest_.mb_sent_async_i = mbar_.sent_async_o;
    rest_.mb_fail_valid_i = mbar_.fail_valid_o;
    rest_.mb_fail_i = mbar_.fail_o;
    rest_.mb_rsp_valid_i = mbar_.rsp_valid_o;
    if (mbar_.rsp_valid_o) rest_.mb_rsp_i = mbar_.rsp_o;
    rest_.mb_tap_valid_i = mbar_.tap_valid_o;
    if (mbar_.tap_valid_o) rest_.mb_tap_i = mbar_.tap_o;
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

void SplitSm::cycle(Cycle at, bool skipping)
{
    dealOperands();
    // Two outputs of the unit, from its flops, reach what the rest shows it, and only while a CTA ends.
    const bool ends = rest_.mb_ending_o != 0 && (rest_.mb_arriving_i != mbar_.arriving_o ||
                                                 rest_.mb_cta_quiet_i != mbar_.cta_quiet_o);
    const bool port =
        (rest_.req_valid_i | rest_.launch_valid_i | rest_.exit_valid_i | rest_.ack_valid_i |
         rest_.cb_dn_valid_i | rest_.wr_valid_i | rest_.opnd_valid_i) != 0;
    bool rest = port || ends || !restQuiet_ || at >= rest_.next_event_o || !skipping;
    if (rest) wakeRest(at);
    if (ends || mbar_.fail_valid_o) {  // the ready of what failed hangs on a port
        rest_.mb_cta_quiet_i = mbar_.cta_quiet_o;
        rest_.mb_arriving_i = mbar_.arriving_o;
        rest_.eval();
    }

    const bool news = unitHasNews();
    const bool unit = news || !mbar_.idle_o || at >= mbar_.next_event_o || !skipping ||
                      (mbar_.opnd_valid_i | mbar_.async_valid_i | mbar_.mem_rsp_valid_i |
                       mbar_.snoop_valid_i | mbar_.rx_valid_i) != 0;
    bool signals = false;
    if (unit) {
        wakeUnit(at);
        toUnit();
        if (news) mbar_.eval();
        signals = (mbar_.rsp_valid_o | mbar_.tap_valid_o | mbar_.sent_o | mbar_.wait_o |
                   mbar_.fail_valid_o) != 0;
        if (signals && !rest) wakeRest(at);
        rest = rest || signals;
    }

    if (rest && (unit || !told_)) fromUnit();
    told_ = !unit && (told_ || rest);
    if (rest) {
        restEdge(rest_, ends ? kClockAll : clockedUnits(skipping));
        restQuiet_ = rest_.idle_o != 0 && !signals;
    }
    if (unit) clockEdge(mbar_);
    idle_o = restQuiet_ && !unit;
    next_event_o = std::min<Cycle>(rest_.next_event_o, mbar_.next_event_o);
}

}  // namespace gsu
