/// The lock that every call of a program holds. A thread may take it several times, as functions of the program that a call runs make calls themselves;
/// who waits, or runs such a function, gives it up altogether.
#pragma once
#include <mutex>
#include <utility>

namespace gsu::cuda {

class CallLock {
public:
    void lock()
    {
        mutex_.lock();
        ++depth_;
    }
    bool try_lock()
    {
        if (!mutex_.try_lock()) return false;
        ++depth_;
        return true;
    }
    void unlock()
    {
        --depth_;
        mutex_.unlock();
    }

    /// While it lives the calling thread, which held the lock, does not: also after an exception.
    class Away {
    public:
        explicit Away(CallLock& lock) : lock_(lock), depth_(lock.giveUp()) {}
        ~Away() { lock_.take(depth_); }
        Away(const Away&) = delete;
        Away& operator=(const Away&) = delete;

    private:
        CallLock& lock_;
        unsigned depth_;
    };
    /// What a condition variable waits with: it gives up all of the lock.
    class Whole {
    public:
        explicit Whole(CallLock& lock) noexcept : lock_(lock) {}
        void unlock() { depth_ = lock_.giveUp(); }
        void lock() { lock_.take(std::exchange(depth_, 0)); }

    private:
        CallLock& lock_;
        unsigned depth_{};
    };

private:
    /// How often the calling thread held it.
    unsigned giveUp()
    {
        const unsigned depth = depth_;
        for (unsigned i = 0; i < depth; ++i) unlock();
        return depth;
    }
    void take(unsigned depth)
    {
        for (unsigned i = 0; i < depth; ++i) lock();
    }

    std::recursive_mutex mutex_;
    unsigned depth_{};  ///< of the thread that holds it
};

}  // namespace gsu::cuda
