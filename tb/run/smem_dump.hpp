/// Dumps of shared memory: what `gsu run --dump-smem` writes and `gsu decode --dump` reads. Raw bytes, little-endian; read also as a
/// NumPy file (.npy, any element type, C order) or as hexadecimal text (.hex, .txt: bytes or longer numbers, the first digit highest).
#pragma once
#include <cstdint>
#include <string>
#include <unordered_map>
#include <vector>

#include "golden/port.hpp"
#include "golden/port_observer.hpp"

namespace gsu::run {

/// Bytes of a dump; "-" is standard input. Throws InputError for what cannot be read, and for an empty one.
[[nodiscard]] std::vector<std::uint8_t> readDump(const std::string& path);

/// Keeps the window of one CTA: as it is when the run ends, or as it was when the CTA ended. Words that the unit has committed but not
/// yet written back are in it.
class SmemDump final : public PortObserver {
public:
    /// `memory` must outlive it.
    SmemDump(const SharedMemory& memory, std::uint32_t cta) : memory_(memory), cta_(cta) {}
    void onPlace(const Launch& launch, std::uint32_t linear) override;
    void onLaunch(Cycle now, const Launch& launch) override;
    void onStored(Cycle now, std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes) override;
    void onCommit(const Commit& commit) override;
    void onCtaFree(const CtaFree& free) override;
    /// Throws InputError when the CTA was never started, has no shared memory, or the file cannot be written.
    void write(const std::string& path);

private:
    [[nodiscard]] bool mine(std::uint8_t sm, std::uint8_t cta) const noexcept
    {
        return resident_ && sm == launch_.sm && cta == launch_.cta;
    }
    void take();

    const SharedMemory& memory_;
    std::uint32_t cta_;
    bool placed_{}, resident_{}, started_{};
    Launch launch_;
    std::unordered_map<std::uint32_t, std::uint64_t> words_;  ///< committed, by offset
    std::vector<std::uint8_t> bytes_;
};

}  // namespace gsu::run
