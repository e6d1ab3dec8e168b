#include "exec/memory/copy_end.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "exec/state/run_parts.hpp"

namespace gsu::exec {

bool resolveEnd(Ctx& x, ptx::Space space, std::uint64_t address, std::uint32_t bytes,
                std::uint32_t align, unsigned lane, const char* what, CopyEnd& end)
{
    Place p = x.parts->memory.locate(x, space, address, std::max(bytes, 1u), lane);
    if (p.bytes == nullptr && p.where == Place::Where::Global && x.parts->options.keepGoing)
        p = x.parts->memory.standIn(x, lane, x.parts->memory.text(what, address, bytes, p));
    end.missing = p.standIn;
    if (p.bytes == nullptr || (address & (align - 1)) != 0) {
        faultLane(x, lane, "GEN-002",
                  p.bytes == nullptr
                      ? x.parts->memory.text(what, address, bytes, p)
                      : x.parts->memory.text(what, address, bytes,
                                             fmt::format("not aligned to {} bytes", align).c_str()),
                  p.bytes == nullptr ? TrapKind::Access : TrapKind::Misaligned);
        return false;
    }
    x.parts->memory.late().settle(x, lane, p, address, std::max(bytes, 1u));
    end.owner = p.owner;
    end.at = p.owner != nullptr ? p.offset : address;
    end.cta = p.owner != nullptr ? keyOf(*p.owner) : CtaKey{kNoSm, 0, 0};
    return true;
}

}  // namespace gsu::exec
