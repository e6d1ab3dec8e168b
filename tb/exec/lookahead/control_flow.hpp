/// The control-flow graph of a function's micro-operations, and its loops.
#pragma once
#include <cstdint>
#include <memory>
#include <unordered_map>
#include <vector>

#include "exec/program/micro_op.hpp"

namespace gsu::exec {

/// The operations of all backward branches to one head.
struct Loop {
    std::uint32_t head{};
    std::uint32_t size{};    ///< operations
    std::vector<bool> body;  ///< by operation
    [[nodiscard]] bool has(std::uint32_t pc) const noexcept { return pc < body.size() && body[pc]; }
};

class ControlFlow {
public:
    /// The graph of a program, which must outlive it.
    explicit ControlFlow(const Program& program) : program_(program) {}

    /// Possible next operations of an operation; empty: the lanes leave the function.
    [[nodiscard]] std::vector<std::uint32_t> next(std::uint32_t code, std::uint32_t pc) const;
    /// All loops of a function.
    [[nodiscard]] const std::vector<Loop>& loops(std::uint32_t code) const;
    /// The loops that contain the operation, the smallest first.
    [[nodiscard]] std::vector<const Loop*> around(std::uint32_t code, std::uint32_t pc) const;
    /// The loop with this head, or nullptr.
    [[nodiscard]] const Loop* headedBy(std::uint32_t code, std::uint32_t head) const;
    /// The side of a branch that leaves the loop. ptx::kNone: none does.
    [[nodiscard]] std::uint32_t wayOut(std::uint32_t code, const Loop& loop,
                                       std::uint32_t pc) const;
    /// No instruction of the loop, nor a function that it may call, can end it.
    [[nodiscard]] bool closed(std::uint32_t code, const Loop& loop) const;
    /// The last operation of the loop: its branch back.
    [[nodiscard]] static std::uint32_t last(const Loop& loop);

private:
    [[nodiscard]] std::vector<Loop> find(std::uint32_t code) const;
    const Program& program_;
    mutable std::unordered_map<std::uint32_t, std::unique_ptr<std::vector<Loop>>> loops_;
};

}  // namespace gsu::exec
