#include "observers/progress.hpp"

#include <fmt/format.h>
#include <unistd.h>

#include <cstdio>

namespace gsu {

namespace {
constexpr auto kEvery = std::chrono::milliseconds(250);
constexpr auto kFirst = std::chrono::seconds(1);
}  // namespace

ProgressMeter::ProgressMeter()
    : start_(std::chrono::steady_clock::now()),
      shown_(start_ + kFirst - kEvery),
      terminal_(::isatty(2) == 1)
{
}

ProgressMeter::~ProgressMeter() { clear(); }

void ProgressMeter::onProgress(Cycle now)
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

void ProgressMeter::onEnd(Cycle) { clear(); }

void ProgressMeter::clear()
{
    if (!visible_) return;
    visible_ = false;
    std::fputs("\r\x1b[K", stderr);
}

}  // namespace gsu
