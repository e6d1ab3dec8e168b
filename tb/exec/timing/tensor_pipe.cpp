#include "exec/timing/tensor_pipe.hpp"

#include <algorithm>

namespace gsu::timing {

Ticks TensorPipe::computeTime(const Product& x) const noexcept
{
    std::uint64_t work = std::uint64_t{x.m} * x.n * x.k * x.bits / 16;
    if (x.pair) work /= 2;
    if (x.tcgen && !x.pair && x.m == 64) work *= 2;  // half of the rows stay unused
    return timeFor(work, std::uint64_t{p_.mma_rate} * 1000);
}

std::uint64_t TensorPipe::operandBytes(const Product& x) noexcept
{
    const std::uint64_t b = std::uint64_t{x.n} * x.k * (x.sparse ? 2 : 1) * x.bits / 8;
    const std::uint64_t a = x.sharedA ? std::uint64_t{x.m} * x.k * x.bits / 8 : 0;
    return x.pair ? (a + b) / 2 : a + b;
}

std::uint32_t TensorPipe::tail(const Product& x) const noexcept
{
    if (!x.tcgen) return x.sharedA ? p_.mma_tail_smem : p_.mma_tail_regs;
    if (x.pair) return p_.tcgen_tail_pair;
    if (!x.sharedA) return p_.tcgen_tail_tmem;
    return x.m == 64 ? p_.tcgen_tail_m64 : p_.tcgen_tail_m128;
}

Ticks TensorPipe::accepts(const Product& x) const noexcept
{
    const std::uint32_t queue = x.tcgen     ? p_.tcgen_queue
                                : x.sharedA ? p_.mma_queue_smem
                                            : p_.mma_queue_regs;
    return count_ < queue ? 0 : starts_[(count_ - queue) % kMostQueued];
}

ProductTimes TensorPipe::take(const Product& x, Ticks issued, SharedPort& port) noexcept
{
    const Ticks compute = computeTime(x), floor = ticksOf(x.tcgen ? 0 : p_.mma_floor);
    const std::uint64_t bytes = operandBytes(x);
    const std::uint32_t rest = tail(x), back = std::min(p_.mma_back, rest);
    const Ticks start = std::max(issued + ticksOf(rest - back), pipe_.free());
    const Ticks moved = port.stream(start, bytes).end;
    const Ticks alone = start + port.timeOf(bytes);
    const Ticks end = std::max({start + compute, start + floor, moved});
    pipe_.take(start, end - start);
    starts_[count_++ % kMostQueued] = start;
    // The first operands are read before the pipe begins, so only what others take from the port delays the result.
    const Ticks delayed = moved > alone ? moved - alone : 0;
    return {start, end, start + compute + delayed + ticksOf(back)};
}

}  // namespace gsu::timing
