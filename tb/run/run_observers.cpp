#include "run/run_observers.hpp"

namespace gsu::run {

RunObservers::RunObservers(const CommonOptions& options, const trace::Header& header)
    : statistics_(header.sms), mbarriers_(header.sms)
{
    all_ = {&statistics_, &mbarriers_, &progress_};
    if (options.coverage) {
        coverage_ = std::make_unique<Coverage>(header.sms);
        all_.push_back(coverage_.get());
    }
    if (!options.record.empty()) {
        writer_ = std::make_unique<trace::Writer>(options.record, header);
        recorder_ = std::make_unique<trace::Recorder>(*writer_, header.sms);
        all_.push_back(recorder_.get());
    }
    if (!options.timeline.empty()) {
        timeline_ = std::make_unique<Timeline>(options.timeline, header.sms,
                                               header.ptxName + " " + header.entry);
        all_.push_back(timeline_.get());
    }
}

void RunObservers::finish(Cycle now, const CommonOptions& options, Outputs& outputs)
{
    for (PortObserver* o : all_) {
        if (o != recorder_.get() && o != timeline_.get()) o->onEnd(now);
    }
    outputs.add("trace", options.record, [&] {
        recorder_->onEnd(now);
        writer_->close();
    });
    outputs.add("timeline", options.timeline, [&] {
        timeline_->onEnd(now);
        timeline_->finish();
    });
}

}  // namespace gsu::run
