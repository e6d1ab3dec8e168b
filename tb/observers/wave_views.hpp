/// The GTKWave views of waveforms/, which are part of the program.
#pragma once
#include <string_view>

namespace gsu {

/// The text of `waveforms/NAME.gtkw`; empty: there is none.
[[nodiscard]] std::string_view savedView(std::string_view name) noexcept;

}  // namespace gsu
