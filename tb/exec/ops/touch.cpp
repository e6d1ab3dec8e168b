#include <algorithm>
#include <array>

#include "exec/ops/async_ops.hpp"
#include "exec/ops/mem_ops.hpp"
#include "exec/ops/mma_ops.hpp"

namespace gsu::exec {
namespace {

constexpr std::array<ExecFn, 5> kReaders{loadOp, ldmatrixOp, ldmatrixBytesOp, wmmaLoadOp,
                                         multimemLoadOp};
constexpr std::array<ExecFn, 6> kWriters{storeOp,     stmatrixOp, stmatrixBytesOp,
                                         wmmaStoreOp, bulkZeroOp, multimemStoreOp};
constexpr std::array<ExecFn, 3> kUpdaters{atomOp, redReleaseOp, multimemReduceOp};

}  // namespace

Touch touchOf(const MicroOp& op) noexcept
{
    const auto among = [&](const auto& some) {
        return std::ranges::find(some, op.fn) != some.end();
    };
    if (among(kReaders)) return Touch::Reads;
    if (among(kWriters)) return Touch::Writes;
    return among(kUpdaters) ? Touch::Updates : Touch::None;
}

}  // namespace gsu::exec
