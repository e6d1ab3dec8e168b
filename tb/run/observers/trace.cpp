// --record: the trace of a run.
#include "run/run_observer.hpp"
#include "trace/recorder.hpp"

namespace gsu::run {

namespace {

class TraceFile final : public RunObserver {
public:
    explicit TraceFile(const RunBegin& begin)
        : path_(begin.options.record),
          writer_(*begin.writer),
          recorder_(writer_, begin.header.chip())
    {
    }
    [[nodiscard]] std::vector<PortObserver*> ports() override { return {&recorder_}; }
    void finish(const RunEnd& end, Outputs& outputs) override
    {
        outputs.add("trace", path_, [&] {
            recorder_.onEnd(end.now);
            writer_.close();
        });
    }

private:
    const std::string path_;
    trace::Writer& writer_;
    trace::Recorder recorder_;
};

}  // namespace

namespace observers {
std::unique_ptr<RunObserver> trace(const RunBegin& begin)
{
    return begin.writer == nullptr ? nullptr : std::make_unique<TraceFile>(begin);
}
}  // namespace observers

}  // namespace gsu::run
