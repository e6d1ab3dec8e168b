/// The context of a micro-operation: registers, predicates and constants of its lane group, and its place. Private to tb/exec.
#pragma once
#include <string>

#include "exec/program/micro_op.hpp"
#include "exec/result/result.hpp"
#include "exec/warps/warp.hpp"

namespace gsu::exec {

struct RunParts;

/// A bad access of some lanes of the running instruction.
struct FaultNote {
    Lanes lanes{};
    const char* rule{""};
    std::string message;
    TrapKind kind{};
};

struct Ctx {
    std::uint64_t* regs{};
    Lanes* preds{};
    const std::uint64_t* consts{};
    const RunParts* parts{};
    Cta* cta{};
    Warp* warp{};
    Group* group{};
    FaultNote fault;
    bool remote{};  ///< touched another CTA's shared memory
    Lanes away{};   ///< lanes whose atomic on another CTA's shared memory is still to be requested

    [[nodiscard]] std::uint64_t* row(Row r) const noexcept { return regs + std::ptrdiff_t{r} * 32; }
    [[nodiscard]] const std::uint64_t* src(Row r) const noexcept
    {
        return r >= 0 ? regs + std::ptrdiff_t{r} * 32 : consts + std::ptrdiff_t{~r} * 32;
    }
    [[nodiscard]] Lanes pred(PredRef p) const noexcept
    {
        const Lanes value = p.index >= 0 ? preds[p.index] : 0;
        return p.negated ? ~value : value;
    }
    void setPred(std::int32_t index, Lanes lanes, Lanes value) const noexcept
    {
        if (index >= 0) preds[index] = (preds[index] & ~lanes) | (value & lanes);
    }
};

/// Adds a bad access to the instruction's note, which describes the first of them.
void faultLane(Ctx& ctx, unsigned lane, const char* rule, std::string message,
               TrapKind kind = TrapKind::Access);

}  // namespace gsu::exec
