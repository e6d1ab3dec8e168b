/// Lines of global memory that the parts of a launch touch in a stretch of time. It finds bytes that two parts touch and one of them
/// writes. Without such bytes any order of the parts leaves the same memory.
#pragma once
#include <atomic>
#include <cstdint>
#include <cstdlib>
#include <memory>
#include <vector>

namespace gsu::exec {

/// The touched lines. touch() may be called by one thread for each part at the same time; the other functions only while none does.
class SharedLines {
public:
    static constexpr unsigned kMostParts = 0xffe;

    /// Lines of the addresses [base, base + bytes); an access outside is a conflict.
    SharedLines(std::uint64_t base, std::uint64_t bytes, unsigned parts);

    /// Notes that part `part` reads or writes these bytes.
    void touch(unsigned part, std::uint64_t address, std::uint64_t bytes, bool writes);
    /// Whether two parts have touched a byte that one of them wrote, since the last call; later accesses belong to the next stretch of time.
    [[nodiscard]] bool takeConflict();

private:
    static constexpr unsigned kLine = 128;
    struct Access {
        std::uint64_t address{}, bytes{};
        bool writes{};
    };
    struct alignas(64) Part {
        std::vector<Access> accesses;          ///< of this stretch
        std::vector<std::uint64_t> contended;  ///< lines that other parts have also touched
        bool outside{};
    };
    struct Free {
        void operator()(void* memory) const noexcept { std::free(memory); }
    };
    [[nodiscard]] bool claim(std::uint64_t line, unsigned part, bool writes) noexcept;
    [[nodiscard]] bool overlaps() const;

    std::uint64_t base_, bytes_;
    /// By line: stretch of time, readers, writers. The system gives zeroed pages, and only for used lines.
    std::unique_ptr<std::atomic<std::uint64_t>[], Free> lines_;
    std::vector<Part> parts_;
    std::uint32_t stretch_{1};
};

}  // namespace gsu::exec
