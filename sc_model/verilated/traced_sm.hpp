/// An SM of the models that dump waves: one model of the whole of gsu_sm, whose units have clocks of their own (traced/gsu_clock_gate_shell.sv). A unit
/// without a clock is neither evaluated nor compared with what it showed before.
#pragma once
#include <Vgsu_sm_tr.h>
#include <Vgsu_sm_tr___024root.h>

#include "golden/types.hpp"
#include "verilated/clock_edge.hpp"

namespace gsu {

class TracedSm : public Vgsu_sm_tr {
public:
    using Vgsu_sm_tr::Vgsu_sm_tr;

    /// Sees an edge of clk_i with all units: for reset.
    void eval()
    {
        setClocks(clk_i, kAll);
        Vgsu_sm_tr::eval();
    }

    /// One clock, of number `at`. Inputs settle first, for they decide which units get it; without `skipping` all do.
    void cycle(Cycle at, bool skipping)
    {
        now_i = at;
        Vgsu_sm_tr::eval();
        const unsigned units = skipping ? enabled() : kAll;
        if (!lower(units)) {
            clk_i = 0;
            setClocks(0, units);
            Vgsu_sm_tr::eval();
        }
        clk_i = 1;
        setClocks(1, units);
        Vgsu_sm_tr::eval();
    }

private:
    /// Clocks of units; each is asked for in every evaluation, so those that work seldom share one.
    enum Units : unsigned {
        kSeldom = 1,
        kJoin = 2,
        kNamed = 4,
        kOrder = 8,
        kMbarrier = 16,
        kAll = 31
    };

#define GSU_GATE(gate, what) rootp->gsu_sm__DOT__##gate##__DOT__##what
    [[nodiscard]] unsigned enabled() const
    {
        const bool seldom =
            (GSU_GATE(u_gate_ct, en) | GSU_GATE(u_gate_io, en) | GSU_GATE(u_gate_cb, en) |
             GSU_GATE(u_gate_gd, en) | GSU_GATE(u_join__DOT__u_gate_wo, en)) != 0;
        return (seldom ? kSeldom : 0u) | (GSU_GATE(u_gate_ws, en) ? kJoin : 0u) |
               (GSU_GATE(u_gate_nb, en) ? kNamed : 0u) | (GSU_GATE(u_gate_or, en) ? kOrder : 0u) |
               (GSU_GATE(u_gate_mb, en) ? kMbarrier : 0u);
    }
    void setClocks(CData level, unsigned units)
    {
        if ((units & kSeldom) != 0) GSU_GATE(u_gate_ct, clk) = level;
        if ((units & kJoin) != 0) GSU_GATE(u_gate_ws, clk) = level;
        if ((units & kNamed) != 0) GSU_GATE(u_gate_nb, clk) = level;
        if ((units & kOrder) != 0) GSU_GATE(u_gate_or, clk) = level;
        if ((units & kMbarrier) != 0) GSU_GATE(u_gate_mb, clk) = level;
    }
#undef GSU_GATE
    /// The low phase of these clocks without an evaluation; false where this Verilator's edge detector is not known.
    bool lower(unsigned units)
    {
        bool known = lower_clk_i(*this);
        if ((units & kSeldom) != 0) known &= lower_gsu_sm__DOT__u_gate_ct__DOT__clk(*this);
        if ((units & kJoin) != 0) known &= lower_gsu_sm__DOT__u_gate_ws__DOT__clk(*this);
        if ((units & kNamed) != 0) known &= lower_gsu_sm__DOT__u_gate_nb__DOT__clk(*this);
        if ((units & kOrder) != 0) known &= lower_gsu_sm__DOT__u_gate_or__DOT__clk(*this);
        if ((units & kMbarrier) != 0) known &= lower_gsu_sm__DOT__u_gate_mb__DOT__clk(*this);
        return known;
    }
};

}  // namespace gsu
