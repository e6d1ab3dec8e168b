/// Parts of gsu_bench. Every figure is a rate or a ratio of one run; nothing here passes or fails.
#pragma once
#include <array>
#include <chrono>
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "golden/params.hpp"
#include "golden/port.hpp"

namespace gsu::bench {

/// One line of the report.
struct Figure {
    std::string name;
    double value{};
    std::string unit;
    std::string target;  ///< what we aim at, empty if nothing
};

/// Seconds of one call.
[[nodiscard]] double seconds(const std::function<void()>& work);
/// The least of `repeats` calls: noise only adds.
[[nodiscard]] double best(int repeats, const std::function<void()>& work);

/// Warps that do nothing but bar.sync 0, closed loop: a released warp presents again as soon as the port takes it.
class BarrierLoop final : public SyncSink {
public:
    struct Shape {
        unsigned sms{1}, ctas{2}, warps{32};
    };
    BarrierLoop(SyncPort& port, Shape shape);
    /// Launches the CTAs; before run().
    void launch();
    /// Runs until `releases` releases came; skips quiet cycles.
    void run(std::uint64_t releases);
    /// Completes the open generations, then lets every warp leave.
    void finish();
    [[nodiscard]] std::uint64_t requests() const noexcept { return requests_; }
    /// (first cycle, request) of everything presented, if kept.
    struct Presented {
        Cycle at;
        SyncRequest request;
    };
    void keep(std::vector<Presented>* presented) noexcept { presented_ = presented; }

private:
    void onResponse(const SyncResponse&) override {}
    void onRelease(const Release& release) override;
    void onCommit(const Commit&) override {}
    void onDelivered(const Delivered&) override {}
    void onCtaFree(const CtaFree&) override { ++freed_; }
    void advance();
    void presentNext(unsigned sm);

    struct Ring {
        std::vector<WarpRef> slots;
        std::size_t head{}, count{};
        void push(WarpRef at) { slots[(head + count++) % slots.size()] = at; }
        WarpRef pop()
        {
            const WarpRef at = slots[head];
            head = (head + 1) % slots.size();
            --count;
            return at;
        }
    };
    SyncPort& port_;
    Shape shape_;
    SyncRequest request_;
    std::vector<Ring> ready_;
    std::vector<std::array<unsigned, kMaxCtas>> blocked_;  ///< warps that wait, per SM and CTA
    std::vector<Presented>* presented_{};
    std::uint64_t requests_{}, releases_{}, freed_{};
    std::uint16_t tag_{};
};

void measureUnits(std::vector<Figure>& figures);
void measureReplay(std::vector<Figure>& figures);
void measureKernel(std::vector<Figure>& figures);
void measureMemory(std::vector<Figure>& figures);
void measureMbarriers(std::vector<Figure>& figures);
void measureWarps(std::vector<Figure>& figures);
void measureTensor(std::vector<Figure>& figures);
void measureChecks(std::vector<Figure>& figures);
void measureTcgen05(std::vector<Figure>& figures);
void measureTiming(std::vector<Figure>& figures);
void measureChips(std::vector<Figure>& figures);

}  // namespace gsu::bench
