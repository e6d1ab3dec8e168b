// Finds the form and the decoded fields of an instruction.
#include <algorithm>
#include <unordered_map>

#include "ptx/isa_form.hpp"
#include "ptx/row_text.hpp"
#include "ptx/sync_decode.hpp"

namespace gsu::ptx {
namespace {

const FormsByOpcode<SyncForm>::List& formsOf(std::string_view opcode)
{
    static const FormsByOpcode<SyncForm> index(syncForms());
    return index.of(opcode);
}

/// The number of modifiers from `at` on that spell `value` ("async.global" takes two); 0 when they do not.
std::size_t spells(const std::vector<std::string>& modifiers, std::size_t at,
                   std::string_view value)
{
    std::size_t used = 0;
    while (at + used < modifiers.size()) {
        const std::string& word = modifiers[at + used];
        if (value.substr(0, word.size()) != word) return 0;
        ++used;
        if (value.size() == word.size()) return used;
        if (value[word.size()] != '.') return 0;
        value.remove_prefix(word.size() + 1);
    }
    return 0;
}

struct Take {
    std::size_t qualifier{};
    int value{};
    std::size_t words{};
};

/// The open qualifier that takes the most words at `at`.
Take bestTake(const SyncForm& form, const QualifierMatch& match,
              const std::vector<std::string>& modifiers, std::size_t at)
{
    Take best;
    for (std::size_t q = 0; q < form.qualifiers.size(); ++q) {
        if (match.value[q] >= 0) continue;
        const auto& values = form.qualifiers[q].values;
        for (std::size_t v = 0; v < values.size(); ++v) {
            const std::size_t words = spells(modifiers, at, values[v]);
            if (words > best.words) best = {q, static_cast<int>(v), words};
        }
    }
    return best;
}

/// Distance of the operands from those of the form; 0 when number and shapes fit.
unsigned operandDistance(const DecodedSync& decoded, const Instruction& instruction)
{
    const std::size_t count = instruction.operands.size();
    unsigned distance = 0;
    if (count < decoded.least) distance += static_cast<unsigned>(10 * (decoded.least - count));
    if (count > decoded.most) distance += static_cast<unsigned>(10 * (count - decoded.most));
    for (std::size_t i = 0; i < decoded.row->operands.size(); ++i) {
        if (decoded.slot[i] < 0) continue;
        const std::string& wants = decoded.row->operands[i].kind;
        const Operand::Kind kind =
            instruction.operands[static_cast<std::size_t>(decoded.slot[i])].kind;
        const bool address = wants.size() > 2 && wants.compare(wants.size() - 3, 3, "mem") == 0;
        if (wants != "any" && address != (kind == Operand::Kind::Address)) ++distance;
        if (wants == "sink" && kind != Operand::Kind::Sink) ++distance;
    }
    return distance;
}

/// Whether many forms share the word: ordering, place or type.
bool isCommon(std::string_view word) noexcept
{
    const detail::WordKind kind = detail::wordKindOf(word);
    return kind != detail::WordKind::Vector && kind != detail::WordKind::Other && word != "warp";
}

}  // namespace

bool isSyncOpcode(const Instruction& instruction) noexcept
{
    const auto& mine = formsOf(instruction.opcode);
    if (mine.empty()) return false;
    const auto& others = isaFormsOf(instruction.opcode);
    if (others.empty()) return true;
    // Both tables have the opcode: the longer name decides.
    const auto& words = instruction.modifiers;
    std::size_t here = 0, there = 0;
    bool bare = false;
    for (const SyncForm* form : mine) {
        std::size_t n = 0;
        while (n < form->stem && n < words.size() && words[n] == form->qualifiers[n].values[0]) ++n;
        here = std::max(here, n);
    }
    for (const IsaForm* form : others) {
        const auto ends =
            std::mismatch(form->stem.begin(), form->stem.end(), words.begin(), words.end());
        there = std::max(there, static_cast<std::size_t>(ends.first - form->stem.begin()));
        bare |= form->stem.empty();
    }
    return here == there ? here != 0 || !bare : here > there;
}

namespace {

/// Whether types are in the order of the row, wherever they are.
bool typesInOrder(const SyncForm& form, const std::vector<std::string>& modifiers)
{
    std::size_t at = 0;
    for (const FormQualifier& q : form.qualifiers) {
        if (!typeOf(q.values[0])) continue;
        const auto found = std::find(modifiers.begin() + static_cast<std::ptrdiff_t>(at),
                                     modifiers.end(), q.values[0]);
        if (found == modifiers.end()) return false;
        at = static_cast<std::size_t>(found - modifiers.begin());
    }
    return true;
}

/// Whether words that the reference does not permute, although they are no stem, keep their order: .cta and .red of CTA barriers, the two
/// spaces of a copy.
bool keepsReferenceOrder(const SyncForm& form, const QualifierMatch& match,
                         const std::vector<std::string>& modifiers)
{
    const std::size_t none = modifiers.size();
    const auto place = [&](std::string_view word) {
        return static_cast<std::size_t>(std::find(modifiers.begin(), modifiers.end(), word) -
                                        modifiers.begin());
    };
    const auto word = [&](const std::string& name) -> std::string_view {
        for (std::size_t q = 0; q < form.qualifiers.size(); ++q) {
            if (form.qualifiers[q].name == name && match.value[q] >= 0)
                return form.qualifiers[q].values[static_cast<std::size_t>(match.value[q])];
        }
        return {};
    };
    if (!form.to.empty()) return place(word(form.to)) <= place(word(form.from));
    if (form.family == SyncFamily::QueryCancel) return typesInOrder(form, modifiers);
    if (form.family != SyncFamily::NamedBarrier) return true;
    const std::size_t cta = place("cta");
    const std::size_t red = place("red");
    if (cta != none && cta != 0) return false;
    const std::size_t arrive = place("arrive");
    if (arrive != none && arrive != (cta == none ? 0u : 1u)) return false;
    return red == none || red == (cta == none ? 0u : 1u);
}

}  // namespace

QualifierMatch matchQualifiers(const SyncForm& form, const Instruction& instruction)
{
    QualifierMatch match;
    const auto& modifiers = instruction.modifiers;
    match.value.assign(form.qualifiers.size(), -1);
    match.stemOk = true;
    std::size_t at = 0;
    for (; at < form.stem; ++at) {
        if (at >= modifiers.size() || modifiers[at] != form.qualifiers[at].values[0]) {
            match.stemOk = at >= form.referenceStem;
            match.stemPrinted = match.printedOrder = false;
            break;
        }
        match.value[at] = 0;
    }
    std::size_t last = 0;
    while (at < modifiers.size()) {
        const Take take = bestTake(form, match, modifiers, at);
        if (take.words == 0) {
            match.extra.push_back(at++);
            continue;
        }
        match.value[take.qualifier] = take.value;
        if (take.qualifier < last) match.printedOrder = false;
        last = take.qualifier;
        at += take.words;
    }
    for (std::size_t q = 0; q < form.qualifiers.size(); ++q) {
        if (match.value[q] < 0 && !form.qualifiers[q].optional) match.missing.push_back(q);
    }
    match.stemOk = match.stemOk && keepsReferenceOrder(form, match, modifiers);
    return match;
}

namespace {

/// Forms whose qualifiers fit a mnemonic; every instruction with this mnemonic shares the list. A module has few distinct mnemonics.
const std::vector<SyncMatch>& matchesOf(const Instruction& instruction)
{
    constexpr std::size_t kMost = 4096;  // hostile input must not fill the memory
    thread_local std::unordered_map<std::string, std::vector<SyncMatch>> known;
    thread_local std::string key;
    key = instruction.opcode;
    for (const std::string& m : instruction.modifiers) (key += '.') += m;
    if (const auto at = known.find(key); at != known.end()) return at->second;
    if (known.size() >= kMost) known.clear();
    std::vector<SyncMatch>& list = known[key];
    for (const SyncForm* form : formsOf(instruction.opcode)) {
        QualifierMatch match = matchQualifiers(*form, instruction);
        if (!match.ok()) continue;
        const DecodedSync decoded = detail::decodeQualifiers(*form, match);
        list.push_back({form, std::move(match), decoded});
    }
    return list;
}

}  // namespace

const SyncMatch* matchSync(const Instruction& instruction)
{
    if (formsOf(instruction.opcode).empty()) return nullptr;
    const SyncMatch* best = nullptr;
    unsigned bestDistance = 0;
    for (const SyncMatch& match : matchesOf(instruction)) {
        DecodedSync decoded = match.decoded;
        detail::placeOperands(decoded, match.qualifiers, instruction.operands.size());
        const unsigned distance = operandDistance(decoded, instruction);
        if (best == nullptr || distance < bestDistance) {
            best = &match;
            bestDistance = distance;
        }
    }
    return best;
}

const SyncForm* nearestSync(const Instruction& instruction)
{
    const SyncForm* best = nullptr;
    int bestDistance = 0;
    for (const SyncForm* form : formsOf(instruction.opcode)) {
        const QualifierMatch match = matchQualifiers(*form, instruction);
        // Words of the stem show best which form was meant; then words that only one form has.
        int distance = 40 * static_cast<int>(match.missing.size());
        for (const std::size_t m : match.extra)
            distance += isCommon(instruction.modifiers[m]) ? 30 : 100;
        for (std::size_t w = 0; w < form->stem && w < instruction.modifiers.size(); ++w) {
            if (instruction.modifiers[w] != form->qualifiers[w].values[0]) break;
            distance -= 150;
        }
        DecodedSync decoded = detail::decodeQualifiers(*form, match);
        detail::placeOperands(decoded, match, instruction.operands.size());
        distance += static_cast<int>(std::min(operandDistance(decoded, instruction), 19u));
        if (best == nullptr || distance < bestDistance) {
            best = form;
            bestDistance = distance;
        }
    }
    return best;
}

std::optional<Instruction> withoutIgnored(const Instruction& i)
{
    if (!isSyncOpcode(i) || matchSync(i) != nullptr) return std::nullopt;
    Instruction rest = i;
    bool synced = false;
    std::erase_if(rest.modifiers, [&](const std::string& word) {
        const bool again = word == "sync" && synced;
        synced |= word == "sync";
        return again || referenceIgnores(word);
    });
    if (rest.modifiers.size() == i.modifiers.size()) return std::nullopt;
    return rest;
}

std::optional<DecodedSync> decodeSync(const Instruction& instruction)
{
    const SyncMatch* match = matchSync(instruction);
    if (match == nullptr) return std::nullopt;
    DecodedSync d = match->decoded;
    detail::placeOperands(d, match->qualifiers, instruction.operands.size());
    return d;
}

}  // namespace gsu::ptx
