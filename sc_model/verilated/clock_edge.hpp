/// The clock of Verilated models. Both edges of `clk_i` count as a clock (scripts/cmake/GsuVerilate.cmake), so that a clock costs one
/// evaluation.
#pragma once

namespace gsu {

/// Advances the model by one clock.
inline void clockEdge(auto& model)
{
    model.clk_i = !model.clk_i;
    model.eval();
}

/// Makes a model of sc_model/verilated/split read its inputs and the time.
inline void takeInputs(auto& model)
{
    model.take_i = !model.take_i;
    model.eval();
}

}  // namespace gsu
