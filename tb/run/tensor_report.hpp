/// What a launch did with tensor memory (tcgen05), for people and for programs.
#pragma once
#include <nlohmann/json_fwd.hpp>
#include <string>

#include "run/tensor_watch.hpp"

namespace gsu::run {

/// Empty for a launch without tensor memory.
[[nodiscard]] std::string tensorMemoryText(const TensorUse& t);
/// "tensor_memory", where there was any.
void addTensorMemory(nlohmann::ordered_json& out, const TensorUse& t);

}  // namespace gsu::run
