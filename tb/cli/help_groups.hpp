/// Titles of the options in `--help` of run, exec and replay.
#pragma once

namespace CLI {
class App;
}

namespace gsu::cli {

/// Puts the options of the command under titles: unit and parameters, time, findings, output files.
void groupOptions(CLI::App& command);

}  // namespace gsu::cli
