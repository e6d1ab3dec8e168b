/// Small containers that do not allocate in steady state.
#pragma once
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <vector>

#include "golden/types.hpp"

namespace gsu::lockstep {

/// Up to 32 values in no order; each stands for at least one lane, so it cannot overflow.
template <class T> class Slots {
public:
    void add(const T& value)
    {
        const auto index = static_cast<unsigned>(std::countr_one(used_));
        assert(index < kLanes);
        values_[index] = value;
        used_ |= Lanes{1} << index;
    }
    [[nodiscard]] bool empty() const { return used_ == 0; }
    void clear() { used_ = 0; }
    /// First value that satisfies `test`, or null.
    template <class Test> T* find(Test&& test)
    {
        for (Lanes rest = used_; rest != 0; rest &= rest - 1) {
            T& value = values_[static_cast<unsigned>(std::countr_zero(rest))];
            if (test(value)) return &value;
        }
        return nullptr;
    }
    void erase(const T* value) { used_ &= ~(Lanes{1} << (value - values_.data())); }

private:
    std::array<T, kLanes> values_{};
    Lanes used_{};
};

/// First in, first out; keeps its memory.
template <class T> class Fifo {
public:
    void push(const T& value)
    {
        if (head_ > 64 && head_ * 2 > values_.size()) {
            values_.erase(values_.begin(), values_.begin() + static_cast<std::ptrdiff_t>(head_));
            head_ = 0;
        }
        values_.push_back(value);
    }
    [[nodiscard]] bool empty() const { return head_ == values_.size(); }
    [[nodiscard]] const T& front() const { return values_[head_]; }
    void pop()
    {
        if (++head_ == values_.size()) {
            values_.clear();
            head_ = 0;
        }
    }

private:
    std::vector<T> values_;
    std::size_t head_{};
};

}  // namespace gsu::lockstep
