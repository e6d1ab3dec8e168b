/// A counter in global memory from which CTAs take their work, where the simulated SMs are k of n (ExecParams::of): whenever a simulated
/// CTA takes a number, those that are not simulated take theirs.
#pragma once
#include <cstdint>

namespace gsu::exec {

class WorkCounter {
public:
    /// No counter.
    WorkCounter() = default;
    /// The counter at this address. `clusters` of the grid, of which so many are simulated.
    WorkCounter(std::uint64_t address, std::uint64_t clusters, std::uint64_t simulated) noexcept
        : address_(address), clusters_(clusters), simulated_(simulated)
    {
    }
    [[nodiscard]] bool isAt(std::uint64_t address) const noexcept
    {
        return address_ != 0 && address == address_;
    }
    /// How many numbers the others take when a simulated CTA has taken one: n / k - 1 on average.
    [[nodiscard]] std::uint64_t others() noexcept
    {
        const std::uint64_t before = taken_++ * clusters_ / simulated_;
        return taken_ * clusters_ / simulated_ - before - 1;
    }

private:
    std::uint64_t address_{}, clusters_{}, simulated_{1}, taken_{};
};

}  // namespace gsu::exec
