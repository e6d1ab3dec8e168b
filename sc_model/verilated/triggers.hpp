/// The set of events of an evaluation, as bits of one word. Verilator 5.006 has an array of bytes, which its evaluation walks five times in a clock, and
/// tests byte by byte before each part of the model: a sixth of the instructions of a clock. Newer versions have words of their own.
/// Force-included into every Verilated source of such a version (scripts/cmake/GsuVerilate.cmake).
#pragma once
#ifdef __cplusplus
#include <cstddef>
#include <cstdint>

#include <verilated.h>

/// More constrained than the template in verilated_types.h, so it stands for that wherever the events fit.
template <std::size_t Events>
requires(Events <= 64) class VlTriggerVec<Events> final {
public:
    /// Some events of a set. A sum of them is one test of the word.
    class Some {
    public:
        Some(std::uint64_t& set, std::uint64_t which) : set_(set), which_(which) {}
        operator bool() const { return (set_ & which_) != 0; }
        Some operator|(const Some& other) const
        {
            return {set_, which_ | other.which_};
        }  // of the same set
        void operator=(bool on)
        {
            set_ = (set_ & ~which_) | (std::uint64_t{on} * which_);
        }  // without a branch

    private:
        std::uint64_t& set_;
        std::uint64_t which_;
    };

    void clear() { set_ = 0; }
    Some at(std::size_t event) { return {set_, std::uint64_t{1} << event}; }
    bool any() const { return set_ != 0; }
    void set(const VlTriggerVec& other) { set_ |= other.set_; }
    void andNot(const VlTriggerVec& a, const VlTriggerVec& b) { set_ = a.set_ & ~b.set_; }

private:
    std::uint64_t set_ = 0;
};
#endif
