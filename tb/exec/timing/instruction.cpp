#include "exec/timing/instruction.hpp"

namespace gsu::timing {

ClassTable classTableOf(const TimingParams& p) noexcept
{
    ClassTable table;
    const auto set = [&](InstructionClass cls, Pipe pipe, std::uint32_t interval,
                         std::uint32_t latency, Stall cause = Stall::Fixed,
                         std::uint32_t hold = 1) {
        table[static_cast<std::size_t>(cls)] = {interval, latency, hold, pipe, cause};
    };
    using enum InstructionClass;
    set(Fma, Pipe::Fma, p.fma_interval, p.fma_lat);
    set(Half, Pipe::Fma, p.fma_interval, p.half_lat);
    set(Packed, Pipe::Fma, p.packed_interval, p.fma_lat);
    set(MinMax, Pipe::Alu, p.minmax_interval, p.fma_lat);
    set(Integer, Pipe::Alu, p.integer_interval, p.integer_lat);
    set(Wide, Pipe::Alu, 2 * p.integer_interval, p.integer_lat + p.integer_interval, Stall::Fixed,
        2);
    set(Convert, Pipe::Alu, p.convert_interval, p.convert_lat);
    set(Special, Pipe::Special, p.special_interval, p.special_lat, Stall::Special);
    set(Reciprocal, Pipe::Special, p.special_interval, p.reciprocal_lat, Stall::Special);
    set(Count, Pipe::Special, p.count_interval, p.count_lat, Stall::Special);
    set(Shuffle, Pipe::LoadStore, p.shuffle_interval, p.shuffle_lat, Stall::Special);
    set(Double, Pipe::Fma, p.double_interval, p.double_lat);
    set(Branch, Pipe::None, 0, 0);
    set(BackEdge, Pipe::None, 0, 0, Stall::Fixed, p.back_edge);
    set(Memory, Pipe::None, 0, 0);
    set(Matrix, Pipe::LoadStore, p.matrix_interval, 0);
    set(MmaSync, Pipe::Tensor, p.mma_sync_interval, p.mma_sync_lat, Stall::MmaResult);
    set(Product, Pipe::None, 0, 0, Stall::Fixed, p.mma_issue);
    set(CopyAsync, Pipe::LoadStore, p.cp_async_interval, 0);
    set(Copy, Pipe::None, 0, 0, Stall::Fixed, p.tma_issue);
    set(Multicast, Pipe::None, 0, 0, Stall::Fixed, p.tma_issue_multicast);
    set(Arrive, Pipe::None, 0, 0, Stall::Fixed, p.arrive_issue);
    set(Control, Pipe::None, 0, 0);
    set(Clock, Pipe::None, 0, p.integer_lat, Stall::Fixed, p.clock_read);
    return table;
}

void Computation::name(std::span<const Register> read, std::span<const Register> written) noexcept
{
    const auto cells = [](Register r) { return r * kCells; };
    const auto to = std::transform(read.begin(), read.end(), registers.begin(), cells);
    std::transform(written.begin(), written.end(), to, cells);
    reads = static_cast<std::uint8_t>(read.size());
    named = static_cast<std::uint8_t>(read.size() + written.size());
}

void Computation::pad() noexcept
{
    if (kind != Kind::Issues || reads == 0 || reads > kPlain || named != reads + 1) return;
    const Register written = registers[reads];
    std::fill(registers.begin() + reads, registers.begin() + kPlain, registers[0]);
    registers[kPlain] = written;
    reads = kPlain;
    named = kPlain + 1;
    kind = Kind::Plain;
}

bool mayAlias(const Footprint& a, const Footprint& b) noexcept
{
    using Space = Footprint::Space;
    if (a.space == Space::Constant || b.space == Space::Constant) return false;
    if (a.space != b.space) return a.space == Space::Any || b.space == Space::Any;
    if (a.base != b.base || a.version != b.version) return true;
    return a.offset < b.offset + b.bytes && b.offset < a.offset + a.bytes;
}

}  // namespace gsu::timing
