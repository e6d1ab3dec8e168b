/// Moments of a hang for waves and timeline: the act of the culprit, the last completed phase, the first wait that was lost.
#pragma once
#include "causes/port_causes.hpp"
#include "exec/result/result.hpp"
#include "observers/time_mark.hpp"
#include "run/outputs.hpp"

namespace gsu::run {

[[nodiscard]] RunMarks marksOf(const HangReport& hang, const ptx::Module& module);
[[nodiscard]] RunMarks marksOf(const PortHang& hang);
/// Name of the view with the markers of a dump: `w.fst` has `w.hang.gtkw`; "" for none.
[[nodiscard]] std::string viewOf(const std::string& fst);
/// Writes the view with the markers.
void addView(Outputs& outputs, const std::string& fst, const RunMarks& marks);

}  // namespace gsu::run
