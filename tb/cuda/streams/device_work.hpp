/// What takes time on the device and may go on beside other such work: a launch that is under way.
#pragma once
#include <cstdint>

#include "cuda/device/status.hpp"

namespace gsu::cuda {

class Flight {
public:
    enum class State : std::uint8_t {
        Going,
        Still,  ///< only others can get it on
        Ended
    };
    Flight() = default;
    virtual ~Flight() = default;
    Flight(const Flight&) = delete;
    Flight& operator=(const Flight&) = delete;

    /// Goes on until its clock has reached `until`, at most about `work` simulated cycles or instructions.
    [[nodiscard]] virtual State advance(std::uint64_t until, std::uint64_t work) = 0;
    /// Clocks since it began.
    [[nodiscard]] virtual std::uint64_t now() const noexcept = 0;
    /// Changes that others can see so far.
    [[nodiscard]] virtual std::uint64_t changes() const noexcept = 0;
    /// Memory was changed by others.
    virtual void wake() noexcept = 0;
    /// It has gone on for so long without a change that the program's call should not wait for it.
    [[nodiscard]] virtual bool quiet() const noexcept = 0;
    /// What may begin before its end may begin (programmatic dependent launch).
    [[nodiscard]] virtual bool signalled() const noexcept = 0;
    /// Whether that which it may not outrun is still under way.
    virtual void setGridsBefore(bool underWay) = 0;
    /// Nothing else can happen: ends where it stands.
    virtual void giveUp() = 0;
};

}  // namespace gsu::cuda
