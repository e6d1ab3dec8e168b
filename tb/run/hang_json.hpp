/// A hang for programs: JSON, and the graph of waits for Graphviz.
#pragma once
#include <nlohmann/json.hpp>
#include <string>

#include "exec/result/result.hpp"
#include "ptx/ast.hpp"

namespace gsu::run {

[[nodiscard]] nlohmann::ordered_json hangJson(const HangReport& hang, const ptx::Module& module);
/// The graph of waits for Graphviz. Waiters are nodes; an edge leads from a waiter to the warp that it waits for, with the line by which
/// that warp would release it.
[[nodiscard]] std::string hangDot(const HangReport& hang, const ptx::Module& module);
/// "barrier 3", "mbarrier at +0x8", ...
[[nodiscard]] std::string waitsOn(const HangReport::Waiting& waiting);

}  // namespace gsu::run
