/// The registers of a warp. Compilers number thousands of virtual registers of which a launch may touch a few: a large file is memory that
/// the system zeroes page by page, as it is touched.
#pragma once
#include <cstddef>
#include <cstdint>
#include <utility>

namespace gsu::exec {

class RegisterFile {
public:
    RegisterFile() = default;
    RegisterFile(RegisterFile&& other) noexcept
        : cells_(std::exchange(other.cells_, nullptr)),
          size_(std::exchange(other.size_, 0)),
          capacity_(std::exchange(other.capacity_, 0))
    {
    }
    RegisterFile& operator=(RegisterFile&& other) noexcept
    {
        std::swap(cells_, other.cells_);
        std::swap(size_, other.size_);
        std::swap(capacity_, other.capacity_);
        return *this;
    }
    ~RegisterFile();

    [[nodiscard]] std::size_t size() const noexcept { return size_; }
    [[nodiscard]] std::uint64_t* data() noexcept { return cells_; }
    [[nodiscard]] const std::uint64_t* data() const noexcept { return cells_; }
    [[nodiscard]] std::uint64_t* begin() noexcept { return cells_; }
    [[nodiscard]] const std::uint64_t* begin() const noexcept { return cells_; }
    [[nodiscard]] std::uint64_t& operator[](std::size_t i) noexcept { return cells_[i]; }
    [[nodiscard]] std::uint64_t operator[](std::size_t i) const noexcept { return cells_[i]; }
    /// Grows to this many cells; added cells are zero. Never shrinks. Throws std::bad_alloc and changes nothing.
    void grow(std::size_t cells);
    /// Back to no cells. What is not too large to be zeroed stays allocated.
    void clear() noexcept;

private:
    std::uint64_t* cells_{};
    std::size_t size_{}, capacity_{};
};

}  // namespace gsu::exec
