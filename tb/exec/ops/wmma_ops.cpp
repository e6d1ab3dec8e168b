// wmma.load, wmma.store; ldmatrix of 8-bit elements.
#include <algorithm>
#include <array>

#include "exec/async/async_engines.hpp"
#include "exec/memory/access.hpp"
#include "exec/ops/mma_ops.hpp"
#include "exec/tensor/fragment.hpp"

namespace gsu::exec {
namespace {

using tensor::Elem;

struct Layout {
    unsigned bits{}, perRegister{},
        perLane{};               ///< of an element; elements of a register, of a lane
    unsigned lines{}, length{};  ///< contiguous lines and their elements
};

Layout layoutOf(const WmmaInfo& w)
{
    const tensor::Form& f = w.form;
    Layout l;
    l.bits = tensor::bitsOf(f.a);
    l.perRegister = l.bits == 64 ? 1 : 32 / l.bits;
    const unsigned rows = w.which == 'b' ? f.k : f.m, columns = w.which == 'a' ? f.k : f.n;
    l.perLane = rows * columns / 32;
    l.lines = w.columns ? columns : rows;
    l.length = w.columns ? rows : columns;
    return l;
}

/// Row and column of a lane's element in its matrix.
tensor::Position positionOf(const WmmaInfo& w, const Layout& l, unsigned lane, unsigned index)
{
    if (w.which == 'c') return tensor::accumulatorPosition(w.form.m, lane, index);
    const unsigned across = w.which == 'a' ? w.form.m : w.form.n;
    const tensor::Position p = tensor::packedPosition(across, l.perRegister, lane, index);
    return w.which == 'a' ? p : tensor::Position{p.column, p.row};
}

struct Where {
    std::uint64_t base{};
    std::uint64_t stride{};  ///< elements from line to line
    bool good{};
};

/// Address and stride, which must be those of all lanes.
Where whereOf(Ctx& x, const MicroOp& o, const WmmaInfo& w, const Layout& l, Lanes lanes)
{
    const auto first = static_cast<unsigned>(__builtin_ctz(lanes));
    const auto strideOf = [&](unsigned lane) {
        return w.stride == kNoRow ? l.length : x.src(w.stride)[lane] & 0xffff'ffff;
    };
    const Where r{addressOf(x, o, first), strideOf(first), true};
    bool same = true;
    eachLane(lanes, [&](unsigned lane) {
        same = same && addressOf(x, o, lane) == r.base && strideOf(lane) == r.stride;
    });
    if (!same)
        x.parts->state.findings.add(
            {"TEN-002", Severity::Error,
             "threads of a warp give a wmma load or store different addresses or strides",
             x.cta->linear, x.warp->index, lanes, o.line, x.parts->state.now()});
    return r;
}

using Values = std::vector<std::array<std::uint64_t, 32>>;  ///< of the lanes, per register

/// Fragments of f16 have every element twice.
void writeRegisters(Ctx& x, const WmmaInfo& w, const Row* rows, const Values& values, Lanes lanes)
{
    for (unsigned r = 0; r < w.registers; ++r) {
        if (rows[r] == kNoRow) continue;
        std::uint64_t* to = x.row(rows[r]);
        eachLane(lanes, [&](unsigned lane) { to[lane] = values[r % values.size()][lane]; });
    }
}

/// An element; its lowest bit is bit `shift` of its bytes.
std::uint64_t elementOf(const Place& place, const Layout& l, unsigned bytes, unsigned shift)
{
    std::uint64_t raw = 0;
    std::memcpy(&raw, place.bytes, bytes);
    raw >>= shift;
    return l.bits < 64 ? raw & ((1ull << l.bits) - 1) : raw;
}

template <bool Store> void move(Ctx& x, const MicroOp& o, Lanes lanes)
{
    checkWhole(x, o, lanes, Store ? "wmma.store" : "wmma.load");
    const WmmaInfo& w = x.parts->program.wmmas[o.extra];
    const Layout l = layoutOf(w);
    const Where at = whereOf(x, o, w, l, lanes);
    const Row* rows = x.parts->program.rows.data() + o.list;
    const unsigned bytes = std::max(l.bits / 8, 1u);
    StoreRun run(x, o, lanes);
    x.parts->memory.late().settleWarp(*x.warp);  // elements belong to other lanes than their stores
    Values values(l.perLane / l.perRegister);    // zero
    eachLane(lanes, [&](unsigned lane) {
        for (unsigned i = 0; i < l.perLane; ++i) {
            const tensor::Position p = positionOf(w, l, lane, i);
            const std::uint64_t line = w.columns ? p.column : p.row;
            const std::uint64_t element = line * at.stride + (w.columns ? p.row : p.column);
            // Sub-byte elements lie along their lines: eight bits at a time.
            const unsigned shift = static_cast<unsigned>(element * l.bits % 8);
            if (x.fault.lanes != 0) return;
            const Place place = access(x, o.space, at.base + element * l.bits / 8, bytes, lane,
                                       Store ? "wmma.store" : "wmma.load");
            if (place.bytes == nullptr) return;
            const unsigned low = i % l.perRegister * l.bits;
            if constexpr (Store) {
                const std::uint64_t raw = x.src(rows[i / l.perRegister])[lane] >> low;
                x.parts->memory.late().beforeWrite(*x.cta, place, at.base + element * l.bits / 8,
                                                   bytes);
                x.parts->memory.write(place, &raw, bytes);
                run.add(place, bytes);
            } else {
                if (place.owner != nullptr && place.owner->landing != 0)
                    x.parts->async.readsLanding(x, o, place, bytes, lane);
                values[i / l.perRegister][lane] |= elementOf(place, l, bytes, shift) << low;
            }
        }
    });
    if (Store || x.fault.lanes != 0) return;
    writeRegisters(x, w, rows, values, lanes);
}

/// One line of 16 elements in memory, a byte each.
std::array<std::uint8_t, 16> lineOf(MatrixForm form, const std::uint8_t* bytes)
{
    std::array<std::uint8_t, 16> line{};
    const bool six = form == MatrixForm::M16n16B6 || form == MatrixForm::M8n16B6;
    const bool four = form == MatrixForm::M16n16B4 || form == MatrixForm::M8n16B4;
    for (unsigned i = 0; i < 16; ++i) {
        if (!six && !four) {
            line[i] = bytes[i];
            continue;
        }
        const unsigned bits = six ? 6 : 4, at = i * bits;
        const unsigned pair = bytes[at / 8] | static_cast<unsigned>(bytes[at / 8 + 1]) << 8;
        line[i] = static_cast<std::uint8_t>(pair >> at % 8 & ((1u << bits) - 1));
    }
    return line;
}

}  // namespace

void wmmaLoadOp(Ctx& x, const MicroOp& o, Lanes lanes) { move<false>(x, o, lanes); }
void wmmaStoreOp(Ctx& x, const MicroOp& o, Lanes lanes) { move<true>(x, o, lanes); }

/// m16n16: line r of matrix m at the address of lane 16 m + r, transposed: byte e of register 2 m + h of lane l is element
/// l / 4 + 8 (e / 2) of line 4 (l % 4) + 2 h + e % 2. m8n16: line r at the address of lane 8 m + r, register m as it is.
void ldmatrixBytesOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    checkWhole(x, o, lanes, "ldmatrix");
    const auto form = o.matrix.form;
    const bool transposed = form != MatrixForm::M8n16B6 && form != MatrixForm::M8n16B4;
    const unsigned height = transposed ? 16 : 8;
    const auto giving = static_cast<Lanes>((1ull << height * o.matrix.count) - 1);
    std::array<std::array<std::uint8_t, 16>, 32> line{};
    eachLane(lanes & giving, [&](unsigned l) {
        const Place p = access(x, o.space, addressOf(x, o, l), 16, l, "ldmatrix");
        if (p.bytes == nullptr) return;
        if (p.owner != nullptr && p.owner->landing != 0)
            x.parts->async.readsLanding(x, o, p, 16, l);
        line[l] = lineOf(form, p.bytes);
    });
    if (x.fault.lanes != 0) return;
    const Row* rows = x.parts->program.rows.data() + o.list;
    const unsigned registers = o.matrix.count * (transposed ? 2 : 1);
    for (unsigned r = 0; r < registers; ++r) {
        if (rows[r] == kNoRow) continue;
        std::uint64_t* to = x.row(rows[r]);
        eachLane(lanes, [&](unsigned l) {
            std::uint32_t value = 0;
            for (unsigned e = 0; e < 4; ++e) {
                const unsigned across = 16 * (r / 2) + 4 * (l % 4) + 2 * (r % 2) + e % 2;
                const std::uint8_t byte = transposed ? line[across][l / 4 + 8 * (e / 2)]
                                                     : line[8 * r + l / 4][4 * (l % 4) + e];
                value |= std::uint32_t{byte} << (8 * e);
            }
            to[l] = value;
        });
    }
}

/// m16n8 transposed: line r of matrix m, 16 bytes, at the address of lane 8 m + r; byte e of register m of lane l is element l / 4 + 8 (e / 2)
/// of line 2 (l % 4) + e % 2: the places of an accumulator.
void stmatrixBytesOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    checkWhole(x, o, lanes, "stmatrix");
    Memory& memory = x.parts->memory;
    memory.late().settleWarp(*x.warp);
    StoreRun run(x, o, lanes);
    Place places[32];
    eachLane(lanes & static_cast<Lanes>((1ull << 8 * o.matrix.count) - 1), [&](unsigned l) {
        places[l] = access(x, o.space, addressOf(x, o, l), 16, l, "stmatrix");
        if (places[l].bytes != nullptr)
            memory.late().beforeWrite(*x.cta, places[l], addressOf(x, o, l), 16);
    });
    if (x.fault.lanes != 0) return;
    const Row* rows = x.parts->program.rows.data() + o.list;
    for (unsigned m = 0; m < o.matrix.count; ++m) {
        const std::uint64_t* from = x.src(rows[m]);
        eachLane(lanes, [&](unsigned l) {
            for (unsigned e = 0; e < 4; ++e) {
                Place at = places[8 * m + 2 * (l % 4) + e % 2];
                if (at.bytes == nullptr) continue;
                at.bytes += l / 4 + 8 * (e / 2);
                const auto byte = static_cast<std::uint8_t>(from[l] >> (8 * e));
                memory.write(at, &byte, 1);
            }
        });
        for (unsigned r = 0; r < 8; ++r) {
            const Place& line = places[8 * m + r];
            if (line.bytes != nullptr) run.add(line, 16);
        }
    }
}

}  // namespace gsu::exec
