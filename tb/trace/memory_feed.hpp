/// The memory accesses of a trace of version 5. The file is read a second time beside the replay, so that the accesses take no memory.
#pragma once
#include <functional>
#include <optional>

#include "trace/program.hpp"
#include "trace/reader.hpp"

namespace gsu::trace {

class MemoryFeed {
public:
    static constexpr std::uint64_t kAll = ~std::uint64_t{0};
    /// Receives a record. `line`: its line in the file.
    using Taker = std::function<void(const std::string& text, Cycle cycle, std::uint32_t line)>;

    /// A feed of a loaded program: the file must still be there and the same. Throws InputError.
    MemoryFeed(const Program& program, Taker taker);
    /// Passes records to the taker: those before record number `before`, of `cycle` or earlier, and with no more than `outcomes` outcomes
    /// before them.
    void give(std::uint64_t before, Cycle cycle, std::size_t outcomes);

private:
    [[nodiscard]] bool ready();

    Reader reader_;
    Taker taker_;
    Record record_;
    bool held_{}, ended_{};
    Cycle cycle_{};           ///< cycle of the held record
    std::uint64_t number_{};  ///< number of the held record
    std::uint64_t read_{};    ///< records read
    std::size_t outcomes_{};  ///< outcomes before the held record
};

}  // namespace gsu::trace
