/// Counts the host memory of a launch for registers and local memory; it is freed at the end of the launch.
#pragma once
#include "exec/device/device_memory.hpp"

namespace gsu::exec {

class ThreadBytes {
public:
    explicit ThreadBytes(DeviceMemory& device) noexcept : device_(device) {}
    ~ThreadBytes() { device_.left += bytes_; }
    ThreadBytes(const ThreadBytes&) = delete;
    ThreadBytes& operator=(const ThreadBytes&) = delete;

    /// Takes memory. Throws InputError if there is not enough.
    void reserve(std::uint64_t bytes, const std::string& what, ptx::Position place)
    {
        device_.reserve(bytes, what, place);
        bytes_ += bytes;
    }
    /// Takes memory. Returns false if there is not enough.
    [[nodiscard]] bool take(std::uint64_t bytes) noexcept
    {
        if (bytes > device_.left) return false;
        device_.left -= bytes;
        bytes_ += bytes;
        return true;
    }
    [[nodiscard]] std::uint64_t bytes() const noexcept { return bytes_; }

private:
    DeviceMemory& device_;
    std::uint64_t bytes_{};
};

}  // namespace gsu::exec
