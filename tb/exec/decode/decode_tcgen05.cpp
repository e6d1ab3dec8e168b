// tcgen05: the qualifiers, and the places of the operands.
#include "exec/decode/decoder.hpp"
#include "exec/tcgen05/tcgen05_ops.hpp"

namespace gsu::exec {
namespace {

unsigned numberIn(std::string_view word)
{
    unsigned value = 0;
    for (const char c : word)
        if (c >= '0' && c <= '9') value = value * 10 + static_cast<unsigned>(c - '0');
    return value;
}

tmem::Shape shapeOf(std::string_view name)
{
    using tmem::Shape;
    if (name == "16x64b") return Shape::L16x64b;
    if (name == "16x128b") return Shape::L16x128b;
    if (name == "16x256b") return Shape::L16x256b;
    return name == "32x32b" ? Shape::L32x32b : Shape::L16x32bx2;
}

}  // namespace

void Decoder::tcgen05()
{
    const std::string_view what = mod(0);
    if (what == "ld" || what == "st") return tcgen05Move();
    if (what == "mma") return tcgen05Multiply();
    if (what == "cp") return tcgen05Copy();
    if (what == "commit") return tcgen05Commit();
    if (what == "shift") return tcgen05Shift();
    MicroOp op;
    if (what == "fence::before_thread_sync" || what == "fence::after_thread_sync") {
        op.tcgen05 = {false, what == "fence::before_thread_sync"};
        place(op, Kind::Exec, tcgen05FenceOp);
        return;
    }
    if (what.starts_with("wait")) {
        op.tcgen05 = {what == "wait::st", false};
        place(op, Kind::Collective, tcgen05WaitOp);
        return;
    }
    Tcgen05Info info = tcgen05Info();
    if (what == "alloc") {
        tcgen05SharedAddress(op, operand(0));
        info.descriptor = source(1, Type::B32);
    } else if (what == "dealloc") {
        op.a = source(0, Type::B32);
        info.descriptor = source(1, Type::B32);
    }
    tcgen05Place(op, info, Kind::Collective,
                 what == "alloc"     ? tcgen05AllocOp
                 : what == "dealloc" ? tcgen05DeallocOp
                                     : tcgen05RelinquishOp);
}

Tcgen05Info Decoder::tcgen05Info() const
{
    Tcgen05Info info;
    info.group = has("cta_group::2") ? 2 : 1;
    info.modifiers.group = info.group;
    return info;
}

void Decoder::tcgen05Place(MicroOp op, const Tcgen05Info& info, Kind kind, ExecFn fn)
{
    op.extra = static_cast<std::uint32_t>(p_.tcgen05s.size());
    p_.tcgen05s.push_back(info);
    place(op, kind, fn);
}

/// Without a state space a register of 32 bits holds an address of shared memory, one of 64 bits a generic address.
void Decoder::tcgen05SharedAddress(MicroOp& op, const Operand& o)
{
    const Operand& base = part(o, 0);
    const bool narrow = base.kind == Operand::Kind::Register && registerBytes(base) == 4;
    op.space = has("shared::cta")                 ? Space::SharedCta
               : has("shared::cluster") || narrow ? Space::SharedCluster
                                                  : Space::Generic;
    address(op, o);
    if (op.frame) unsupported("address in local memory");
}

Tcgen05Info::Address Decoder::tensorAddress(const Operand& o)
{
    return {source(part(o, 0), Type::B32), static_cast<std::int32_t>(o.offset)};
}

void Decoder::tcgen05Move()
{
    const bool storing = mod(0) == "st";
    Tcgen05Info info;
    for (const char* shape : {"16x64b", "16x128b", "16x256b", "32x32b", "16x32bx2"})
        if (has(shape)) info.transfer.shape = shapeOf(shape);
    info.transfer.repeat = numberIn(word("num"));
    info.transfer.packed = has("pack::16b") || has("unpack::16b");
    const bool split = info.transfer.shape == tmem::Shape::L16x32bx2;
    if (split) info.transfer.split = static_cast<unsigned>(operand(storing ? 1 : 2).integer);
    info.d = tensorAddress(operand(storing ? 0 : 1));
    MicroOp op;
    op.tcgen05 = {storing, false};
    const std::vector<Row> rows = vectorRows(operand(!storing ? 0
                                                     : split  ? 2
                                                              : 1),
                                             Type::B32, !storing);
    if (rows.size() != info.transfer.registers()) unsupported("registers");
    op.list = rowList(rows);
    tcgen05Place(op, info, Kind::Collective, tcgen05MoveOp);
}

tmem::Modifiers Decoder::tcgen05Modifiers() const
{
    using tmem::Collector;
    using tmem::Kind;
    tmem::Modifiers m;
    m.group = has("cta_group::2") ? 2 : 1;
    m.kind = has("kind::f16")        ? Kind::F16
             : has("kind::tf32")     ? Kind::Tf32
             : has("kind::f8f6f4")   ? Kind::F8f6f4
             : has("kind::i8")       ? Kind::I8
             : has("kind::mxf8f6f4") ? Kind::Mxf8f6f4
             : has("kind::mxf4")     ? Kind::Mxf4
                                     : Kind::Mxf4nvf4;
    m.sparse = has("sp");
    m.weightStationary = has("ws");
    if (has("block_scale"))
        m.scaleVector = m.kind == Kind::Mxf8f6f4 ? 1 : hasAny({"scale_vec::4X", "block16"}) ? 4 : 2;
    m.shiftA = has("ashift");
    const std::string_view keep = word("keep");
    m.collector = keep.ends_with("fill")      ? Collector::Fill
                  : keep.ends_with("lastuse") ? Collector::LastUse
                  : keep.ends_with("use")     ? Collector::Use
                                              : Collector::Discard;
    return m;
}

void Decoder::tcgen05Multiply()
{
    Tcgen05Info info = tcgen05Info();
    tmem::Modifiers& m = info.modifiers;
    m = tcgen05Modifiers();
    if (m.weightStationary) info.collector = numberIn(word("keep"));
    info.d = tensorAddress(operand(0));
    const Operand& a = operand(1);
    m.aInside = a.kind == Operand::Kind::Address;
    if (m.aInside)
        info.a = tensorAddress(a);
    else
        info.descriptor = source(a, Type::B64);
    info.b = source(2, Type::B64);
    std::size_t next = 3;
    if (m.sparse) info.metadata = tensorAddress(operand(next++));
    info.instruction = source(next++, Type::B32);
    MicroOp op;
    if (m.scaleVector != 0) {
        info.scaleA = tensorAddress(operand(next++));
        info.scaleB = tensorAddress(operand(next++));
    } else if (operand(next).kind == Operand::Kind::Vector) {
        const std::vector<Row> rows = vectorRows(operand(next++), Type::B32, false);
        m.disableWords = static_cast<unsigned>(rows.size());
        op.list = rowList(rows);
        op.count = m.disableWords;
    }
    info.enable = predicate(operand(next++));
    if (next < operands() && m.weightStationary) {
        m.zeroColumnMask = true;
        info.zeroColumns = source(next, Type::B64);
    } else if (next < operands()) {
        m.scaleInputD = static_cast<unsigned>(operand(next).integer);
    }
    tcgen05Place(op, info, Kind::Exec, tcgen05MultiplyOp);
}

void Decoder::tcgen05Copy()
{
    using tmem::CopyShape;
    using tmem::Multicast;
    Tcgen05Info info = tcgen05Info();
    info.copy.shape = has("128x256b")   ? CopyShape::L128x256b
                      : has("128x128b") ? CopyShape::L128x128b
                      : has("64x128b")  ? CopyShape::L64x128b
                      : has("32x128b")  ? CopyShape::L32x128b
                                        : CopyShape::L4x256b;
    info.copy.multicast = has("warpx4")          ? Multicast::All
                          : has("warpx2::02_13") ? Multicast::Pairs02and13
                          : has("warpx2::01_23") ? Multicast::Pairs01and23
                                                 : Multicast::None;
    info.copy.unpack = has("b4x16_p64")   ? tmem::Unpack::Fp4
                       : has("b6x16_p32") ? tmem::Unpack::Fp6
                                          : tmem::Unpack::None;
    info.d = tensorAddress(operand(0));
    info.descriptor = source(1, Type::B64);
    tcgen05Place({}, info, Kind::Exec, tcgen05CopyOp);
}

void Decoder::tcgen05Shift()
{
    Tcgen05Info info = tcgen05Info();
    info.d = tensorAddress(operand(0));
    tcgen05Place({}, info, Kind::Exec, tcgen05ShiftOp);
}

void Decoder::tcgen05Commit()
{
    Tcgen05Info info = tcgen05Info();
    MicroOp op;
    tcgen05SharedAddress(op, operand(0));
    if (operands() > 1) info.ctaMask = source(1, Type::B16);
    tcgen05Place(op, info, Kind::Exec, tcgen05CommitOp);
}

}  // namespace gsu::exec
