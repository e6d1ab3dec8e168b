/// One clock of a Verilated model whose checks need no low phase.
#pragma once

namespace gsu {

/// True where lowered(model) below knows the edge detector of clock port `clock` of this Verilator's models. In a model without checks the inputs
/// settle within the evaluation that sees the edge, so the low phase only has to leave its mark there.
#define GSU_CLOCK_LOWERS(clock)                                                                    \
    (                                                                                              \
        requires { model.rootp->__Vtrigrprev__TOP__##clock; } ||                                   \
        requires { model.rootp->__Vtrigprevexpr___TOP__##clock##__0; })

/// The low phase of a clock port, without an evaluation.
#define GSU_CLOCK_LOWER(clock)                                                                     \
    do {                                                                                           \
        if constexpr (requires { model.rootp->__Vtrigrprev__TOP__##clock; })                       \
            model.rootp->__Vtrigrprev__TOP__##clock = 0;                                           \
        else if constexpr (requires { model.rootp->__Vtrigprevexpr___TOP__##clock##__0; })         \
            model.rootp->__Vtrigprevexpr___TOP__##clock##__0 = 0;                                  \
    } while (false)

inline void clockEdge(auto& model)
{
    if constexpr (GSU_CLOCK_LOWERS(clk_i)) {
        GSU_CLOCK_LOWER(clk_i);
    } else {  // another Verilator
        model.clk_i = 0;
        model.eval();
    }
    model.clk_i = 1;
    model.eval();
}

}  // namespace gsu
