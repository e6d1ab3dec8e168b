// --fst: the waves of the unit, and a view with the moments of a hang beside them.
#include "run/hang_marks.hpp"
#include "run/run_observer.hpp"

namespace gsu::run {

namespace {

class WaveFiles final : public RunObserver {
public:
    explicit WaveFiles(const CommonOptions& options) : path_(options.fst) {}
    void finish(const RunEnd& end, Outputs& outputs) override
    {
        if (!end.endWaves) return;
        outputs.add("waves", path_, end.endWaves);
        addView(outputs, path_, end.marks);
    }

private:
    const std::string path_;
};

}  // namespace

namespace observers {
std::unique_ptr<RunObserver> waves(const RunBegin& begin)
{
    return std::make_unique<WaveFiles>(begin.options);
}
}  // namespace observers

}  // namespace gsu::run
