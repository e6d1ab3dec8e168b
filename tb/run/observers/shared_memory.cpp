// --dump-smem: shared memory of one CTA, as raw bytes (gsu decode --dump reads them).
#include <fmt/format.h>

#include <unordered_map>

#include "base/atomic_file.hpp"
#include "run/run_observer.hpp"

namespace gsu::run {

namespace {

/// Keeps the window of one CTA: as it is when the run ends, or as it was when the CTA ended. Words that the unit has committed but not
/// yet written back are in it.
class SharedMemoryDump final : public RunObserver, private PortObserver {
public:
    explicit SharedMemoryDump(const RunBegin& begin)
        : memory_(*begin.memory), path_(begin.options.dumpSmem), cta_(begin.options.dumpCta)
    {
    }
    [[nodiscard]] std::vector<PortObserver*> ports() override { return {this}; }
    void finish(const RunEnd&, Outputs& outputs) override
    {
        outputs.add("shared memory", path_, [&] { write(); });
    }

private:
    void onPlace(const Launch& launch, std::uint32_t linear) override;
    void onLaunch(Cycle now, const Launch& launch) override;
    void onStored(Cycle now, std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes) override;
    void onCommit(const Commit& commit) override;
    void onCtaFree(const CtaFree& free) override;
    [[nodiscard]] bool mine(std::uint8_t sm, std::uint8_t cta) const noexcept
    {
        return resident_ && sm == launch_.sm && cta == launch_.cta;
    }
    void take();
    /// Throws InputError when the CTA was never started, has no shared memory, or the file cannot be written.
    void write();

    const SharedMemory& memory_;
    const std::string path_;
    std::uint32_t cta_;
    bool placed_{}, resident_{}, started_{};
    Launch launch_;
    std::unordered_map<std::uint32_t, std::uint64_t> words_;  ///< committed, by offset
    std::vector<std::uint8_t> bytes_;
};

void SharedMemoryDump::onPlace(const Launch& launch, std::uint32_t linear)
{
    if (linear != cta_) return;
    launch_ = launch;
    placed_ = true;
}

void SharedMemoryDump::onLaunch(Cycle, const Launch& launch)
{
    if (!placed_ || launch.sm != launch_.sm || launch.cta != launch_.cta) return;
    placed_ = false;
    resident_ = started_ = true;
}

void SharedMemoryDump::onStored(Cycle, std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes)
{
    if (!resident_ || sm != launch_.sm || addr < launch_.base) return;
    const std::uint32_t from = (addr - launch_.base) & ~7u, to = addr - launch_.base + bytes;
    for (std::uint32_t at = from; at < to && !words_.empty(); at += 8) words_.erase(at);
}

void SharedMemoryDump::onCommit(const Commit& c)
{
    if (c.unit != Unit::Mbarrier || !mine(c.at.sm, c.at.cta)) return;
    if (c.op == Op::EvTimeout || c.op == Op::EvDelivered || c.src == Src::Network) return;
    if (c.oldWord != c.newWord) words_[clusterOffset(c.object)] = c.newWord;
}

void SharedMemoryDump::onCtaFree(const CtaFree& free)
{
    if (!mine(free.sm, free.cta)) return;
    take();
    resident_ = false;
}

void SharedMemoryDump::take()
{
    bytes_.resize(launch_.size);
    for (std::uint32_t at = 0; at < launch_.size; at += 8) {
        const auto kept = words_.find(at);
        const std::uint64_t word =
            kept != words_.end() ? kept->second : memory_.readWord(launch_.sm, launch_.base + at);
        for (unsigned i = 0; i < 8 && at + i < launch_.size; ++i)
            bytes_[at + i] = static_cast<std::uint8_t>(word >> 8 * i);
    }
}

void SharedMemoryDump::write()
{
    if (!started_) throw InputError("--dump-cta", fmt::format("CTA {} was never started", cta_));
    if (resident_) take();
    if (bytes_.empty()) throw InputError("--dump-smem", "the kernel has no shared memory");
    AtomicFile file(path_);
    file.write({reinterpret_cast<const char*>(bytes_.data()), bytes_.size()});
    file.commit();
}

}  // namespace

namespace observers {
std::unique_ptr<RunObserver> shared_memory(const RunBegin& begin)
{
    if (begin.memory == nullptr || begin.options.dumpSmem.empty()) return nullptr;
    return std::make_unique<SharedMemoryDump>(begin);
}
}  // namespace observers

}  // namespace gsu::run
