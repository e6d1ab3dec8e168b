// --dump-smem: shared memory of one CTA.
#include "run/run_observer.hpp"
#include "run/smem_dump.hpp"

namespace gsu::run {

namespace {

class SharedMemoryFile final : public RunObserver {
public:
    explicit SharedMemoryFile(const RunBegin& begin)
        : path_(begin.options.dumpSmem), dump_(*begin.memory, begin.options.dumpCta)
    {
    }
    [[nodiscard]] std::vector<PortObserver*> ports() override { return {&dump_}; }
    void finish(const RunEnd&, Outputs& outputs) override
    {
        outputs.add("shared memory", path_, [&] { dump_.write(path_); });
    }

private:
    const std::string path_;
    SmemDump dump_;
};

}  // namespace

namespace observers {
std::unique_ptr<RunObserver> shared_memory(const RunBegin& begin)
{
    if (begin.memory == nullptr || begin.options.dumpSmem.empty()) return nullptr;
    return std::make_unique<SharedMemoryFile>(begin);
}
}  // namespace observers

}  // namespace gsu::run
