/// The lock that every call of a program holds. A thread may take it several times, because functions of the program that a call runs make
/// calls themselves. A thread that waits, or runs such a function, releases it completely.
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

    /// While an object of this class lives, the calling thread, which held the lock, does not hold it: also after an exception.
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
    /// The lock for a condition variable: it releases all levels.
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
    /// Releases all levels; returns how often the calling thread held the lock.
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
    unsigned depth_{};  ///< levels of the thread that holds it
};

}  // namespace gsu::cuda
