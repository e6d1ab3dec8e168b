#include "run/tensor_report.hpp"

#include <fmt/format.h>

#include <nlohmann/json.hpp>

namespace gsu::run {

std::string tensorMemoryText(const TensorUse& t)
{
    if (!t.any()) return "";
    const std::string waits =
        t.waits == 0 ? "" : fmt::format(", {} had to wait ({} clocks)", t.waits, t.waited);
    const std::string busy = t.busy == 0 ? "" : fmt::format(", busy for {} clocks", t.busy);
    const std::string shifts = t.shifts == 0 ? "" : fmt::format(", {} shift", t.shifts);
    return fmt::format(
        "tensor memory: {} allocations, at most {} columns of an SM{}; {} ld, {} st\n"
        "tensor cores: {} mma, {} cp{}, {} commits{}\n",
        t.allocations, t.mostColumns, waits, t.loads, t.stores, t.multiplies, t.copies, shifts,
        t.commits, busy);
}

void addTensorMemory(nlohmann::ordered_json& out, const TensorUse& t)
{
    if (!t.any()) return;
    out["tensor_memory"] = {{"allocations", t.allocations},
                            {"most_columns", t.mostColumns},
                            {"waits_for_columns", t.waits},
                            {"waited_clocks", t.waited},
                            {"mma", t.multiplies},
                            {"cp", t.copies},
                            {"shift", t.shifts},
                            {"ld", t.loads},
                            {"st", t.stores},
                            {"commits", t.commits},
                            {"core_busy_clocks", t.busy}};
}

}  // namespace gsu::run
