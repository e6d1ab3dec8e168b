/// The pieces of global memory that a warp's access needs: sectors of 32 bytes, each once.
#pragma once
#include <algorithm>
#include <array>

#include "exec/timing/chip_memory.hpp"
#include "exec/timing/shared_port.hpp"

namespace gsu::timing {

/// Runs of sectors, in ascending order.
class Sectors {
public:
    explicit Sectors(const LaneAccess& access)
    {
        std::array<std::uint64_t, 64> all;  // an access of a lane lies in at most two
        unsigned count = 0;
        eachLane(access.lanes, [&](unsigned lane) {
            const std::uint64_t first = access.address[lane] / kSector;
            const std::uint64_t last = (access.address[lane] + access.bytes - 1) / kSector;
            if (count == 0 || all[count - 1] != first) all[count++] = first;
            if (last != first) all[count++] = last;
        });
        std::sort(all.begin(), all.begin() + count);
        for (unsigned i = 0; i < count; ++i) add(all[i] * kSector);
    }
    [[nodiscard]] std::span<const Run> runs() const noexcept { return {runs_.data(), count_}; }
    /// Lines of 128 bytes: each takes a clock of L1.
    [[nodiscard]] unsigned lines() const noexcept { return lines_; }

private:
    void add(std::uint64_t address)
    {
        if (count_ != 0) {
            Run& last = runs_[count_ - 1];
            if (address < last.address + last.bytes) return;
            if (address / kLine != (last.address + last.bytes - 1) / kLine) ++lines_;
            if (address == last.address + last.bytes) {
                last.bytes += kSector;
                return;
            }
        } else {
            ++lines_;
        }
        runs_[count_++] = {address, kSector};
    }

    std::array<Run, 64> runs_;
    unsigned count_{}, lines_{};
};

}  // namespace gsu::timing
