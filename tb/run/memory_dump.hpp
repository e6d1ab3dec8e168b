/// `gsu run --dump-memory`: every buffer as it is after the run, a file each.
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
    /// Before the run, without effect unless the option is given. Throws InputError where a file would replace an input of the launch,
    /// another output, or something that is no regular file.
    /// `names`: of what may be written, without bytes.
    MemoryDump(const CommonOptions& options, const LaunchSpec& spec,
               const std::vector<MemoryContents>& names);
    /// The option is given: only then are contents worth copying.
    [[nodiscard]] bool wanted() const noexcept { return !folder_.empty(); }
    /// No file gets its name before all are written. Pre: all names were announced.
    void write(const std::vector<MemoryContents>& all, Outputs& outputs) const;

private:
    std::string folder_;
    std::map<std::string, std::string> paths_;  ///< by name of memory
};

/// File names for names of memory, without folder: each once, none longer than a file system takes, ending in ".bin".
[[nodiscard]] std::vector<std::string> dumpNames(const std::vector<MemoryContents>& all);

}  // namespace gsu::run
