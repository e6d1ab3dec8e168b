/// The header of a trace that `gsu run` records.
#pragma once
#include "ptx/ast.hpp"
#include "run/options.hpp"
#include "trace/record.hpp"

namespace gsu::run {

[[nodiscard]] trace::Header headerOf(const CommonOptions& options, Preset preset,
                                     const Config& config, const ExecParams& params, unsigned sms,
                                     const ptx::Module& module, const std::string& entry);

}  // namespace gsu::run
