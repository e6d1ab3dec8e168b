#include "run/survey.hpp"

#include <algorithm>
#include <atomic>
#include <bit>
#include <optional>

#include "base/input_error.hpp"
#include "exec/ctas/placement.hpp"
#include "exec/timing/sharing.hpp"
#include "golden/chip_layout.hpp"
#include "run/unit_stack.hpp"

namespace gsu::run {
namespace {

// Instructions after which a survey may end: as many as `kFirst` in all, as long as a warp gets a number between these on average. It goes on as long as what
// it finds changes, but not beyond `kMost`.
constexpr std::uint64_t kFirst = 8'000'000, kLeastOfWarp = 512, kMostOfWarp = 2048,
                        kMost = 16'000'000;

class SurveyObserver final : public SurveyWatch {
public:
    SurveyObserver(const exec::Shape& shape, unsigned of, std::uint64_t kept,
                   const std::atomic<bool>* stopped)
        : SurveyWatch(stopped),
          shape_(shape),
          of_(of),
          first_(exec::Placement::heldBy(shape, of)),
          next_(std::clamp(kFirst, kLeastOfWarp * warps(), kMostOfWarp * warps()) / 2),
          lines_(kept)
    {
    }
    void onPlaced(const CtaPlace& place) override
    {
        const auto& c = shape_.cluster;
        const std::uint64_t gx = shape_.grid[0] / c[0], gy = shape_.grid[1] / c[1];
        const std::uint64_t cluster =
            (place.id[2] / c[2] * gy + place.id[1] / c[1]) * gx + place.id[0] / c[0];
        const auto part = static_cast<unsigned>(exec::Placement::partOf(shape_, of_, cluster));
        partOf_[{place.launch.sm, place.launch.cta}] = part;
        if (++ctas_ > 2 * first_) stop = true;  // a second CTA in every place: the first have ended
    }
    void onAccess(const Access& a) override
    {
        look();
        const unsigned part = partOf_[{a.at.sm, a.at.cta}];
        for (Lanes left = a.lanes; left != 0; left &= left - 1) {
            const MemoryRange& r = a.range[static_cast<unsigned>(std::countr_zero(left))];
            if (r.bytes == 0 || !r.global()) continue;
            if (r.at == last_ && !a.consecutive) continue;
            const auto lanes = static_cast<unsigned>(std::popcount(left));
            lines_.touch(part, last_ = r.at, a.consecutive ? r.bytes * lanes : r.bytes, a.cycle);
            if (a.consecutive) break;
        }
    }
    void onAsync(const AsyncOp& op) override
    {
        look();
        const unsigned part = partOf_[{op.at.sm, op.at.cta}];
        for (const MemoryRange& r : op.reads) {
            if (r.global()) lines_.touch(part, r.at, r.bytes, op.cycle);
        }
    }

    /// Looks at half of the instructions after which the survey may end, then at twice as many each time. Ends it if it finds what it found the time before, and
    /// what has one reader so far was there for as long as L2 keeps it.
    void compare(std::uint64_t instructions)
    {
        if (instructions < next_) return;
        timing::Sharing now = lines_.found(true);
        if (before_ && now.like(*before_) && (now.shared() || lines_.filled())) stop = same_ = true;
        before_ = std::move(now);
        next_ *= 2;
    }
    void allocated(std::uint64_t address, std::uint64_t bytes) { lines_.allocated(address, bytes); }
    /// Instructions at which it ends whatever it finds.
    [[nodiscard]] std::uint64_t most() const { return std::max(kMost, kLeastOfWarp * warps()); }
    /// What the survey found; `limit`: it was stopped by the number of its instructions.
    [[nodiscard]] timing::Sharing found(bool limit) const { return lines_.found(limit || same_); }

private:
    [[nodiscard]] std::uint64_t warps() const
    {
        return std::min(shape_.ctas, first_) * shape_.warps;
    }

    const exec::Shape& shape_;
    unsigned of_;
    std::uint64_t first_, ctas_{};           ///< CTAs that the chip holds at once; that were placed
    std::uint64_t next_;                     ///< instructions at which it looks next
    std::optional<timing::Sharing> before_;  ///< what it found when it looked last
    bool same_{};                            ///< it ended because that did not change
    timing::LineSurvey lines_;
    std::map<std::pair<unsigned, unsigned>, unsigned> partOf_;
    std::uint64_t last_{};
};

/// With as many CTAs on an SM as the host's memory has space for; nullptr: not even one.
std::unique_ptr<Executor> fitting(LaunchSpec& whole, const RunSetup& setup,
                                  const exec::Shape& shape, SurveyObserver& observer)
{
    constexpr unsigned kRegisters = 65536;  // of an SM
    const std::uint64_t held = exec::Placement::heldBy(shape, *whole.sms);
    for (auto each = static_cast<unsigned>(held / *whole.sms);; each /= 2) {
        try {
            RunOptions options = surveyOptions(setup, observer.most(), observer.stop);
            options.watch = [&](const RunProgress& p) { observer.compare(p.instructions); };
            return std::make_unique<Executor>(whole, setup.module, options);
        } catch (const InputError&) {
            if (each < 2) return nullptr;
        }
        whole.registers = kRegisters / (each / 2 * shape.warps * 32);
    }
}

}  // namespace

RunOptions surveyOptions(const RunSetup& setup, std::uint64_t instructions,
                         const std::atomic<bool>& stop)
{
    RunOptions options = setup.limits;
    options.params = execParamsOf(Preset::Hopper);
    options.stop = &stop;
    options.watch = {};
    options.maxInstructions = instructions;
    options.keepGoing = true;
    options.tensor = TensorMode::Skip;
    options.serverActivity = options.explains = false;
    return options;
}

RunResult runSurvey(const RunSetup& setup, Executor& executor, SurveyWatch& watch)
{
    executor.addObserver(watch);
    executor.watchAccesses(watch);
    CommonOptions quiet = withoutFiles(setup.options);
    quiet.unitName = "golden";
    UnitStack unit(quiet, executor.sms(), setup.config, executor.sharedMemory());
    return executor.run(unit.port());
}

std::shared_ptr<const timing::Sharing> surveyOf(const RunSetup& setup, const LaunchSpec& spec)
{
    const ExecParams& params = setup.limits.params;
    if (params.timing == Timing::Simple || params.of == 0) return nullptr;
    const exec::Shape shape = exec::planOf(spec, setup.module, setup.limits.structure).shape;
    if (params.of <= shape.sms) return nullptr;
    // No more SMs than there is a unit for, in whole clusters.
    const unsigned ctas = shape.clusterCtas;
    const unsigned sms = std::min(params.of, std::max(kMaxChipSms / ctas * ctas, shape.sms));
    SurveyObserver observer(shape, sms, std::uint64_t{params.servers.l2_size} * 1024,
                            setup.limits.stop);
    LaunchSpec whole = spec;
    whole.sms = sms;
    const std::unique_ptr<Executor> executor = fitting(whole, setup, shape, observer);
    if (executor == nullptr) return nullptr;
    for (const auto& [address, bytes] : executor->allocations()) observer.allocated(address, bytes);
    const RunResult result = runSurvey(setup, *executor, observer);
    timing::Sharing found = observer.found(!result.limit.empty());
    found.instructions = result.instructions;
    return std::make_shared<const timing::Sharing>(std::move(found));
}

}  // namespace gsu::run
