#include "exec/warps/register_file.hpp"

#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>
#include <cstring>
#include <new>

namespace gsu::exec {
namespace {

/// From this size on a file has pages of its own. calloc would zero them once, and clear reused memory from then on.
constexpr std::size_t kOwnPages = std::size_t{32} << 10;

std::uint64_t* zeroed(std::size_t bytes)
{
    void* memory = nullptr;
    if (bytes < kOwnPages) {
        memory = std::calloc(1, bytes);
    } else {
        memory = ::mmap(nullptr, bytes, PROT_READ | PROT_WRITE,
                        MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
        if (memory == MAP_FAILED) memory = nullptr;
    }
    if (memory == nullptr) throw std::bad_alloc();
    return static_cast<std::uint64_t*>(memory);
}

void give(std::uint64_t* cells, std::size_t bytes) noexcept
{
    if (bytes < kOwnPages) {
        std::free(cells);
    } else {
        ::munmap(cells, bytes);
    }
}

}  // namespace

RegisterFile::~RegisterFile()
{
    if (cells_ != nullptr) give(cells_, capacity_ * sizeof *cells_);
}

void RegisterFile::clear() noexcept
{
    if (capacity_ * sizeof *cells_ < kOwnPages) {
        std::fill_n(cells_, size_, 0);
    } else {
        give(cells_, capacity_ * sizeof *cells_);
        cells_ = nullptr;
        capacity_ = 0;
    }
    size_ = 0;
}

void RegisterFile::grow(std::size_t cells)
{
    if (cells <= size_) return;
    if (cells > capacity_) {
        const std::size_t capacity = std::max(cells, 2 * capacity_);
        std::uint64_t* const made = zeroed(capacity * sizeof *made);
        if (cells_ != nullptr) {
            std::memcpy(made, cells_, size_ * sizeof *made);
            give(cells_, capacity_ * sizeof *cells_);
        }
        cells_ = made;
        capacity_ = capacity;
    }
    size_ = cells;
}

}  // namespace gsu::exec
