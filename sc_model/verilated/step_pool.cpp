#include "verilated/step_pool.hpp"

#include <algorithm>

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
constexpr unsigned partsOf(std::uint64_t ticket) noexcept { return ticket >> 16 & 0xffff; }
constexpr unsigned takenOf(std::uint64_t ticket) noexcept { return ticket & 0xffff; }

}  // namespace

StepPool::StepPool(bool always) : always_(always), helper_(quietThread([this] { serve(); })) {}

StepPool::~StepPool()
{
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    wake_.notify_one();
    helper_.join();
}

bool StepPool::left() const noexcept
{
    const std::uint64_t ticket = ticket_.load(std::memory_order_seq_cst);
    return takenOf(ticket) < partsOf(ticket);
}

bool StepPool::doOne(std::uint32_t round)
{
    std::uint64_t ticket = ticket_.load(std::memory_order_acquire);
    while (roundOf(ticket) == round) {
        const unsigned part = takenOf(ticket);
        if (part >= partsOf(ticket)) return false;
        if (!ticket_.compare_exchange_weak(ticket, ticket + 1, std::memory_order_acq_rel)) continue;
        work_(context_, part);
        done_.fetch_or(std::uint64_t{1} << part, std::memory_order_release);
        return true;
    }
    return false;
}

void StepPool::begin(unsigned parts, void (*work)(void*, unsigned), void* context)
{
    const std::uint32_t round = roundOf(ticket_.load(std::memory_order_relaxed));
    ++rounds_;
    done_.store(0, std::memory_order_relaxed);
    work_ = work;
    context_ = context;
    ticket_.store(ticketOf(round + 1, parts), std::memory_order_seq_cst);
    wakeHelper();
}

void StepPool::more(unsigned parts)
{
    ticket_.fetch_add(ticketOf(0, parts), std::memory_order_seq_cst);
    wakeHelper();
}

void StepPool::wakeHelper()
{
    if (!asleep_.load(std::memory_order_seq_cst)) return;
    const std::lock_guard lock(mutex_);
    wake_.notify_one();
}

void StepPool::wait(unsigned part)
{
    const std::uint32_t round = roundOf(ticket_.load(std::memory_order_relaxed));
    for (unsigned spins = 0; (done_.load(std::memory_order_acquire) >> part & 1) == 0;) {
        if (doOne(round)) continue;
        if (++spins < kSpins)
            relax();
        else
            std::this_thread::yield();  // the helper may wait for this processor
    }
}

bool StepPool::worthwhile(unsigned parts)
{
    if (always_) return true;
    if (left_ == 0) nextStretch();
    if (--left_ == kTurn) {
        parts_ = 0;
        begun_ = Clock::now();
    }
    parts_ += parts;
    return share_;
}

void StepPool::nextStretch()
{
    const Clock::time_point now = Clock::now();
    if (turn_ == kTurns) {
        turn_ = 0;
    } else {
        times_[turn_ % 2][turn_ / 2] =
            std::chrono::duration<double>(now - begun_).count() / double(parts_);
        ++turn_;
    }
    share_ = turn_ % 2 != 0;
    left_ = kSettle + kTurn;
    if (turn_ == kTurns) {
        for (auto& times : times_) std::ranges::sort(times);
        share_ = times_[1][kTurns / 4] < times_[0][kTurns / 4];
        left_ = between_;
        between_ = std::min(2 * between_, kMostBetween);
    }
}

void StepPool::serve()
{
    for (unsigned spins = 0; !stop_.load(std::memory_order_relaxed); ++spins) {
        if (left()) {
            while (doOne(roundOf(ticket_.load(std::memory_order_acquire)))) {
            }
            spins = 0;
        } else if (spins < kSpins) {
            relax();
        } else {
            std::unique_lock lock(mutex_);
            asleep_.store(true, std::memory_order_seq_cst);
            wake_.wait(lock, [&] { return stop_.load() || left(); });
            asleep_.store(false, std::memory_order_relaxed);
            spins = 0;
        }
    }
}

}  // namespace gsu
