// --dot: the graph of waits in a hang.
#include "base/atomic_file.hpp"
#include "run/hang_json.hpp"
#include "run/run_observer.hpp"

namespace gsu::run {

namespace {

class WaitGraph final : public RunObserver {
public:
    explicit WaitGraph(const CommonOptions& options) : path_(options.dot) {}
    void finish(const RunEnd& end, Outputs& outputs) override
    {
        if (end.result == nullptr || !end.result->hang) return;
        outputs.add("graph of waits", path_, [&] {
            AtomicFile file(path_);
            file.write(hangDot(*end.result->hang, *end.module));
            file.commit();
        });
    }

private:
    const std::string path_;
};

}  // namespace

namespace observers {
std::unique_ptr<RunObserver> wait_graph(const RunBegin& begin)
{
    return std::make_unique<WaitGraph>(begin.options);
}
}  // namespace observers

}  // namespace gsu::run
