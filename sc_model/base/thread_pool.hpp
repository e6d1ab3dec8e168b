/// A pool of threads that work together on one job at a time.
#pragma once
#include <atomic>
#include <barrier>
#include <functional>
#include <thread>
#include <vector>

namespace gsu {

class ThreadPool {
public:
    /// A pool of `threads` threads, including the caller; the others take no signals.
    explicit ThreadPool(unsigned threads);
    ~ThreadPool();
    ThreadPool(const ThreadPool&) = delete;
    ThreadPool& operator=(const ThreadPool&) = delete;

    /// Processors that this process may use.
    [[nodiscard]] static unsigned processors() noexcept;
    /// Calls work(part) once for each part below `parts`, each on the first free thread, and returns when all are done. `work` must not throw.
    void run(unsigned parts, const std::function<void(unsigned)>& work);

private:
    void serve();
    void takeParts();

    std::barrier<> meet_;
    const std::function<void(unsigned)>* work_{};  ///< job of this round; nullptr: the threads end
    unsigned parts_{};
    std::atomic<unsigned> next_{};
    std::vector<std::thread> others_;
};

}  // namespace gsu
