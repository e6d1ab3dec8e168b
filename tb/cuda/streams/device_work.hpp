/// Work that takes time on the device and may run beside other such work: a running launch.
#pragma once
#include <cstdint>

#include "cuda/device/status.hpp"

namespace gsu::cuda {

class Flight {
public:
    enum class State : std::uint8_t {
        Going,
        Still,  ///< blocked: only other work can unblock it
        Ended
    };
    Flight() = default;
    virtual ~Flight() = default;
    Flight(const Flight&) = delete;
    Flight& operator=(const Flight&) = delete;

    /// Runs until its clock has reached `until`, at most about `work` simulated cycles or instructions.
    [[nodiscard]] virtual State advance(std::uint64_t until, std::uint64_t work) = 0;
    /// Clocks since its begin.
    [[nodiscard]] virtual std::uint64_t now() const noexcept = 0;
    /// Number of changes so far that other work can see.
    [[nodiscard]] virtual std::uint64_t changes() const noexcept = 0;
    /// Other work has changed memory.
    virtual void wake() noexcept = 0;
    /// Whether it has run without a change for so long that the program's call should not wait for it.
    [[nodiscard]] virtual bool quiet() const noexcept = 0;
    /// Whether dependent launches may begin before its end (programmatic dependent launch).
    [[nodiscard]] virtual bool signalled() const noexcept = 0;
    /// Sets whether a launch that it must not outrun is still running.
    virtual void setGridsBefore(bool underWay) = 0;
    /// Ends it where it is: nothing else can happen.
    virtual void giveUp() = 0;
};

}  // namespace gsu::cuda
