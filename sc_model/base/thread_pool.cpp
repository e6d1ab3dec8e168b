#include "base/thread_pool.hpp"

#include <sched.h>

#include <algorithm>

#include "base/quiet_thread.hpp"

namespace gsu {

ThreadPool::ThreadPool(unsigned threads) : meet_(threads)
{
    for (unsigned i = 1; i < threads; ++i) others_.push_back(quietThread([this] { serve(); }));
}

unsigned ThreadPool::processors() noexcept
{
    cpu_set_t set;
    CPU_ZERO(&set);
    if (::sched_getaffinity(0, sizeof set, &set) == 0)
        return static_cast<unsigned>(std::max(1, CPU_COUNT(&set)));
    return std::max(1u, std::thread::hardware_concurrency());
}

ThreadPool::~ThreadPool()
{
    work_ = nullptr;
    meet_.arrive_and_wait();
    for (std::thread& other : others_) other.join();
}

void ThreadPool::takeParts()
{
    for (unsigned part; (part = next_.fetch_add(1, std::memory_order_relaxed)) < parts_;)
        (*work_)(part);
}

void ThreadPool::serve()
{
    for (;;) {
        meet_.arrive_and_wait();
        if (work_ == nullptr) return;
        takeParts();
        meet_.arrive_and_wait();
    }
}

void ThreadPool::run(unsigned parts, const std::function<void(unsigned)>& work)
{
    work_ = &work;
    parts_ = parts;
    next_.store(0, std::memory_order_relaxed);
    if (parts == 1) return takeParts();  // nobody else is needed
    meet_.arrive_and_wait();
    takeParts();
    meet_.arrive_and_wait();
}

}  // namespace gsu
