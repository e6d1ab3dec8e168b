#include "exec/memory/access.hpp"

#include "exec/storage/written_bytes.hpp"

namespace gsu::exec {

void watchAccess(const Ctx& ctx, std::uint64_t address, unsigned bytes, unsigned lane,
                 const char* what)
{
    WrittenBytes& watched = *ctx.parts->memory.global().watched();
    const MicroOp& op = ctx.parts->program.codes[ctx.group->code].ops[ctx.group->pc];
    if (op.touch != Touch::Writes) {
        if (const auto at = watched.unwritten(address, bytes))
            report(ctx, op, "INIT-001", Severity::Error,
                   ctx.parts->memory.text(what, *at, bytes, "nobody has written it"), 1u << lane);
    }
    if (op.touch == Touch::Writes || op.touch == Touch::Updates) watched.wrote(address, bytes);
}

}  // namespace gsu::exec
