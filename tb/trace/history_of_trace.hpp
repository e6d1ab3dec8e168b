/// Feeds the records of a trace to a PortHistory, whose clock is the line of the trace. Commits of barriers come from the pre-flight checks instead.
#pragma once
#include <unordered_set>
#include <variant>

#include "causes/port_causes.hpp"
#include "trace/record.hpp"

namespace gsu::trace {

class HistoryOfTrace {
public:
    HistoryOfTrace(PortHistory& port, unsigned sms) : port_(port), sms_(sms) {}
    /// Adds a record. Records of SMs that are not in the trace are left out: the loader refuses them.
    void add(const Record& record, std::uint32_t line)
    {
        line_ = line;
        std::visit([this](const auto& r) { take(r); }, record);
    }

    /// Number of asynchronous operations that were issued and have not completed.
    [[nodiscard]] std::uint64_t underWay() const noexcept { return issued_.size(); }
    /// The causes of a hang of the trace. `found`: something is known never to complete; else the trace hangs if every live lane waits and
    /// nothing is in flight.
    [[nodiscard]] std::vector<PortCause> causes(bool found) const
    {
        PortHang hang = explainPort(port_, "trace line");
        const bool stands = hang.running.empty() && underWay() == 0;
        return stands || found ? std::move(hang.causes) : std::vector<PortCause>{};
    }

private:
    [[nodiscard]] bool there(std::uint8_t sm) const noexcept { return sm < sms_; }
    void take(const RouteRecord& r)
    {
        if (there(r.route.sm)) port_.route(r.route);
    }
    void take(const GridRecord& r) { port_.grid(0, r.start); }
    void take(const GridEvent& r) { port_.gridEvent(0, {r.grid, r.complete, line_}); }
    void take(const LaunchRecord& r)
    {
        if (there(r.launch.sm)) port_.launch(r.launch);
    }
    void take(const RequestRecord& r)
    {
        if (there(r.request.at.sm)) port_.request(r.request, r.request.source, line_);
    }
    void take(const ExitRecord& r)
    {
        if (there(r.exit.at.sm)) port_.exit(r.exit, 0, line_);
    }
    void take(const IssueRecord& r) { issued_.insert(r.id); }
    void take(const AsyncRecord& r) { issued_.erase(r.id); }
    void take(const CtaFree& r)
    {
        if (there(r.sm)) port_.freed(r.sm, r.cta);
    }
    void take(SyncResponse r)
    {
        r.cycle = line_;
        if (there(r.at.sm)) port_.response(r);
    }
    void take(Release r)
    {
        r.cycle = line_;
        if (there(r.sm)) port_.release(r);
    }
    template <class T> void take(const T&) {}

    PortHistory& port_;
    unsigned sms_;
    std::uint32_t line_{};
    std::unordered_set<std::uint32_t> issued_;
};

}  // namespace gsu::trace
