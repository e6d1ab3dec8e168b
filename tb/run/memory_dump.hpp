/// `gsu run --dump-memory`: every buffer as it is after the run, each in a file.
#pragma once
#include <filesystem>
#include <map>
#include <string>
#include <vector>

#include "exec/machine/executor.hpp"
#include "run/options.hpp"
#include "run/outputs.hpp"

namespace gsu::run {

class MemoryDump {
public:
    /// Checks the files before the run; without effect unless the option is given. Throws InputError if a file would replace an input of
    /// the launch, another output, or something that is no regular file. `names`: memory that may be written, without bytes.
    MemoryDump(const CommonOptions& options, const LaunchSpec& spec,
               const std::vector<MemoryContents>& names);
    /// True if the option is given: only then are contents worth copying.
    [[nodiscard]] bool wanted() const noexcept { return !folder_.empty(); }
    /// Writes the files. No file gets its name before all are written. Pre: the constructor knew all names.
    void write(const std::vector<MemoryContents>& all, Outputs& outputs) const;

private:
    std::string folder_;
    std::map<std::string, std::string> paths_;  ///< paths by name of memory
};

/// File names for names of memory, without folder: each is unique, not longer than a file system takes, and ends in ".bin".
[[nodiscard]] std::vector<std::string> dumpNames(const std::vector<MemoryContents>& all);

}  // namespace gsu::run
