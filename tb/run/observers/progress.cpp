// A line on standard error during long runs, only when that is a terminal; removed at the end.
#include <fmt/format.h>
#include <unistd.h>

#include <chrono>
#include <cstdio>

#include "run/run_observer.hpp"

namespace gsu::run {

namespace {

constexpr auto kEvery = std::chrono::milliseconds(250);
constexpr auto kFirst = std::chrono::seconds(1);

class Progress final : public RunObserver, private PortObserver {
public:
    Progress();
    ~Progress() override;
    [[nodiscard]] std::vector<PortObserver*> ports() override { return {this}; }
    void finish(const RunEnd&, Outputs&) override { clear(); }

private:
    void onRequest(Cycle, const SyncRequest&) override { ++requests_; }
    void onProgress(Cycle now) override;
    void clear();

    std::chrono::steady_clock::time_point start_, shown_;
    std::uint64_t requests_{};
    bool terminal_{}, visible_{};
};

Progress::Progress()
    : start_(std::chrono::steady_clock::now()),
      shown_(start_ + kFirst - kEvery),
      terminal_(::isatty(2) == 1)
{
}

Progress::~Progress() { clear(); }

void Progress::onProgress(Cycle now)
{
    if (!terminal_) return;
    const auto time = std::chrono::steady_clock::now();
    if (time - shown_ < kEvery) return;
    shown_ = time;
    visible_ = true;
    const double seconds = std::chrono::duration<double>(time - start_).count();
    const std::string text = fmt::format("\r{} cycles, {} requests, {:.0f} kHz\x1b[K", now,
                                         requests_, static_cast<double>(now) / seconds / 1e3);
    std::fwrite(text.data(), 1, text.size(), stderr);
    std::fflush(stderr);
}

void Progress::clear()
{
    if (!visible_) return;
    visible_ = false;
    std::fputs("\r\x1b[K", stderr);
}

}  // namespace

namespace observers {
std::unique_ptr<RunObserver> progress(const RunBegin&) { return std::make_unique<Progress>(); }
}  // namespace observers

}  // namespace gsu::run
