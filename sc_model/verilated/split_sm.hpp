/// An SM of the fast models: its mbarrier unit and the rest of it are models of their own, evaluated only where they have work.
/// Same ports and, clock by clock, the same values as Vgsu_sm (tests/verilated compares the two).
#pragma once
#include <Vgsu_mbar_alone.h>
#include <Vgsu_mbar_alone___024root.h>
#include <Vgsu_sm_rest.h>
#include <Vgsu_sm_rest___024root.h>

#include "golden/types.hpp"
#include "verilated/clock_edge.hpp"

namespace gsu {

class SplitSm {
    Vgsu_sm_rest rest_;
    Vgsu_mbar_alone mbar_;

public:
    static constexpr bool kCatchesUp = true;  ///< clocks that were left out need no other
    SplitSm(VerilatedContext* context, const char* name);

    // Ports of gsu_sm; those of the mbarrier unit alone are the unit's.
    decltype((rest_.rst_ni)) rst_ni = rest_.rst_ni;
    decltype((rest_.now_i)) now_i = rest_.now_i;
    decltype((rest_.cfg_i)) cfg_i = rest_.cfg_i;
    decltype((rest_.req_valid_i)) req_valid_i = rest_.req_valid_i;
    decltype((rest_.req_i)) req_i = rest_.req_i;
    decltype((rest_.launch_valid_i)) launch_valid_i = rest_.launch_valid_i;
    decltype((rest_.launch_i)) launch_i = rest_.launch_i;
    decltype((rest_.exit_valid_i)) exit_valid_i = rest_.exit_valid_i;
    decltype((rest_.exit_i)) exit_i = rest_.exit_i;
    decltype((rest_.ack_valid_i)) ack_valid_i = rest_.ack_valid_i;
    decltype((rest_.ack_i)) ack_i = rest_.ack_i;
    decltype((rest_.cb_up_ready_i)) cb_up_ready_i = rest_.cb_up_ready_i;
    decltype((rest_.cb_dn_valid_i)) cb_dn_valid_i = rest_.cb_dn_valid_i;
    decltype((rest_.cb_dn_i)) cb_dn_i = rest_.cb_dn_i;
    decltype((rest_.gd_up_ready_i)) gd_up_ready_i = rest_.gd_up_ready_i;
    decltype((rest_.gd_dn_valid_i)) gd_dn_valid_i = rest_.gd_dn_valid_i;
    decltype((rest_.gd_dn_i)) gd_dn_i = rest_.gd_dn_i;
    decltype((rest_.wr_valid_i)) wr_valid_i = rest_.wr_valid_i;
    decltype((rest_.wr_i)) wr_i = rest_.wr_i;
    decltype((rest_.clk_i)) clk_i = rest_.clk_i;
    decltype((rest_.req_ready_o)) req_ready_o = rest_.req_ready_o;
    decltype((rest_.rsp_valid_o)) rsp_valid_o = rest_.rsp_valid_o;
    decltype((rest_.rsp_o)) rsp_o = rest_.rsp_o;
    decltype((rest_.rel_valid_o)) rel_valid_o = rest_.rel_valid_o;
    decltype((rest_.rel_o)) rel_o = rest_.rel_o;
    decltype((rest_.launch_ready_o)) launch_ready_o = rest_.launch_ready_o;
    decltype((rest_.exit_ready_o)) exit_ready_o = rest_.exit_ready_o;
    decltype((rest_.exit_done_o)) exit_done_o = rest_.exit_done_o;
    decltype((rest_.cta_free_o)) cta_free_o = rest_.cta_free_o;
    decltype((rest_.cb_up_valid_o)) cb_up_valid_o = rest_.cb_up_valid_o;
    decltype((rest_.cb_up_o)) cb_up_o = rest_.cb_up_o;
    decltype((rest_.cb_alive_o)) cb_alive_o = rest_.cb_alive_o;
    decltype((rest_.cb_dn_ready_o)) cb_dn_ready_o = rest_.cb_dn_ready_o;
    decltype((rest_.gd_up_valid_o)) gd_up_valid_o = rest_.gd_up_valid_o;
    decltype((rest_.gd_up_o)) gd_up_o = rest_.gd_up_o;
    decltype((rest_.tap_ct_valid_o)) tap_ct_valid_o = rest_.tap_ct_valid_o;
    decltype((rest_.tap_ct_o)) tap_ct_o = rest_.tap_ct_o;
    decltype((rest_.tap_ws_valid_o)) tap_ws_valid_o = rest_.tap_ws_valid_o;
    decltype((rest_.tap_ws_o)) tap_ws_o = rest_.tap_ws_o;
    decltype((rest_.tap_nb_valid_o)) tap_nb_valid_o = rest_.tap_nb_valid_o;
    decltype((rest_.tap_nb_o)) tap_nb_o = rest_.tap_nb_o;
    decltype((rest_.tap_cb_valid_o)) tap_cb_valid_o = rest_.tap_cb_valid_o;
    decltype((rest_.tap_cb_o)) tap_cb_o = rest_.tap_cb_o;
    decltype((rest_.wr_ready_o)) wr_ready_o = rest_.wr_ready_o;
    decltype((rest_.wr_room_o)) wr_room_o = rest_.wr_room_o;
    decltype((rest_.epoch_wide_o)) epoch_wide_o = rest_.epoch_wide_o;
    decltype((rest_.epoch_own_o)) epoch_own_o = rest_.epoch_own_o;
    decltype((rest_.tap_ak_valid_o)) tap_ak_valid_o = rest_.tap_ak_valid_o;
    decltype((rest_.tap_ak_o)) tap_ak_o = rest_.tap_ak_o;
    decltype((rest_.tap_fe_valid_o)) tap_fe_valid_o = rest_.tap_fe_valid_o;
    decltype((rest_.tap_fe_o)) tap_fe_o = rest_.tap_fe_o;
    decltype((rest_.tap_nu_valid_o)) tap_nu_valid_o = rest_.tap_nu_valid_o;
    decltype((rest_.tap_nu_o)) tap_nu_o = rest_.tap_nu_o;
    decltype((rest_.tap_gd_valid_o)) tap_gd_valid_o = rest_.tap_gd_valid_o;
    decltype((rest_.tap_gd_o)) tap_gd_o = rest_.tap_gd_o;
    decltype((mbar_.clc_req_valid_o)) clc_req_valid_o = mbar_.clc_req_valid_o;
    decltype((mbar_.clc_req_o)) clc_req_o = mbar_.clc_req_o;
    decltype((mbar_.clc_rsp_valid_i)) clc_rsp_valid_i = mbar_.clc_rsp_valid_i;
    decltype((mbar_.clc_rsp_i)) clc_rsp_i = mbar_.clc_rsp_i;
    decltype((mbar_.dlv_valid_o)) dlv_valid_o = mbar_.dlv_valid_o;
    decltype((mbar_.dlv_o)) dlv_o = mbar_.dlv_o;
    decltype((mbar_.opnd_valid_i)) opnd_valid_i = mbar_.opnd_valid_i;
    decltype((mbar_.opnd_ready_o)) opnd_ready_o = mbar_.opnd_ready_o;
    decltype((rest_.opnd_warp_ready_o)) opnd_warp_ready_o = rest_.opnd_warp_ready_o;
    decltype((mbar_.opnd_i)) opnd_i = mbar_.opnd_i;
    decltype((mbar_.async_valid_i)) async_valid_i = mbar_.async_valid_i;
    decltype((mbar_.async_ready_o)) async_ready_o = mbar_.async_ready_o;
    decltype((mbar_.async_i)) async_i = mbar_.async_i;
    decltype((mbar_.mem_req_valid_o)) mem_req_valid_o = mbar_.mem_req_valid_o;
    decltype((mbar_.mem_req_o)) mem_req_o = mbar_.mem_req_o;
    decltype((mbar_.mem_rsp_valid_i)) mem_rsp_valid_i = mbar_.mem_rsp_valid_i;
    decltype((mbar_.mem_rdata_i)) mem_rdata_i = mbar_.mem_rdata_i;
    decltype((mbar_.snoop_valid_i)) snoop_valid_i = mbar_.snoop_valid_i;
    decltype((mbar_.snoop_addr_i)) snoop_addr_i = mbar_.snoop_addr_i;
    decltype((mbar_.tx_valid_o)) tx_valid_o = mbar_.tx_valid_o;
    decltype((mbar_.tx_ready_i)) tx_ready_i = mbar_.tx_ready_i;
    decltype((mbar_.tx_o)) tx_o = mbar_.tx_o;
    decltype((mbar_.rx_valid_i)) rx_valid_i = mbar_.rx_valid_i;
    decltype((mbar_.rx_ready_o)) rx_ready_o = mbar_.rx_ready_o;
    decltype((mbar_.rx_i)) rx_i = mbar_.rx_i;
    decltype((mbar_.ack_valid_o)) ack_valid_o = mbar_.ack_valid_o;
    decltype((mbar_.ack_ready_i)) ack_ready_i = mbar_.ack_ready_i;
    decltype((mbar_.ack_o)) ack_o = mbar_.ack_o;
    // What the unit's tap shows, a clock later as by gsu_tap: the rest has no part in it.
    bool tap_mb_valid_o{};
    std::remove_reference_t<decltype(mbar_.tap_o)> tap_mb_o{};
    bool idle_o{};         ///< nothing moves in either without an input or a deadline
    Cycle next_event_o{};  ///< earliest deadline, all ones if none

    /// Both models settle, and see an edge of clk_i: for reset.
    void eval();
    /// One clock, of number `at`, in which a model without work is left out. Clocks may be left out as those of gsu_sm, and need no other
    /// clock before the next. Without `skipping` both see every clock.
    void cycle(Cycle at, bool skipping);
    void final();

private:
    /// Bits of clk_en_o of the rest: clocks of units (rtl/prim/gsu_clock_gate.sv). Each clock of a model is asked for in every evaluation, so the units
    /// that work seldom share one.
    enum UnitClock : unsigned {
        /// CTA table and end, warp operations, cluster barrier, grid control, buffers of all inputs but requests
        kClockSeldom = 1u << 0,
        kClockJoin = 1u << 1,
        kClockNamed = 1u << 2,
        kClockOrder = 1u << 3,
        kClockAll = (1u << 4) - 1,
    };
    void setClocks(CData level, unsigned units);
    void restEdge(unsigned units);
    void takeRest();
    void takeEarly();
    void dealOperands();
    void wakeRest(Cycle at);
    [[nodiscard]] bool wakeUnit(Cycle at);
    void endPulses();
    void stepRest(bool skipping, bool signals);
    [[nodiscard]] bool restPulse() const;
    [[nodiscard]] bool unitPulse() const;
    [[nodiscard]] bool toUnit();
    [[nodiscard]] bool readyToUnit();
    [[nodiscard]] bool fromUnit();

    Cycle restLast_{~Cycle{0}}, unitLast_{~Cycle{0}};  ///< clock that each has seen last
    bool restQuiet_{};                                 ///< its last clock changed nothing
    bool restShows_{};  ///< its last clock may have begun pulses at its ports
    bool restTook_{};   ///< it took inputs since its last edge: their pulses end with the next
    bool restNews_{};   ///< its inputs are not what it has taken
    bool restLate_{};   ///< nor is the unit's ready
    bool told_{};       ///< it has seen the unit's outputs as they are without work
    unsigned restReady_{}, unitReady_{};  ///< what the ports were ready for in the clock before
};

}  // namespace gsu
