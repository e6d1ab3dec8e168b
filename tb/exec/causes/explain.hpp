/// Finds the cause of a hang: the first rule of causes.def that applies to the earliest root wait.
#pragma once
#include "exec/causes/hang_snapshot.hpp"

namespace gsu::exec {

/// Adds the cause and the graph of waits to a report, and the text: the cause, then the other waits.
void explainHang(HangReport& report, const HangSnapshot& snapshot);

}  // namespace gsu::exec
