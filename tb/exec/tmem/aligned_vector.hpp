/// Vectors that begin at a cache line: loads of 64 bytes that cross two lines cost double.
#pragma once
#include <cstddef>
#include <new>
#include <vector>

namespace gsu::tmem {

template <class T> struct LineAllocator {
    using value_type = T;
    static constexpr std::align_val_t kLine{64};

    LineAllocator() = default;
    template <class U> LineAllocator(const LineAllocator<U>&) noexcept {}
    [[nodiscard]] T* allocate(std::size_t count)
    {
        return static_cast<T*>(::operator new(count * sizeof(T), kLine));
    }
    void deallocate(T* at, std::size_t) noexcept { ::operator delete(at, kLine); }
    friend bool operator==(const LineAllocator&, const LineAllocator&) = default;
};

template <class T> using AlignedVector = std::vector<T, LineAllocator<T>>;

}  // namespace gsu::tmem
