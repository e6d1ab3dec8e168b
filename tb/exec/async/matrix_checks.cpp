// Errors of wgmma that the matrix engine finds: operands, agreement of a warpgroup, registers and shared memory that are touched too early.
#include <fmt/format.h>

#include "exec/async/matrix_parts.hpp"

#include <algorithm>

#include "exec/tensor/descriptor.hpp"

namespace gsu::exec {
namespace {

/// Learns which units an operation reads.
struct Probe final : WgmmaOperands {
    std::vector<std::uint32_t> units;
    const std::uint8_t* unit(std::uint32_t address) override
    {
        units.push_back(address);
        return nullptr;
    }
};

}  // namespace

/// All warps of a warpgroup execute the same wgmma with the same descriptors.
void MatrixEngine::agree(const Ctx& x, WarpState& w, const MicroOp& op, const Operation& o)
{
    Agreement& a = agreements_[keyOfWarp(w.cta, w.warp / kWarpgroup)];
    const std::array<std::uint64_t, 4> mine{op.line, o.descriptorA, o.descriptorB, o.scaleD};
    const std::uint64_t at = w.issued++ - a.first;
    if (at >= a.issued.size()) {
        a.issued.push_back(mine);
    } else if (a.issued[at] != mine) {
        report(x, "TEN-012", Severity::Error,
               "the warps of a warpgroup execute different wgmma.mma_async: here with other "
               "operands than, or instead of, that of " +
                   s_.module.lineText(static_cast<std::uint32_t>(a.issued[at][0])),
               op.line);
    }
    std::uint64_t all = ~0ull;  // wgmma that every warp has issued need no comparison any more
    for (unsigned i = 0; i < kWarpgroup; ++i) {
        const auto other = warps_.find(keyOfWarp(w.cta, w.warp / kWarpgroup * kWarpgroup + i));
        all = std::min(all, other == warps_.end() ? 0 : other->second.issued);
    }
    for (; a.first < all; ++a.first) a.issued.pop_front();
}

bool MatrixEngine::Footprint::holds(std::uint32_t offset, std::uint32_t bytes) const noexcept
{
    if (bytes == 0 || offset >= high || offset + bytes <= low) return false;
    const std::uint32_t from = (std::max(offset, low) - low) / kUnit,
                        last = (std::min(offset + bytes, high) - low - 1) / kUnit;
    return std::any_of(read.begin() + from, read.begin() + last + 1, [](bool r) { return r; });
}

/// The footprint of descriptors. Loops give the same descriptors again and again: the footprint is computed once.
std::shared_ptr<const MatrixEngine::Footprint>
MatrixEngine::footprintOf(const WgmmaInfo& info, std::uint64_t a, std::uint64_t b, unsigned row)
{
    constexpr std::size_t kMost = 4096;
    if (footprints_.size() == kMost) footprints_.clear();
    std::shared_ptr<const Footprint>& known = footprints_[{&info, a, b, row}];
    if (known != nullptr) return known;
    Probe probe;
    wgmmaUnits(info, a, b, row, probe);
    auto found = std::make_shared<Footprint>();
    for (const std::uint32_t unit : probe.units) {
        found->low = std::min(found->low, unit);
        found->high = std::max(found->high, unit + kUnit);
    }
    found->read.resize((found->high - found->low) / kUnit);
    for (const std::uint32_t unit : probe.units) found->read[(unit - found->low) / kUnit] = true;
    for (std::uint32_t i = 0; i < found->read.size(); ++i) {
        if (!found->read[i]) continue;
        if (i > 0 && found->read[i - 1])
            found->runs.back().second += kUnit;
        else
            found->runs.emplace_back(found->low + i * kUnit, kUnit);
    }
    found->units = std::move(probe.units);
    return known = std::move(found);
}

/// Checks the places of the operands; false: outside the CTA's shared memory, and the lanes have a fault.
bool MatrixEngine::checkDescriptors(Ctx& x, const MicroOp& op, Operation& o)
{
    const WgmmaInfo& info = *o.info;
    for (const auto& [bits, there] :
         {std::pair{o.descriptorA, info.a == 0}, std::pair{o.descriptorB, true}}) {
        if (!there) continue;
        const std::string problem = tensor::problemOfDescriptor(bits);
        if (!problem.empty())
            report(x, "TEN-015", Severity::Warning, "matrix descriptor: " + problem, op.line);
        const tensor::Descriptor d = tensor::Descriptor::of(bits);
        const unsigned mask = d.width == 0 ? 0 : d.width / 16 - 1;
        // Without a base offset the pattern is that of the address, which is right wherever the matrix starts: bulk tensor copies write it so.
        if ((d.base & mask) != 0 && ((d.start >> 7) & mask) != (d.base & mask))
            report(x, "TEN-015", Severity::Warning,
                   "matrix descriptor: the start address lies on another line of the swizzle "
                   "pattern than its base offset says",
                   op.line);
    }
    o.reads = footprintOf(info, info.a == 0 ? o.descriptorA : 0, o.descriptorB,
                          x.warp->index % kWarpgroup * 16);
    const std::uint32_t window = x.cta->launch.size;
    if (o.reads->high > window) {
        faultLane(x, 0, "TEN-014",
                  fmt::format("wgmma reads shared memory up to byte {} of a window of {}: the "
                              "descriptor leads outside",
                              o.reads->high, window));
        return false;
    }
    return true;
}

/// Checks that a wgmma.fence is between writes to an operation's registers and the operation.
void MatrixEngine::checkFence(const Ctx& x, const WarpState& w, const Operation& o,
                              const Accumulator& a)
{
    bool written = false;
    for (const std::uint32_t row : a.rows)
        written |= row != kSink && (w.flags[row] & kWritten) != 0;
    for (unsigned i = 0; i < o.info->a; ++i) {
        const auto row = static_cast<std::size_t>(o.rows[i]) + o.regBase;
        written |= o.rows[i] >= 0 && (w.flags[row] & kWritten) != 0;
    }
    if (written || !x.warp->matrix)
        report(x, "TEN-013", Severity::Error,
               written ? "registers of this wgmma were written since the last wgmma.fence"
                       : "the first wgmma of a warp needs a wgmma.fence before it",
               o.line);
}

void MatrixEngine::watch(Ctx& x, const MicroOp& op)
{
    const auto& touched = s_.program.codes[x.group->code].touched;
    const std::uint32_t pc = x.group->pc;
    if (pc >= touched.size() || touched[pc].empty()) return;
    WarpState& w = stateOf(x);
    for (const Row r : touched[pc]) {
        const bool writes = r >= kWrites;
        const auto row = x.group->regBase + static_cast<std::size_t>(r & (kWrites - 1));
        if (row >= w.flags.size()) continue;
        if ((w.flags[row] & kAccumulator) != 0)
            report(x, "TEN-010", Severity::Error,
                   "touches an accumulator of a wgmma.mma_async before wgmma.wait_group", op.line);
        if (writes && (w.flags[row] & kOperandA) != 0)
            report(x, "TEN-010", Severity::Error,
                   "writes a register that a wgmma.mma_async still reads, before "
                   "wgmma.wait_group",
                   op.line);
        if (writes) w.flags[row] |= kWritten;
    }
}

void MatrixEngine::overwritten(const Cta& owner, std::uint32_t offset, std::uint32_t bytes)
{
    const auto known = known_.find(keyOf(owner).serial);
    if (known != known_.end())
        std::erase_if(known->second, [&](const Known& k) { return k.reads.holds(offset, bytes); });
    for (unsigned index = 0; index < owner.warps.size(); ++index) {
        const auto found = warps_.find(keyOfWarp(keyOf(owner), index));
        if (found == warps_.end()) continue;
        for (const Operation& o : found->second.operations) {
            if (o.performed || !o.reads->holds(offset, bytes)) continue;
            s_.findings.add({"TEN-017", Severity::Error,
                             "shared memory is overwritten that this wgmma.mma_async is still to "
                             "read: no wgmma.wait_group has covered it",
                             owner.linear, index, owner.warps[index].live, o.line, s_.now()});
        }
    }
}

}  // namespace gsu::exec
