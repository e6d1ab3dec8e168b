/// Clocks of Verilated models whose checks need no low phase.
#pragma once

namespace gsu {

/// lower_<clock>(model): the low phase of a clock port, without an evaluation; false where this Verilator's edge detector is not known. In a model
/// without checks the inputs settle within the evaluation that sees the edge, so the low phase only has to leave its mark there.
#define GSU_CLOCK(clock)                                                                           \
    inline bool lower_##clock(auto& model)                                                         \
    {                                                                                              \
        if constexpr (requires { model.rootp->__Vtrigrprev__TOP__##clock; }) {                     \
            model.rootp->__Vtrigrprev__TOP__##clock = 0;                                           \
            return true;                                                                           \
        } else if constexpr (requires { model.rootp->__Vtrigprevexpr___TOP__##clock##__0; }) {     \
            model.rootp->__Vtrigprevexpr___TOP__##clock##__0 = 0;                                  \
            return true;                                                                           \
        } else {                                                                                   \
            return false;                                                                          \
        }                                                                                          \
    }
GSU_CLOCK(clk_i)
GSU_CLOCK(clk_in_i)
GSU_CLOCK(clk_end_i)
GSU_CLOCK(clk_ct_i)
GSU_CLOCK(clk_ws_i)
GSU_CLOCK(clk_nb_i)
GSU_CLOCK(clk_or_i)
GSU_CLOCK(gsu_sm__DOT__u_gate_ct__DOT__clk)
GSU_CLOCK(gsu_sm__DOT__u_gate_ws__DOT__clk)
GSU_CLOCK(gsu_sm__DOT__u_gate_nb__DOT__clk)
GSU_CLOCK(gsu_sm__DOT__u_gate_or__DOT__clk)
GSU_CLOCK(gsu_sm__DOT__u_gate_mb__DOT__clk)
#undef GSU_CLOCK

/// One clock of a model that has one.
inline void clockEdge(auto& model)
{
    if (!lower_clk_i(model)) {
        model.clk_i = 0;
        model.eval();
    }
    model.clk_i = 1;
    model.eval();
}

/// The model looks at its inputs and the time: of those of the split models (split_sm.hpp). The clock is low again at the next edge of clk_i, which
/// is how the model tells the two apart.
inline void takeInputs(auto& model)
{
    if (!lower_clk_in_i(model)) {
        model.clk_in_i = 0;
        model.eval();
    }
    model.clk_in_i = 1;
    model.eval();
    model.clk_in_i = 0;
}

}  // namespace gsu
