#include "cli/watch.hpp"

namespace gsu::cli {

namespace {
constexpr std::uint32_t kProgressCommits = 4096;
}

Watch::Watch(const CommonOptions& options, const trace::Header& header)
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

void Watch::finish(Cycle now, const CommonOptions& options, Outputs& outputs)
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

void ExecBridge::onLaunch(Cycle now, const CtaPlace& place)
{
    for (PortObserver* o : observers_) {
        o->onPlace(place.launch, place.linear);
        o->onLaunch(now, place.launch);
    }
}

void ExecBridge::onRequest(Cycle now, const SyncRequest& request, std::uint32_t line)
{
    request_ = request;
    request_.source = line;
    for (PortObserver* o : observers_) o->onRequest(now, request_);
}

void ExecBridge::onNotify(Cycle now, const AsyncUpdate& update)
{
    for (PortObserver* o : observers_) o->onNotify(now, update);
}

void ExecBridge::onStored(Cycle now, std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes)
{
    for (PortObserver* o : observers_) o->onStored(now, sm, addr, bytes);
}

void ExecBridge::onAccesses(Cycle now, const Accesses& accesses, bool performed)
{
    for (PortObserver* o : observers_) o->onAccesses(now, accesses, performed);
}

void ExecBridge::onResponse(const SyncResponse& response)
{
    for (PortObserver* o : observers_) o->onResponse(response);
}

void ExecBridge::onRelease(const Release& release)
{
    for (PortObserver* o : observers_) o->onRelease(release);
}

void ExecBridge::onCommit(const Commit& commit)
{
    for (PortObserver* o : observers_) o->onCommit(commit);
    if (++commits_ % kProgressCommits != 0) return;
    for (PortObserver* o : observers_) o->onProgress(commit.cycle);
}

void ExecBridge::onDelivered(const Delivered& delivered)
{
    for (PortObserver* o : observers_) o->onDelivered(delivered);
}

void ExecBridge::onRoute(Cycle now, const ClusterRoute& route)
{
    for (PortObserver* o : observers_) o->onRoute(now, route);
}

void ExecBridge::onExit(Cycle now, const Exit& exit)
{
    for (PortObserver* o : observers_) o->onExit(now, exit);
}

void ExecBridge::onCtaFree(const CtaFree& free)
{
    for (PortObserver* o : observers_) o->onCtaFree(free);
}

}  // namespace gsu::cli
