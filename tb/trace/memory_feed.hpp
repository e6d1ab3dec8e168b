/// The memory accesses of a trace of version 5. The file is read a second time beside the replay, so that they need no memory.
#pragma once
#include <functional>
#include <optional>

#include "trace/program.hpp"
#include "trace/reader.hpp"

namespace gsu::trace {

class MemoryFeed {
public:
    static constexpr std::uint64_t kAll = ~std::uint64_t{0};
    /// `line`: of the record in the file.
    using Taker = std::function<void(const std::string& text, Cycle cycle, std::uint32_t line)>;

    /// Of a program that has been loaded: the file must still be there and the same. Throws InputError.
    MemoryFeed(const Program& program, Taker taker);
    /// Gives the taker what stands before record number `before`, was done in `cycle` or earlier, and has no more than `outcomes` outcomes before it.
    void give(std::uint64_t before, Cycle cycle, std::size_t outcomes);

private:
    [[nodiscard]] bool ready();

    Reader reader_;
    Taker taker_;
    Record record_;
    bool held_{}, ended_{};
    Cycle cycle_{};           ///< of the record that is held
    std::uint64_t number_{};  ///< of the record that is held
    std::uint64_t read_{};    ///< records
    std::size_t outcomes_{};  ///< before the record that is held
};

}  // namespace gsu::trace
