/// A queue in a ring buffer: it allocates memory only while it grows.
#pragma once
#include <cassert>
#include <cstddef>
#include <utility>
#include <vector>

namespace gsu::exec {

template <class T> class Ring {
public:
    [[nodiscard]] bool empty() const noexcept { return count_ == 0; }
    [[nodiscard]] std::size_t size() const noexcept { return count_; }
    /// The i-th element from the front.
    [[nodiscard]] T& operator[](std::size_t i) noexcept
    {
        assert(i < count_);
        return places_[(head_ + i) & (places_.size() - 1)];
    }
    [[nodiscard]] T& front() noexcept { return (*this)[0]; }
    void push(T value)
    {
        if (count_ == places_.size()) grow();
        ++count_;
        (*this)[count_ - 1] = std::move(value);
    }
    void pop() noexcept
    {
        assert(count_ != 0);
        head_ = (head_ + 1) & (places_.size() - 1);
        --count_;
    }
    /// Removes and returns the i-th element from the front; those after it move up.
    T take(std::size_t i)
    {
        T value = std::move((*this)[i]);
        for (; i != 0; --i) (*this)[i] = std::move((*this)[i - 1]);
        pop();
        return value;
    }

private:
    void grow()
    {
        std::vector<T> larger(places_.empty() ? 16 : 2 * places_.size());  // a power of two
        for (std::size_t i = 0; i < count_; ++i) larger[i] = std::move((*this)[i]);
        places_ = std::move(larger);
        head_ = 0;
    }
    std::vector<T> places_;
    std::size_t head_{}, count_{};
};

}  // namespace gsu::exec
