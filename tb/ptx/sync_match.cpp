// From an instruction to its form and its decoded fields.
#include <algorithm>
#include <unordered_map>

#include "ptx/sync_form.hpp"

namespace gsu::ptx {
namespace {

using FormList = std::vector<const SyncForm*>;

const FormList& formsOf(std::string_view opcode)
{
    static const std::unordered_map<std::string_view, FormList> index = [] {
        std::unordered_map<std::string_view, FormList> map;
        for (const SyncForm& form : syncForms()) map[form.opcode].push_back(&form);
        return map;
    }();
    static const FormList none;
    const auto at = index.find(opcode);
    return at == index.end() ? none : at->second;
}

/// How many modifiers from `at` on spell `value` ("async.global" takes two); 0 when they do not.
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

/// Distance of the operands from what the form wants; 0 when number and shapes fit.
unsigned operandDistance(const SyncForm& form, const Instruction& instruction)
{
    const std::size_t count = instruction.operands.size();
    const std::size_t low = form.minOperands();
    const std::size_t high = form.operands.size();
    unsigned distance = 0;
    if (count < low) distance += static_cast<unsigned>(10 * (low - count));
    if (count > high) distance += static_cast<unsigned>(10 * (count - high));
    for (const FormOperand& o : form.operands) {
        const int index = form.operandIndex(o.role, count);
        if (index < 0) continue;
        const Operand::Kind kind = instruction.operands[static_cast<std::size_t>(index)].kind;
        const bool address = o.kind == "mem" || o.kind == "rmem";
        if (o.kind != "any" && address != (kind == Operand::Kind::Address)) ++distance;
        if (o.kind == "sink" && kind != Operand::Kind::Sink) ++distance;
    }
    return distance;
}

Sem semOf(std::string_view word) noexcept
{
    if (word == "relaxed") return Sem::Relaxed;
    if (word == "acquire") return Sem::Acquire;
    if (word == "release") return Sem::Release;
    if (word == "acq_rel") return Sem::AcqRel;
    if (word == "sc") return Sem::Sc;
    return word == "weak" ? Sem::Weak : Sem::None;
}

Scope scopeOf(std::string_view word) noexcept
{
    if (word == "cta") return Scope::Cta;
    if (word == "cluster") return Scope::Cluster;
    if (word == "gpu" || word == "gl") return Scope::Gpu;
    return word == "sys" ? Scope::Sys : Scope::None;
}

Space spaceOf(std::string_view word) noexcept
{
    if (word == "global") return Space::Global;
    if (word == "shared::cluster") return Space::SharedCluster;
    return word == "shared" || word == "shared::cta" ? Space::SharedCta : Space::Generic;
}

/// Ordering, place or type: words that many forms share.
bool isCommon(std::string_view word) noexcept
{
    static constexpr std::array<std::string_view, 5> kMore{"shared", "local", "const", "param",
                                                           "volatile"};
    return semOf(word) != Sem::None || scopeOf(word) != Scope::None ||
           spaceOf(word) != Space::Generic || typeOf(word) ||
           std::find(kMore.begin(), kMore.end(), word) != kMore.end();
}

void setFlag(DecodedSync& d, std::string_view word) noexcept
{
    if (word == "cta")
        d.cta = true;
    else if (word == "aligned")
        d.aligned = true;
    else if (word == "noComplete")
        d.noComplete = true;
    else if (word == "expect_tx")
        d.expectTx = true;
    else if (word == "parity")
        d.parity = true;
    else if (word == "noinc")
        d.noinc = true;
    else if (word == "L2::cache_hint")
        d.cacheHint = true;
    else if (word == "noftz")
        d.noftz = true;
    else if (word == "abs")
        d.abs = true;
    else if (word == "NaN")
        d.nan = true;
    else if (word == "mmio")
        d.mmio = true;
    else if (word == "read")
        d.read = true;
    else if (word == "popc" || word == "ballot")
        d.op = word;
    else if (word.substr(0, 9) == "multicast")
        d.multicast = true;
    else if (semOf(word) != Sem::None)
        d.sem = semOf(word);
    else if (const auto type = typeOf(word))
        d.type = *type;
}

void setPlaceholder(DecodedSync& d, const FormQualifier& q, std::string_view word,
                    bool written) noexcept
{
    if (q.name == "sem") {
        d.sem = semOf(word);
        d.semWritten = written;
    } else if (q.name == "scope" || q.name == "level") {
        d.scope = scopeOf(word);
        d.scopeWritten = written;
    } else if (q.name == "space") {
        d.space = spaceOf(word);
    } else if (q.name == "type") {
        d.type = typeOf(word).value_or(Type::None);
    } else if (q.name == "vec") {
        d.vector = static_cast<unsigned>(word[1] - '0');
    } else if (q.name == "op" || q.name == "mode" || q.name == "kind" || q.name == "action" ||
               q.name == "dim" || q.name == "cache") {
        d.op = word;
    }
}

}  // namespace

bool isSyncOpcode(const Instruction& instruction) noexcept
{
    const std::string& op = instruction.opcode;
    const auto starts = [&](std::size_t i, std::string_view word) {
        return instruction.modifiers.size() > i && instruction.modifiers[i] == word;
    };
    if (op == "cp") return starts(0, "async") && starts(1, "mbarrier");
    if (op == "tensormap") return starts(0, "cp_fenceproxy");
    static constexpr std::array<std::string_view, 16> kWhole{"bar",
                                                             "barrier",
                                                             "fence",
                                                             "membar",
                                                             "atom",
                                                             "red",
                                                             "vote",
                                                             "match",
                                                             "activemask",
                                                             "redux",
                                                             "griddepcontrol",
                                                             "elect",
                                                             "mbarrier",
                                                             "clusterlaunchcontrol",
                                                             "mapa",
                                                             "shfl"};
    return std::find(kWhole.begin(), kWhole.end(), op) != kWhole.end();
}

namespace {

/// What the reference does not permute although it is no stem: .cta and .red of CTA barriers, the two spaces of a tensor map copy.
bool keepsReferenceOrder(const std::vector<std::string>& modifiers, std::string_view opcode)
{
    const auto place = [&](std::string_view word) {
        return static_cast<std::size_t>(std::find(modifiers.begin(), modifiers.end(), word) -
                                        modifiers.begin());
    };
    const std::size_t none = modifiers.size();
    if (opcode == "tensormap") return place("global") <= place("shared::cta");
    if (opcode != "bar" && opcode != "barrier") return true;
    const std::size_t cta = place("cta");
    const std::size_t red = place("red");
    if (cta != none && cta != 0) return false;
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
    match.stemOk = match.stemOk && keepsReferenceOrder(modifiers, form.opcode);
    return match;
}

const SyncForm* matchSync(const Instruction& instruction)
{
    const SyncForm* best = nullptr;
    unsigned bestDistance = 0;
    for (const SyncForm* form : formsOf(instruction.opcode)) {
        if (!matchQualifiers(*form, instruction).ok()) continue;
        const unsigned distance = operandDistance(*form, instruction);
        if (best == nullptr || distance < bestDistance) {
            best = form;
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
        // Words of the stem say best what was meant; words that belong to one form only come next.
        int distance = 40 * static_cast<int>(match.missing.size());
        for (const std::size_t m : match.extra)
            distance += isCommon(instruction.modifiers[m]) ? 30 : 100;
        for (std::size_t w = 0; w < form->stem && w < instruction.modifiers.size(); ++w) {
            if (instruction.modifiers[w] != form->qualifiers[w].values[0]) break;
            distance -= 150;
        }
        distance += static_cast<int>(std::min(operandDistance(*form, instruction), 19u));
        if (best == nullptr || distance < bestDistance) {
            best = form;
            bestDistance = distance;
        }
    }
    return best;
}

std::optional<DecodedSync> decodeSync(const Instruction& instruction)
{
    const SyncForm* form = matchSync(instruction);
    if (form == nullptr) return std::nullopt;
    const QualifierMatch match = matchQualifiers(*form, instruction);
    DecodedSync d;
    d.form = form->id;
    d.row = form;
    d.printedOrder = match.printedOrder;
    if (instruction.opcode == "bar" && form->stem == 0) d.aligned = true;  // BAR-029
    for (std::size_t i = 0; i < form->qualifiers.size(); ++i) {
        const FormQualifier& q = form->qualifiers[i];
        const bool written = match.value[i] >= 0;
        const int value = written ? match.value[i] : q.standard;
        if (value < 0) continue;
        const std::string_view word = q.values[static_cast<std::size_t>(value)];
        if (q.placeholder)
            setPlaceholder(d, q, word, written);
        else
            setFlag(d, word);
    }
    return d;
}

const Operand* DecodedSync::operand(const Instruction& instruction,
                                    std::string_view role) const noexcept
{
    const int index = row->operandIndex(role, instruction.operands.size());
    return index < 0 ? nullptr : &instruction.operands[static_cast<std::size_t>(index)];
}

}  // namespace gsu::ptx
