// mov in all its forms, and conversions between address spaces.
#include <fmt/format.h>

#include "exec/alu/wide_host.hpp"
#include "exec/decode/decoder.hpp"
#include "exec/memory/access.hpp"
#include "exec/ops/mem_ops.hpp"

namespace gsu::exec {
namespace {

constexpr unsigned kMaxElements = 8;  ///< of a vector operand

/// {a, b, ...} -> d.
void packOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const Row* rows = x.parts->program.rows.data() + o.list;
    std::uint64_t* d = x.row(o.d);
    eachLane(lanes, [&](unsigned l) {
        std::uint64_t v = 0;
        for (std::uint32_t i = 0; i < o.count; ++i)
            v |= x.src(rows[i])[l] << (8 * o.elementBytes * i);
        d[l] = v;
    });
}

void unpackOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const Row* rows = x.parts->program.rows.data() + o.list;
    const std::uint64_t* a = x.src(o.a);
    const std::uint64_t mask = o.elementBytes >= 8 ? ~0ull : (1ull << 8 * o.elementBytes) - 1;
    eachLane(lanes, [&](unsigned l) {
        const std::uint64_t v = a[l];
        for (std::uint32_t i = 0; i < o.count; ++i) {
            if (rows[i] != kNoRow) x.row(rows[i])[l] = v >> (8 * o.elementBytes * i) & mask;
        }
    });
}

/// {a, b, ...} -> {d, e, ...}: rows[list..) are the sources, then the destinations. A destination may be a later source.
void vectorMoveOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const Row* from = x.parts->program.rows.data() + o.list;
    const Row* to = from + o.count;
    eachLane(lanes, [&](unsigned l) {
        std::array<std::uint64_t, kMaxElements> values;
        for (std::uint32_t i = 0; i < o.count; ++i) values[i] = x.src(from[i])[l];
        for (std::uint32_t i = 0; i < o.count; ++i)
            if (to[i] != kNoRow) x.row(to[i])[l] = values[i];
    });
}

/// d = a + offset (to generic), d = a - offset (from generic), truncated to the bytes of an address.
void windowOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t* a = x.src(o.a);
    const std::uint64_t mask = o.elementBytes >= 8 ? ~0ull : 0xffff'ffffull;
    const auto offset = static_cast<std::uint64_t>(o.offset);
    eachCell(lanes, [=](unsigned l) { d[l] = (a[l] + offset) & mask; });
}

void isspacepOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const std::uint64_t* a = x.src(o.a);
    Lanes yes = 0;
    eachLane(lanes, [&](unsigned l) {
        const std::uint64_t at = a[l];
        const bool shared = inWindow(at, kSharedWindow);
        const std::uint32_t own = x.cta->launch.rank;
        bool r = false;
        switch (o.space) {
            case ptx::Space::SharedCta:
                r = shared && x.parts->program.rankOf(at, own) == own;
                break;
            case ptx::Space::SharedCluster: r = shared; break;
            case ptx::Space::Local: r = inWindow(at, kLocalWindow); break;
            case ptx::Space::Const: r = inWindow(at, kConstWindow); break;
            case ptx::Space::Param: r = inWindow(at, kParamWindow); break;
            default:
                r = !shared && !inWindow(at, kLocalWindow) && !inWindow(at, kConstWindow) &&
                    !inWindow(at, kParamWindow);
                break;  // global
        }
        yes |= r ? 1u << l : 0;
    });
    x.setPred(o.pd, lanes, yes);
}

/// mapa: keeps the offset, sets the rank (D-66); a rank outside the cluster is reported (NVVM-009).
void mapaOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t *a = x.src(o.a), *b = x.src(o.b);
    Lanes bad = 0;
    eachLane(lanes, [&](unsigned l) {
        const auto rank = static_cast<std::uint32_t>(b[l]);
        const bool outside = rank >= x.cta->launch.ctas;
        bad |= outside ? 1u << l : 0;
        const std::uint64_t field = outside ? 0xff : x.parts->program.rankField(rank);
        d[l] = (a[l] & ~0xff00'0000ull) | field << 24;
    });
    if (bad == 0) return;
    report(x, o, "NVVM-009", Severity::Error,
           fmt::format("mapa with a rank outside the cluster of {} CTAs", x.cta->launch.ctas), bad);
}

void getctarankOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t* a = x.src(o.a);
    eachLane(lanes, [&](unsigned l) { d[l] = x.parts->program.rankOf(a[l], x.cta->launch.rank); });
}

/// The address of one of the CTA's own variables in shared memory: offset.
void ownAddressOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    std::uint64_t* d = x.row(o.d);
    const std::uint64_t at =
        static_cast<std::uint64_t>(o.offset) | std::uint64_t{x.cta->launch.rank} << 24;
    eachLane(lanes, [&](unsigned l) { d[l] = at; });
}

std::uint64_t windowOf(ptx::Space s)
{
    switch (s) {
        case ptx::Space::SharedCta:
        case ptx::Space::SharedCluster: return kSharedWindow;
        case ptx::Space::Local: return kLocalWindow;
        case ptx::Space::Param: return kParamWindow;
        case ptx::Space::Const: return kConstWindow;
        case ptx::Space::Generic:
        case ptx::Space::Global:
        case ptx::Space::Reg: return 0;
    }
    return 0;
}

}  // namespace

/// Components of a special register, or a vector of registers to another.
void Decoder::movVectors(const Operand& to, const Operand& from, Type t)
{
    static constexpr std::array<const char*, 4> parts{".x", ".y", ".z", ".w"};
    if (from.kind == Operand::Kind::Special) {
        for (std::size_t i = 0; i < std::min(parts.size(), to.elements.size()); ++i) {
            Operand part = from;
            part.name += parts[i];
            const Row a = source(part, t);
            if (to.elements[i].kind == Operand::Kind::Sink) continue;
            MicroOp& op = emit(Kind::Exec, moveOp);
            op.a = a;
            op.d = destination(to.elements[i]);
        }
        return;
    }
    const auto n = static_cast<unsigned>(to.elements.size());
    if (n == 0 || n > kMaxElements || from.elements.size() != n) unsupported("vector length");
    if (sizeOf(t) > 8) unsupported("vector of 128-bit elements");
    std::vector<Row> rows = vectorRows(from, t, false);
    const std::vector<Row> targets = vectorRows(to, t, true);
    rows.insert(rows.end(), targets.begin(), targets.end());
    MicroOp& op = emit(Kind::Exec, vectorMoveOp);
    op.list = rowList(rows);
    op.count = n;
}

/// Packs a vector into a register, or takes one apart.
void Decoder::movPacked(const Operand& to, const Operand& from, Type t)
{
    const bool unpacks = to.kind == Operand::Kind::Vector;
    const Operand& v = unpacks ? to : from;
    const auto n = static_cast<unsigned>(v.elements.size());
    if (n == 0 || n > kMaxElements) unsupported("vector length");
    const unsigned bytes = sizeOf(t) / n;
    if (bytes == 0) unsupported();
    const Type element = bytes == 8   ? Type::B64
                         : bytes == 4 ? Type::B32
                         : bytes == 2 ? Type::B16
                                      : Type::B8;
    const std::vector<Row> rows = vectorRows(v, element, unpacks);
    // A value of 128 bits is a pair of 64-bit cells: two elements, or four halves of them.
    const unsigned cells = sizeOf(t) == 16 ? 2 : 1;
    const Row whole = unpacks ? source(from, t) : destination(to, t);
    for (unsigned cell = 0; cell < cells; ++cell) {
        const std::vector<Row> part(rows.begin() + cell * n / cells,
                                    rows.begin() + (cell + 1) * n / cells);
        MicroOp& op = emit(Kind::Exec, unpacks ? unpackOp : packOp);
        (unpacks ? op.a : op.d) = whole + static_cast<Row>(cell);
        op.list = rowList(part);
        op.count = n / cells;
        op.elementBytes = static_cast<std::uint8_t>(bytes);
    }
}

void Decoder::mov()
{
    if (has("pred")) return predicateLogic();
    const Type t = type();
    const Operand &to = operand(0), &from = operand(1);
    const bool into = to.kind == Operand::Kind::Vector, out = from.kind == Operand::Kind::Vector;
    if (into && (out || from.kind == Operand::Kind::Special)) return movVectors(to, from, t);
    if (into || out) return movPacked(to, from, t);
    const Row a = source(from, t);
    for (unsigned half = 0; half < (sizeOf(t) == 16 ? 2u : 1u); ++half) {
        MicroOp& op = emit(Kind::Exec, moveOp);
        op.a = a + static_cast<Row>(half);
        op.d = destination(to, t) + static_cast<Row>(half);
    }
}

void Decoder::cvta()
{
    const Space space = spaceOf(Space::Generic);
    const Type t = type();
    const Row a = source(1, t);
    std::uint64_t window = windowOf(space);
    // Kernel parameters and variables of a function live in its frame, which the local window shows.
    if (space == Space::Param && operand(1).kind == Operand::Kind::Symbol) {
        const auto place = symbol(operand(1).name);
        if (place && place->frame) window = kLocalWindow;
    }
    MicroOp& op = emit(Kind::Exec, windowOp);
    op.d = destination(0);
    op.a = a;
    op.offset = static_cast<std::int64_t>(has("to") ? 0 - window : window);
    op.elementBytes = static_cast<std::uint8_t>(sizeOf(t));
}

void Decoder::isspacep()
{
    const Row a = source(1, Type::B64);
    MicroOp& op = emit(Kind::Exec, isspacepOp);
    op.a = a;
    op.pd = predicateDst(operand(0));
    op.space = spaceOf(Space::Global);
}

/// A row with the address of a variable in shared memory, where it depends on the CTA.
Row Decoder::ownAddress(std::uint64_t offset)
{
    const Row row = temp();
    MicroOp& op = emit(Kind::Exec, ownAddressOp);
    op.d = row;
    op.offset = static_cast<std::int64_t>(offset);
    return row;
}

void Decoder::mapa()
{
    const Row a = source(needed(ptx::SyncField::Data), sync_->type),
              b = source(needed(ptx::SyncField::Rank), Type::U32);
    MicroOp& op = emit(Kind::Exec, mapaOp);
    op.d = destination(needed(ptx::SyncField::Result));
    op.a = a;
    op.b = b;
}

void Decoder::getctarank()
{
    const Row a = source(1, type());
    MicroOp& op = emit(Kind::Exec, getctarankOp);
    op.d = destination(0);
    op.a = a;
}

}  // namespace gsu::exec
