#include <cassert>

#include "bench.hpp"

namespace gsu::bench {

double seconds(const std::function<void()>& work)
{
    const auto start = std::chrono::steady_clock::now();
    work();
    return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count();
}

double best(int repeats, const std::function<void()>& work)
{
    double least = seconds(work);
    for (int i = 1; i < repeats; ++i) least = std::min(least, seconds(work));
    return least;
}

BarrierLoop::BarrierLoop(SyncPort& port, Shape shape)
    : port_(port), shape_(shape), ready_(shape.sms), blocked_(shape.sms)
{
    port.setSink(*this);
    for (Ring& ring : ready_) ring.slots.resize(std::size_t{shape.ctas} * shape.warps);
    request_.op = Op::BarSync;
    request_.lanes = ~Lanes{0};
    request_.aligned = true;
}

void BarrierLoop::launch()
{
    for (unsigned sm = 0; sm < shape_.sms; ++sm) {
        for (unsigned cta = 0; cta < shape_.ctas; ++cta) {
            Launch launch;
            launch.sm = std::uint8_t(sm);
            launch.cta = std::uint8_t(cta);
            launch.wbase = std::uint8_t(cta * shape_.warps);
            launch.threads = std::uint16_t(shape_.warps * 32);
            launch.size = 1024;
            while (!port_.launch(launch)) port_.step();
            for (unsigned warp = 0; warp < shape_.warps; ++warp)
                ready_[sm].push({launch.sm, launch.cta, std::uint8_t(warp)});
        }
    }
    for (int i = 0; i < 8; ++i) port_.step();
}

void BarrierLoop::onRelease(const Release& release)
{
    ++releases_;
    blocked_[release.sm][release.cta] -= static_cast<unsigned>(__builtin_popcount(release.warps));
    for (Lanes rest = release.warps; rest != 0; rest &= rest - 1)
        ready_[release.sm].push({release.sm, release.cta, std::uint8_t(__builtin_ctz(rest))});
}

void BarrierLoop::advance()
{
    const Cycle quiet = port_.quietUntil();
    if (quiet > port_.now() && quiet != kNever) port_.skipTo(quiet);
    port_.step();
}

void BarrierLoop::presentNext(unsigned sm)
{
    request_.at = ready_[sm].pop();
    request_.tag = tag_++ & 0xfff;
    ++blocked_[sm][request_.at.cta];
    if (presented_ != nullptr) presented_->push_back({port_.now(), request_});
    port_.present(request_);
    ++requests_;
}

void BarrierLoop::run(std::uint64_t releases)
{
    const std::uint64_t end = releases_ + releases;
    while (releases_ < end) {
        for (unsigned sm = 0; sm < shape_.sms; ++sm)
            if (ready_[sm].count != 0 && port_.canPresent(std::uint8_t(sm))) presentNext(sm);
        advance();
        assert(!port_.fault());
    }
}

void BarrierLoop::finish()
{
    for (bool open = true; open;) {
        open = false;
        for (unsigned sm = 0; sm < shape_.sms; ++sm) {
            for (std::size_t tries = ready_[sm].count;
                 tries > 0 && port_.canPresent(std::uint8_t(sm)); --tries) {
                const WarpRef next = ready_[sm].slots[ready_[sm].head];
                if (blocked_[sm][next.cta] != 0)
                    presentNext(sm);
                else
                    ready_[sm].push(ready_[sm].pop());  // its generation is complete: it stays out
            }
            for (const unsigned waiting : blocked_[sm]) open = open || waiting != 0;
        }
        if (open) advance();
    }
    const std::uint64_t ctas = std::uint64_t{shape_.sms} * shape_.ctas;
    for (unsigned sm = 0; sm < shape_.sms; ++sm)
        for (unsigned cta = 0; cta < shape_.ctas; ++cta)
            for (unsigned warp = 0; warp < shape_.warps; ++warp)
                port_.exit(
                    {{std::uint8_t(sm), std::uint8_t(cta), std::uint8_t(warp)}, ~Lanes{0}, false});
    for (int i = 0; freed_ < ctas && i < 1'000'000; ++i) advance();
    assert(freed_ == ctas);
}

}  // namespace gsu::bench
