/// One clock of a Verilated model whose checks need no low phase.
#pragma once

namespace gsu {

/// In a model without checks the inputs settle within the evaluation that sees the edge, so the low phase only has to leave its mark in
/// the edge detector; where that is not known (another Verilator) it is evaluated.
inline void clockEdge(auto& model)
{
    if constexpr (requires { model.rootp->__Vtrigrprev__TOP__clk_i; }) {
        model.rootp->__Vtrigrprev__TOP__clk_i = 0;
    } else if constexpr (requires { model.rootp->__Vtrigprevexpr___TOP__clk_i__0; }) {
        model.rootp->__Vtrigprevexpr___TOP__clk_i__0 = 0;
    } else {
        model.clk_i = 0;
        model.eval();
    }
    model.clk_i = 1;
    model.eval();
}

}  // namespace gsu
