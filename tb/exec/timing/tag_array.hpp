/// TagArray: the lines of 128 bytes that a cache holds: 16 ways, least recently used replacement.
#pragma once
#include <cstdlib>
#include <memory>

#include "exec/timing/cached_lines.hpp"

namespace gsu::timing {

class TagArray {
public:
    explicit TagArray(std::uint64_t bytes);

    /// Looks the line of an address up and makes it the youngest. True: it was there.
    bool touch(std::uint64_t address);
    /// The line goes: somebody else wrote it.
    void drop(std::uint64_t address) noexcept;
    [[nodiscard]] std::uint64_t hits() const noexcept { return hits_; }
    [[nodiscard]] std::uint64_t misses() const noexcept { return misses_; }

private:
    static constexpr std::size_t kWays = 16;
    [[nodiscard]] std::size_t setOf(std::uint64_t line) const noexcept;

    std::size_t sets_;
    struct Free {
        void operator()(std::uint64_t* lines) const noexcept { std::free(lines); }
    };
    /// kWays for each set, youngest first; line + 1, 0: none. Nothing until the first access, and pages that nobody touches cost nothing.
    std::unique_ptr<std::uint64_t, Free> lines_;
    std::uint64_t hits_{}, misses_{};
};

}  // namespace gsu::timing
