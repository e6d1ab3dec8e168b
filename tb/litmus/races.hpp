/// Which accesses of an execution race: conflicting, not morally strong, and unordered in causality order. Decided by the axioms on the events of that
/// execution, with all paths there are, and apart from the race detector of the executor, which is compared with it.
#pragma once
#include "litmus/machine.hpp"

namespace gsu::litmus {

/// Two instructions, by thread and place in its code; that of a copy stands for what it reads and writes.
struct RacingPair {
    Machine::Executed first, second;
};

/// Of the execution that these steps are, in immediate memory: what a load reads is the last that was written. Pre: test and steps are those of `machine`,
/// whose form is MemoryForm::Immediate.
[[nodiscard]] std::vector<RacingPair> racesOf(const Test& test, const std::vector<Step>& steps);

}  // namespace gsu::litmus
