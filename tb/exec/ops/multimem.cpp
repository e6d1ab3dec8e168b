// multimem.ld_reduce, .st and .red: one address, several copies of memory (PTX ISA, multimem operations).
#include "exec/memory/access.hpp"
#include "exec/ops/mem_ops.hpp"
#include "exec/tensor/half.hpp"

namespace gsu::exec {
namespace {

using ptx::Type;

/// The bytes of every copy at a lane's address; empty after a fault.
std::vector<std::uint8_t*> copiesAt(Ctx& x, std::uint64_t address, unsigned bytes, unsigned lane)
{
    const RunParts& m = *x.parts;
    const char* why = "not multimem memory";
    const bool aligned = (address & (bytes - 1)) == 0;
    for (const DeviceMemory::Multimem& one : m.device.multimem) {
        if (address < one.base || address - one.base >= one.bytes) continue;
        const std::uint64_t offset = address - one.base;
        why = bytes > one.bytes - offset ? "reaches beyond the multimem memory"
              : aligned                  ? nullptr
                                         : "not aligned to the size";
        if (why != nullptr) break;
        std::vector<std::uint8_t*> list;
        for (const std::uint64_t copy : one.copies)
            list.push_back(m.device.global.find(copy + offset, bytes));
        return list;
    }
    faultLane(x, lane, "GEN-002", m.memory.text("multimem access", address, bytes, why),
              aligned ? TrapKind::Access : TrapKind::Misaligned);
    return {};
}

void write(const RunParts& m, std::uint8_t* to, const void* from, unsigned bytes)
{
    Place p;
    p.bytes = to;
    p.where = Place::Where::Global;
    if (m.state.part != nullptr) m.state.part->giveUp("a store to several devices");
    m.memory.write(p, from, bytes);
}

/// Halves that are summed in f32 and rounded once.
std::uint64_t wideSum(const std::vector<std::uint8_t*>& copies, unsigned at, unsigned bytes,
                      bool brain)
{
    std::uint64_t result = 0;
    for (unsigned half = 0; half < bytes; half += 2) {
        float sum = 0;
        for (std::size_t i = 0; i < copies.size(); ++i) {
            std::uint16_t h = 0;
            std::memcpy(&h, copies[i] + at + half, 2);
            const float v = brain ? floatOfBfloat(h) : floatOfHalf(h);
            sum = i == 0 ? v : sum + v;
        }
        result |= std::uint64_t{brain ? bfloatOf(sum) : halfOf(sum)} << (8 * half);
    }
    return result;
}

}  // namespace

void multimemLoadOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const Row* rows = x.parts->program.rows.data() + o.list;
    x.parts->memory.late().settleAll();  // acts on memory itself
    const auto type = o.multimem.type;
    eachLane(lanes, [&](unsigned l) {
        const auto copies = copiesAt(x, addressOf(x, o, l), o.bytes * o.lanesOf, l);
        for (unsigned e = 0; e < o.lanesOf && !copies.empty(); ++e) {
            std::uint64_t sum = 0;
            for (std::size_t i = 0; i < copies.size(); ++i) {
                std::uint64_t v = 0;
                std::memcpy(&v, copies[i] + e * o.bytes, o.bytes);
                sum = i == 0 ? v : atomValue(o.multimem.kind, type, sum, v, 0, true);
            }
            if (o.multimem.wide)
                sum = wideSum(copies, e * o.bytes, o.bytes,
                              type == Type::BF16 || type == Type::BF16x2);
            if (rows[e] != kNoRow) x.row(rows[e])[l] = sum;
        }
    });
}

void multimemStoreOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const Row* rows = x.parts->program.rows.data() + o.list;
    x.parts->memory.late().settleAll();  // acts on memory itself
    eachLane(lanes, [&](unsigned l) {
        for (std::uint8_t* copy : copiesAt(x, addressOf(x, o, l), o.bytes * o.lanesOf, l)) {
            for (unsigned e = 0; e < o.lanesOf; ++e) {
                const std::uint64_t value = x.src(rows[e])[l];
                write(*x.parts, copy + e * o.bytes, &value, o.bytes);
            }
        }
    });
}

void multimemReduceOp(Ctx& x, const MicroOp& o, Lanes lanes)
{
    const Row* rows = x.parts->program.rows.data() + o.list;
    x.parts->memory.late().settleAll();  // acts on memory itself
    eachLane(lanes, [&](unsigned l) {
        for (std::uint8_t* copy : copiesAt(x, addressOf(x, o, l), o.bytes * o.lanesOf, l)) {
            for (unsigned e = 0; e < o.lanesOf; ++e) {
                std::uint64_t old = 0;
                std::memcpy(&old, copy + e * o.bytes, o.bytes);
                const std::uint64_t next =
                    atomValue(o.multimem.kind, o.multimem.type, old, x.src(rows[e])[l], 0, true);
                write(*x.parts, copy + e * o.bytes, &next, o.bytes);
            }
        }
    });
}

}  // namespace gsu::exec
