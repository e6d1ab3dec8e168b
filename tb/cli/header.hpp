/// The header of a trace that `gsu run` records.
#pragma once
#include "cli/options.hpp"
#include "ptx/ast.hpp"
#include "trace/record.hpp"

namespace gsu::cli {

[[nodiscard]] trace::Header headerOf(const CommonOptions& options, Preset preset,
                                     const Config& config, const ExecParams& params, unsigned sms,
                                     const ptx::Module& module, const std::string& entry);

}  // namespace gsu::cli
