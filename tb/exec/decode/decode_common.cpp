// Qualifiers shared by many instructions, addresses, and the decoding of a whole program.
#include "exec/decode/decoder.hpp"

#include "base/align.hpp"
#include "exec/ops/async_ops.hpp"

namespace gsu::exec {

void Decoder::address(MicroOp& op, const Operand& o, std::size_t element)
{
    // emit() may move the operations: callers pass a local copy.
    if (o.kind != Operand::Kind::Address || element >= o.elements.size())
        unsupported("address operand");
    const Operand& base = o.elements[element];
    op.offset = element == 0 ? o.offset : base.offset;
    switch (base.kind) {
        case Operand::Kind::Register: op.a = source(base, Type::B64); return;
        case Operand::Kind::Integer: op.offset = sum(op.offset, base.integer); return;
        case Operand::Kind::Symbol: {
            const auto place = symbol(base.name);
            if (!place) unsupported("symbol " + base.name);
            if (p_.rankedAddresses && place->space == Space::SharedCta &&
                op.space == Space::SharedCluster) {
                op.a = ownAddress(place->value);
                if (element == 0) op.offset = sum(op.offset, base.offset);
                return;
            }
            op.offset = sum(op.offset, sum(static_cast<std::int64_t>(place->value),
                                           element == 0 ? base.offset : 0));
            op.frame = place->frame;
            const bool inFrame = op.space == Space::Param && place->frame;
            if (op.space == Space::Generic || inFrame) op.space = place->space;
            return;
        }
        case Operand::Kind::Special:
        case Operand::Kind::Float:
        case Operand::Kind::Address:
        case Operand::Kind::Vector:
        case Operand::Kind::Pair:
        case Operand::Kind::Sink:
        case Operand::Kind::List: break;
    }
    unsupported("address operand");
}

ptx::Space Decoder::spaceOf(Space fallback) const
{
    for (const std::string& m : in_->modifiers) {
        if (m == "global") return Space::Global;
        if (m == "shared" || m == "shared::cta") return Space::SharedCta;
        if (m == "shared::cluster") return Space::SharedCluster;
        if (m == "local") return Space::Local;
        if (m == "const") return Space::Const;
        if (m == "param" || m == "param::entry" || m == "param::func") return Space::Param;
    }
    return fallback;
}

Class Decoder::classOf(Space space) const
{
    switch (space) {
        case Space::SharedCta:
        case Space::SharedCluster: return Class::Shared;
        case Space::Const:
        case Space::Param: return Class::Alu;
        case Space::Generic:
        case Space::Global:
        case Space::Local:
        case Space::Reg: return Class::Global;
    }
    return Class::Global;
}

Round Decoder::roundOf(Round fallback) const
{
    if (hasAny({"rn", "rni"})) return Round::Rn;
    if (hasAny({"rz", "rzi"})) return Round::Rz;
    if (hasAny({"rm", "rmi"})) return Round::Rm;
    if (hasAny({"rp", "rpi"})) return Round::Rp;
    if (has("rna")) return Round::Rna;
    return fallback;
}

/// Instructions with .cta_group::2.
static bool hasPairs(const LaunchPlan& plan)
{
    return std::any_of(plan.functions.begin(), plan.functions.end(), [](const ptx::Function* f) {
        return std::any_of(f->body.begin(), f->body.end(), [](const ptx::Instruction& i) {
            return std::find(i.modifiers.begin(), i.modifiers.end(), "cta_group::2") !=
                   i.modifiers.end();
        });
    });
}

void decodeProgram(Program& program, const ptx::Module& module, const LaunchPlan& plan,
                   const DeviceMemory& device, const std::vector<std::uint64_t>& parameters)
{
    Symbols symbols;
    symbols.shared = &plan.sharedSymbols;
    symbols.constants = &device.constSymbols;
    symbols.globals = &device.globalSymbols;
    for (const ptx::Function* f : plan.functions) {
        if (f == plan.entry) program.entry = static_cast<std::uint32_t>(program.codes.size());
        symbols.functions[f->name] = static_cast<std::uint32_t>(program.codes.size());
        Code& code = program.codes.emplace_back();
        code.name = f->name;
        code.function = f;
        code.number = static_cast<std::uint32_t>(f - module.functions.data());
    }
    for (const auto& [alias, target] : module.aliases) {
        if (const auto at = symbols.functions.find(target); at != symbols.functions.end()) {
            symbols.functions.emplace(alias, at->second);
        }
    }
    program.rankedAddresses = plan.shape.clusterCtas > 1 && hasPairs(plan);
    program.byNumber.assign(module.functions.size(), ptx::kNone);
    for (std::uint32_t i = 0; i < program.codes.size(); ++i)
        program.byNumber[program.codes[i].number] = i;
    Decoder decoder(program, module, parameters, symbols);
    for (std::uint32_t i = 0; i < program.codes.size(); ++i) decoder.declare(i);
    for (std::uint32_t i = 0; i < program.codes.size(); ++i) decoder.body(i);
    for (Code& code : program.codes) {
        for (MicroOp& op : code.ops) {
            op.touch = touchOf(op);
            op.copies = op.fn == cpAsyncOp || op.fn == cpBulkOp || op.fn == tensorCopyOp;
            op.polled = op.fn == loadOp || (op.fn == atomOp && op.count != 0);
        }
    }
}

/// Places local variables and parameters of calls in the frame, after those of the function.
void Decoder::placeVariables(std::uint64_t at)
{
    for (const ptx::Variable& v : f_->locals) {
        if (v.space != Space::Local && v.space != Space::Param) continue;
        at = alignUp(at, v.align);
        frame_[v.name] = {at, &v};
        at += v.bytes;
    }
    code_->frameBytes = at;
}

}  // namespace gsu::exec
