#include "verilated/step_pool.hpp"

#include "base/quiet_thread.hpp"

namespace gsu {

namespace {

constexpr unsigned kSpins =
    2'000;  // some microseconds: longer than a cycle of the other parts of a simulation

inline void relax() noexcept
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#endif
}

constexpr std::uint64_t ticketOf(std::uint32_t round, unsigned parts) noexcept
{
    return std::uint64_t{round} << 32 | std::uint64_t{parts} << 16;
}
constexpr std::uint32_t roundOf(std::uint64_t ticket) noexcept
{
    return static_cast<std::uint32_t>(ticket >> 32);
}

}  // namespace

StepPool::StepPool() : helper_(quietThread([this] { serve(); })) {}

StepPool::~StepPool()
{
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    wake_.notify_one();
    helper_.join();
}

void StepPool::drain(std::uint32_t round)
{
    std::uint64_t ticket = ticket_.load(std::memory_order_acquire);
    while (roundOf(ticket) == round) {
        const auto part = static_cast<unsigned>(ticket & 0xffff);
        if (part >= (ticket >> 16 & 0xffff)) return;
        if (!ticket_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acq_rel)) continue;
        work_(context_, part);
        done_.fetch_add(1, std::memory_order_release);
        ticket = ticket_.load(std::memory_order_acquire);
    }
}

void StepPool::run(unsigned parts, void (*work)(void*, unsigned), void* context)
{
    const std::uint32_t round = roundOf(ticket_.load(std::memory_order_relaxed));
    ++rounds_;
    done_.store(0, std::memory_order_relaxed);
    work_ = work;
    context_ = context;
    ticket_.store(ticketOf(round + 1, parts), std::memory_order_seq_cst);
    if (asleep_.load(std::memory_order_seq_cst)) {
        const std::lock_guard lock(mutex_);
        wake_.notify_one();
    }
    drain(round + 1);
    for (unsigned spins = 0; done_.load(std::memory_order_acquire) != parts; ++spins) {
        if (spins < kSpins)
            relax();
        else
            std::this_thread::yield();  // the helper may wait for this processor
    }
}

bool StepPool::worthwhile(unsigned parts)
{
    if (left_ == 0) nextPhase();
    --left_;
    parts_ += parts;
    return share_;
}

void StepPool::nextPhase()
{
    const Clock::time_point now = Clock::now();
    const double time = std::chrono::duration<double>(now - begun_).count() / double(parts_);
    switch (phase_) {
        case Phase::TryShared:
            sharedTime_ = time;
            phase_ = Phase::TryAlone;
            share_ = false;
            left_ = kTrial;
            break;
        case Phase::TryAlone:
            phase_ = Phase::Go;
            share_ = sharedTime_ < time;
            left_ = kGo;
            break;
        case Phase::Go:
            phase_ = Phase::TryShared;
            share_ = true;
            left_ = kTrial;
            break;
    }
    parts_ = 0;
    begun_ = now;
}

void StepPool::serve()
{
    std::uint32_t seen = 0;
    for (unsigned spins = 0; !stop_.load(std::memory_order_relaxed); ++spins) {
        const std::uint32_t round = roundOf(ticket_.load(std::memory_order_acquire));
        if (round != seen) {
            seen = round;
            drain(round);
            spins = 0;
        } else if (spins < kSpins) {
            relax();
        } else {
            std::unique_lock lock(mutex_);
            asleep_.store(true, std::memory_order_seq_cst);
            wake_.wait(lock, [&] {
                return stop_.load() || roundOf(ticket_.load(std::memory_order_seq_cst)) != seen;
            });
            asleep_.store(false, std::memory_order_relaxed);
            spins = 0;
        }
    }
}

}  // namespace gsu
