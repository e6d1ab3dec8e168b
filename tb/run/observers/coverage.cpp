// --coverage: cover points that can be seen at the port.
#include "observers/coverage.hpp"

#include <nlohmann/json.hpp>

#include "run/observers/coverage_json.hpp"
#include "run/run_observer.hpp"

namespace gsu::run {

nlohmann::ordered_json coverageJson(const Coverage& coverage)
{
    nlohmann::ordered_json out;
    for (const CoverPoint& p : coverage.points()) {
        nlohmann::ordered_json bins;
        for (const CoverBin& b : p.bins) bins[b.name] = b.hits;
        out[p.id] = bins;
    }
    return out;
}

namespace {

class CoverageReport final : public RunObserver {
public:
    explicit CoverageReport(ChipLayout chip) : coverage_(chip) {}
    [[nodiscard]] std::vector<PortObserver*> ports() override { return {&coverage_}; }
    void finish(const RunEnd& end, Outputs&) override { coverage_.onEnd(end.now); }
    void text(std::string& out, const ReportStyle&) const override { out += coverage_.table(); }
    void json(nlohmann::ordered_json& out) const override
    {
        out["coverage"] = coverageJson(coverage_);
    }

private:
    Coverage coverage_;
};

}  // namespace

namespace observers {
std::unique_ptr<RunObserver> coverage(const RunBegin& begin)
{
    return begin.options.coverage ? std::make_unique<CoverageReport>(begin.header.chip()) : nullptr;
}
}  // namespace observers

}  // namespace gsu::run
