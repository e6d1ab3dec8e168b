// --timeline: the run for Perfetto.
#include "observers/timeline.hpp"

#include <algorithm>

#include "exec/result/timing_report.hpp"
#include "run/run_observer.hpp"

namespace gsu::run {

namespace {

class TimelineFile final : public RunObserver, private TensorObserver {
public:
    explicit TimelineFile(const RunBegin& begin)
        : path_(begin.options.timeline),
          timeline_(path_, begin.header.sms, begin.header.ptxName + " " + begin.header.entry)
    {
    }
    [[nodiscard]] std::vector<PortObserver*> ports() override { return {&timeline_}; }
    [[nodiscard]] TensorObserver* tensor() override { return this; }
    void finish(const RunEnd& end, Outputs& outputs) override
    {
        timeline_.mark(end.marks.times);
        if (end.result != nullptr && end.result->timing) servers(*end.result->timing);
        outputs.add("timeline", path_, [&] {
            timeline_.onEnd(end.now);
            timeline_.finish();
        });
    }

private:
    void servers(const TimingReport& report);
    void onTensor(const TensorActivity& activity) override;

    const std::string path_;
    Timeline timeline_;
};

void TimelineFile::servers(const TimingReport& report)
{
    using timing::Activity;
    for (const timing::ServerActivity& server : report.activity) {
        std::vector<unsigned> percent;
        for (const timing::Ticks busy : server.activity.bins())
            percent.push_back(static_cast<unsigned>(
                std::min<timing::Ticks>(100, 100 * busy / timing::ticksOf(Activity::kClocks))));
        timeline_.onServer(server.server, server.sm, Activity::kClocks, percent);
    }
}

void TimelineFile::onTensor(const TensorActivity& a)
{
    using Kind = TensorActivity::Kind;
    switch (a.kind) {
        case Kind::Multiply:
        case Kind::Copy:
        case Kind::Shift:
        case Kind::Load:
        case Kind::Store: {
            const bool core = a.kind != Kind::Load && a.kind != Kind::Store;
            return timeline_.onTensorOperation(a.at, core, a.from, a.to, a.name, a.line);
        }
        case Kind::Columns: return timeline_.onColumns(a.at, a.from, a.to, a.column, a.columns);
        case Kind::Commit:
        case Kind::Grant: break;  // the mbarrier's track has the arrival; Columns comes later
    }
}

}  // namespace

namespace observers {
std::unique_ptr<RunObserver> timeline(const RunBegin& begin)
{
    return begin.options.timeline.empty() ? nullptr : std::make_unique<TimelineFile>(begin);
}
}  // namespace observers

}  // namespace gsu::run
