/// The races of an execution: pairs of accesses that conflict, are not morally strong and are not in causality order. They follow from the axioms on the events
/// of that execution, with all paths that exist. It shares no code with the race detector of the executor, which is compared with it.
#pragma once
#include "litmus/machine.hpp"

namespace gsu::litmus {

/// Two instructions, by thread and place in its code; a copy stands for its reads and writes.
struct RacingPair {
    Machine::Executed first, second;
};

/// The races of the execution with these steps, in immediate memory: a load reads the last written value. Pre: test and steps are those of
/// `machine`, whose form is MemoryForm::Immediate.
[[nodiscard]] std::vector<RacingPair> racesOf(const Test& test, const std::vector<Step>& steps);

}  // namespace gsu::litmus
