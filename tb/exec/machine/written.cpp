#include "exec/machine/written.hpp"

#include <algorithm>
#include <string_view>

#include "exec/async/async_ops.hpp"
#include "exec/machine/machine.hpp"
#include "exec/machine/mem_ops.hpp"

namespace gsu::exec {

const WrittenBytes::Block* WrittenBytes::find(std::uint64_t address) const
{
    const auto above = blocks_.upper_bound(address);
    if (above == blocks_.begin()) return nullptr;
    const Block& block = *std::prev(above);
    return address - block.first < block.second.size() ? &block : nullptr;
}

void WrittenBytes::wrote(std::uint64_t address, std::uint64_t bytes)
{
    const Block* found = find(address);
    if (found == nullptr) return;
    std::vector<bool>& written = blocks_[found->first];
    const std::uint64_t at = address - found->first;
    const std::uint64_t end = std::min<std::uint64_t>(at + bytes, written.size());
    std::fill(written.begin() + static_cast<std::ptrdiff_t>(at),
              written.begin() + static_cast<std::ptrdiff_t>(end), true);
}

std::optional<std::uint64_t> WrittenBytes::unwritten(std::uint64_t address,
                                                     std::uint64_t bytes) const
{
    const Block* found = find(address);
    if (found == nullptr) return std::nullopt;
    const std::uint64_t first = address - found->first;
    for (std::uint64_t at = first;
         at < std::min<std::uint64_t>(first + bytes, found->second.size()); ++at) {
        if (!found->second[at]) return found->first + at;
    }
    return std::nullopt;
}

void WrittenBytes::copied(std::uint64_t to, std::uint64_t from, std::uint64_t bytes)
{
    const Block* source = find(from);
    const Block* target = find(to);
    if (target == nullptr) return;
    if (source == nullptr) return wrote(to, bytes);
    const std::vector<bool> known = source->second;
    std::vector<bool>& written = blocks_[target->first];
    for (std::uint64_t i = 0; i < bytes; ++i) {
        const std::uint64_t a = from - source->first + i, b = to - target->first + i;
        if (a < known.size() && b < written.size()) written[b] = known[a];
    }
}

void watchAccess(const Ctx& ctx, std::uint64_t address, unsigned bytes, unsigned lane,
                 const char* what)
{
    const std::string_view name = what;
    WrittenBytes& watched = *ctx.machine->memory.global().watched();
    const bool writes =
        name == "store" || name == "stmatrix" || name == "wmma.store" || name == "st.async";
    const MicroOp& op = ctx.machine->program.codes[ctx.group->code].ops[ctx.group->pc];
    const bool both = op.fn == atomOp || op.fn == redReleaseOp;
    if (!writes) {
        if (const auto at = watched.unwritten(address, bytes)) {
            ctx.machine->state.findings.add(
                {"INIT-001", Severity::Error,
                 ctx.machine->memory.text(what, *at, bytes, "nobody has written it"),
                 ctx.cta->linear, ctx.warp->index, 1u << lane, op.line, ctx.machine->state.now()});
        }
    }
    if (writes || both) watched.wrote(address, bytes);
}

}  // namespace gsu::exec
