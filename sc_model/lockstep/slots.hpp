/// Small containers that reuse their memory: they stop allocating once they have reached their largest size.
#pragma once
#include <array>
#include <bit>
#include <cassert>
#include <cstddef>
#include <deque>
#include <vector>

#include "golden/types.hpp"

namespace gsu::lockstep {

/// The lowest of `lanes`, which are not 0.
[[nodiscard]] constexpr unsigned lowest(Lanes lanes) noexcept
{
    return static_cast<unsigned>(std::countr_zero(lanes));
}

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
    /// The first value that satisfies `test`, or null.
    template <class Test> T* find(Test&& test)
    {
        for (Lanes rest = used_; rest != 0; rest &= rest - 1) {
            T& value = values_[lowest(rest)];
            if (test(value)) return &value;
        }
        return nullptr;
    }
    void erase(const T* value) { used_ &= ~(Lanes{1} << (value - values_.data())); }

private:
    std::array<T, kLanes> values_{};
    Lanes used_{};
};

/// Values by tag, found by an index. Places are reused, so memory grows only while more values are open than ever before.
template <class T> class ByTag {
public:
    /// Adds a value. Pre: none has this tag.
    T& add(std::uint16_t tag)
    {
        if (free_.empty()) {
            free_.push_back(static_cast<std::uint16_t>(values_.size()));
            values_.emplace_back();
            tags_.emplace_back();
        }
        const std::uint16_t place = free_.back();
        free_.pop_back();
        tags_[place] = tag;
        index_[tag % kTags] = static_cast<std::uint16_t>(place + 1);
        return values_[place] = T{};
    }
    [[nodiscard]] T* find(std::uint16_t tag)
    {
        const std::uint16_t place = index_[tag % kTags];
        return place == 0 || tags_[place - 1u] != tag ? nullptr : &values_[place - 1u];
    }
    [[nodiscard]] const T* find(std::uint16_t tag) const
    {
        return const_cast<ByTag*>(this)->find(tag);
    }
    void erase(std::uint16_t tag)
    {
        free_.push_back(static_cast<std::uint16_t>(index_[tag % kTags] - 1u));
        index_[tag % kTags] = 0;
    }
    [[nodiscard]] std::size_t size() const { return values_.size() - free_.size(); }
    /// Calls visit(value) for each value, in no order.
    template <class Visit> void each(Visit&& visit) const
    {
        const_cast<ByTag*>(this)->each([&](const T& value) { visit(value); });
    }
    /// Calls visit(value) for each value, which it may change.
    template <class Visit> void each(Visit&& visit)
    {
        for (std::size_t i = 0; size() != 0 && i < values_.size(); ++i)
            if (index_[tags_[i] % kTags] == i + 1) visit(values_[i]);
    }

private:
    static constexpr std::size_t kTags = 4096;  ///< tags of the port
    std::deque<T> values_;
    std::vector<std::uint16_t> tags_, free_;
    std::vector<std::uint16_t> index_ = std::vector<std::uint16_t>(kTags);  ///< place + 1, 0: none
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
