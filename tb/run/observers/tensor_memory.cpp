// Use of tensor memory (tcgen05) by a launch.
#include <fmt/format.h>

#include <algorithm>
#include <nlohmann/json.hpp>

#include "base/counted.hpp"
#include "run/run_observer.hpp"

namespace gsu::run {

namespace {

struct TensorUse {
    std::uint64_t multiplies{}, copies{}, shifts{}, loads{}, stores{}, commits{};
    std::uint64_t allocations{};
    std::uint64_t waits{};   ///< allocations that had to wait
    Cycle waited{};          ///< clocks, of all of them
    unsigned mostColumns{};  ///< of an SM at once
    Cycle busy{};            ///< clocks for which tensor cores were taken, of all SMs
    [[nodiscard]] bool any() const noexcept { return allocations != 0 || multiplies != 0; }
};

std::string textOf(const TensorUse& t)
{
    const std::string waits =
        t.waits == 0 ? ""
                     : fmt::format(", {} had to wait ({})", t.waits, counted(t.waited, "clock"));
    const std::string busy =
        t.busy == 0 ? "" : fmt::format(", busy for {}", counted(t.busy, "clock"));
    const std::string shifts = t.shifts == 0 ? "" : fmt::format(", {} shift", t.shifts);
    return fmt::format("tensor memory: {}, at most {} columns of an SM{}; {} ld, {} st\n"
                       "tensor cores: {} mma, {} cp{}, {}{}\n",
                       counted(t.allocations, "allocation"), t.mostColumns, waits, t.loads,
                       t.stores, t.multiplies, t.copies, shifts, counted(t.commits, "commit"),
                       busy);
}

class TensorMemory final : public RunObserver, private TensorObserver {
public:
    [[nodiscard]] TensorObserver* tensor() override { return this; }
    void text(std::string& out, const ReportStyle&) const override
    {
        if (use_.any()) out += textOf(use_);
    }
    void json(nlohmann::ordered_json& out) const override;

private:
    void onTensor(const TensorActivity& activity) override;

    TensorUse use_;
};

void TensorMemory::json(nlohmann::ordered_json& out) const
{
    const TensorUse& t = use_;
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

void TensorMemory::onTensor(const TensorActivity& a)
{
    using Kind = TensorActivity::Kind;
    use_.busy += a.busy;
    switch (a.kind) {
        case Kind::Multiply: ++use_.multiplies; break;
        case Kind::Copy: ++use_.copies; break;
        case Kind::Shift: ++use_.shifts; break;
        case Kind::Load: ++use_.loads; break;
        case Kind::Store: ++use_.stores; break;
        case Kind::Commit: ++use_.commits; break;
        case Kind::Grant:
            ++use_.allocations;
            use_.mostColumns = std::max(use_.mostColumns, a.taken);
            if (a.waited) ++use_.waits, use_.waited += a.to - a.from;
            break;
        case Kind::Columns: break;
    }
}

}  // namespace

namespace observers {
std::unique_ptr<RunObserver> tensor_memory(const RunBegin&)
{
    return std::make_unique<TensorMemory>();
}
}  // namespace observers

}  // namespace gsu::run
