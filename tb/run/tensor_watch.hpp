/// What a launch does with tensor memory (tcgen05): counted for the report, and shown in its timeline.
#pragma once
#include "exec/result/tensor_observer.hpp"
#include "observers/timeline.hpp"

namespace gsu::run {

struct TensorUse {
    std::uint64_t multiplies{}, copies{}, shifts{}, loads{}, stores{}, commits{};
    std::uint64_t allocations{};
    std::uint64_t waits{};   ///< allocations that had to wait
    Cycle waited{};          ///< clocks, of all of them
    unsigned mostColumns{};  ///< of an SM at once
    Cycle busy{};            ///< clocks for which tensor cores were taken, of all SMs
    [[nodiscard]] bool any() const noexcept { return allocations != 0 || multiplies != 0; }
};

class TensorWatch final : public TensorObserver {
public:
    /// `timeline`: nullptr: nobody wants one.
    explicit TensorWatch(Timeline* timeline) : timeline_(timeline) {}
    void onTensor(const TensorActivity& activity) override;
    [[nodiscard]] const TensorUse& use() const noexcept { return use_; }

private:
    void count(const TensorActivity& activity) noexcept;
    void draw(const TensorActivity& activity);

    Timeline* timeline_;
    TensorUse use_;
};

}  // namespace gsu::run
