/// A litmus test of the user's kernel: a launch file, and a condition on the memory that the kernel leaves.
#pragma once
#include "litmus/test.hpp"

namespace gsu::litmus {

struct KernelTest {
    /// An element of 4 bytes of a buffer; a term of kind Memory is the index of one.
    struct Cell {
        /// name of the buffer as in --dump-memory: param1, memory.NAME, global.NAME
        std::string buffer;
        std::uint32_t index{};
        std::uint32_t line{}, column{};
    };
    Test test;           ///< without threads and locations
    std::string launch;  ///< launch file, relative to the test
    std::vector<Cell> cells;
};

/// True if the text is a kernel test (KERNEL NAME ...), not a test with threads of its own.
[[nodiscard]] bool isKernelTest(const std::string& text);
/// Reads a kernel test. Throws InputError.
[[nodiscard]] KernelTest parseKernelTest(const std::string& text, const std::string& file);

}  // namespace gsu::litmus
