/// A litmus test of a kernel of the user: a launch file, and a condition on the memory that the kernel leaves.
#pragma once
#include "litmus/test.hpp"

namespace gsu::litmus {

struct KernelTest {
    /// Element of 4 bytes of a buffer; what a term of kind Memory indexes.
    struct Cell {
        std::string buffer;  ///< as --dump-memory names it: param1, memory.NAME, global.NAME
        std::uint32_t index{};
        std::uint32_t line{}, column{};
    };
    Test test;           ///< without threads and locations
    std::string launch;  ///< launch file, relative to the test
    std::vector<Cell> cells;
};

/// True when the text is one (KERNEL NAME ...), not a test of its own threads.
[[nodiscard]] bool isKernelTest(const std::string& text);
/// Throws InputError.
[[nodiscard]] KernelTest parseKernelTest(const std::string& text, const std::string& file);

}  // namespace gsu::litmus
