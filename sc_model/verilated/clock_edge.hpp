/// Clocks of Verilated models in which every edge of a clock is a clock (scripts/cmake/GsuVerilate.cmake): one evaluation for each.
#pragma once

namespace gsu {

/// One clock.
inline void clockEdge(auto& model)
{
    model.clk_i = !model.clk_i;
    model.eval();
}

/// A model of sc_model/verilated/split looks at its inputs and the time.
inline void takeInputs(auto& model)
{
    model.take_i = !model.take_i;
    model.eval();
}

}  // namespace gsu
