#include "exec/decode/joined_accesses.hpp"

#include <algorithm>
#include <bit>
#include <set>

#include "exec/decode/instruction_facts.hpp"

namespace gsu::exec {
namespace {

using ptx::Operand;

bool isShared(const ptx::Instruction& in)
{
    return hasModifier(in, "shared") || hasModifier(in, "shared::cta");
}

bool isElsewhere(const ptx::Instruction& in)
{
    return std::ranges::any_of(in.modifiers, [](const std::string& m) {
        return m == "global" || m == "local" || m == "const" || m.starts_with("param");
    });
}

unsigned bytesOf(const ptx::Instruction& in)
{
    const auto type = in.modifiers.empty() ? std::nullopt : ptx::typeOf(in.modifiers.back());
    return (type ? ptx::sizeOf(*type) : 0) * (hasModifier(in, "v2")   ? 2
                                              : hasModifier(in, "v4") ? 4
                                                                      : 1);
}

bool isWeak(const ptx::Instruction& in)
{
    return std::ranges::none_of(in.modifiers, [](const std::string& m) {
        return m == "volatile" || m == "relaxed" || m == "acquire" || m == "release" || m == "mmio";
    });
}

}  // namespace

JoinedAccesses::JoinedAccesses(const ptx::Function& function)
    : known_(function), all_(function.body.size())
{
    std::set<std::uint32_t> labels;
    for (const ptx::Label& l : function.labels) labels.insert(l.target);
    const auto endBoth = [this] {
        end(false);
        end(true);
    };
    for (std::uint32_t i = 0; i < function.body.size(); ++i) {
        const ptx::Instruction& in = function.body[i];
        if (labels.contains(i)) endBoth();
        switch (effectOf(in)) {
            case Effect::Ends: endBoth(); break;
            case Effect::Loads:
                end(true);
                access(in, i, false);
                break;
            case Effect::Stores:
                end(false);
                access(in, i, true);
                break;
            case Effect::None: break;
        }
        if (in.operands.empty() || in.operands.front().kind == Operand::Kind::Address) continue;
        const Operand& to = in.operands.front();
        if (to.kind == Operand::Kind::Register) ++written_[to.index];
        for (const Operand& element : to.elements)
            if (element.kind == Operand::Kind::Register) ++written_[element.index];
    }
    endBoth();
}

JoinedAccesses::Effect JoinedAccesses::effectOf(const ptx::Instruction& in)
{
    const std::string& name = in.opcode;
    const bool load = name == "ld" || name == "ldu" || name == "ldmatrix";
    if (load || name == "st") {
        if (isElsewhere(in)) return Effect::None;
        return load ? Effect::Loads : Effect::Stores;
    }
    static const std::set<std::string_view> kAtomics{"multimem", "red", "atom"};
    if (kAtomics.contains(name) && isElsewhere(in)) return Effect::None;
    return endsBlock(in) ? Effect::Ends : Effect::None;
}

/// Notes an access that may become a part of another one.
void JoinedAccesses::access(const ptx::Instruction& in, std::uint32_t index, bool store)
{
    const unsigned bytes = bytesOf(in);
    if (in.opcode == "ldmatrix" || !isShared(in) || !isWeak(in) || in.guard.reg != ptx::kNone)
        return;
    const auto address = std::ranges::find(in.operands, Operand::Kind::Address, &Operand::kind);
    if (address == in.operands.end() || address->elements.size() != 1) return;
    const Operand& base = address->elements.front();
    const LowBits low = known_.of(base);
    constexpr unsigned kHalf = kMost / 2;
    const unsigned unit = 1u << low.aligned();
    if (unit < kHalf || bytes < kWord || bytes >= unit) return;
    const std::int64_t at = low.bits + address->offset;
    const std::int64_t size = unit, place = (at >= 0 ? at : at - size + 1) / size;
    const auto within = static_cast<unsigned>(at - place * size);
    if (within % bytes != 0) return;
    const Unit wanted{store, base, written_[base.index], place, unit, {}};
    auto found = std::ranges::find_if(open_, [&](const Unit& u) {
        return u.store == store && u.base.kind == base.kind && u.base.index == base.index &&
               u.base.name == base.name && u.version == wanted.version && u.place == place;
    });
    if (found == open_.end()) found = open_.insert(open_.end(), wanted);
    found->pieces.push_back({index, at, ((1u << bytes / kWord) - 1) << within / kWord});
}

void JoinedAccesses::end(bool store)
{
    for (const Unit& unit : open_)
        if (unit.store == store) join(unit);
    std::erase_if(open_, [store](const Unit& unit) { return unit.store == store; });
}

void JoinedAccesses::join(const Unit& unit)
{
    constexpr unsigned kLow = 3, kHigh = 12, kAll = 15;  // words of a half, and of both
    unsigned words = 0;
    for (const Piece& p : unit.pieces) words |= p.words;
    if (words == kAll || (!unit.store && std::popcount(words) == 3)) return join(unit, kAll);
    for (const unsigned half : {kLow, kHigh})
        if ((words & half) == half) join(unit, half);
}

/// Makes the pieces that lie in these words one.
void JoinedAccesses::join(const Unit& unit, unsigned words)
{
    std::vector<Piece> parts;
    std::ranges::copy_if(unit.pieces, std::back_inserter(parts),
                         [words](const Piece& p) { return (p.words & words) != 0; });
    if (parts.size() < 2) return;
    if (unit.store) std::ranges::reverse(parts);
    for (const Piece& p : parts) all_[p.instruction].part = JoinedAccess::Part::Within;
    const Piece& first = parts.front();
    JoinedAccess& whole = all_[first.instruction];
    whole.part = JoinedAccess::Part::Whole;
    whole.bytes = static_cast<std::uint8_t>(std::popcount(words) * kWord);
    const std::int64_t begin = unit.place * unit.bytes + std::countr_zero(words) * kWord;
    whole.shift = static_cast<std::int8_t>(begin - first.at);
    for (const Piece& p : std::span(parts).subspan(1)) whole.others.push_back(p.instruction);
}

}  // namespace gsu::exec
