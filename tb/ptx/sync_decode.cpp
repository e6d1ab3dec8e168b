#include "ptx/sync_decode.hpp"

#include <algorithm>

namespace gsu::ptx {
namespace {

constexpr std::string_view kSpellings[] = {
    "",
#define SYNC_WORD(id, spelling) spelling,
#include "ptx/sync_words.def"
#undef SYNC_WORD
};

}  // namespace

const char* spelling(SyncWord word) noexcept
{
    return kSpellings[static_cast<std::size_t>(word)].data();
}

SyncWord syncWordOf(std::string_view spelling) noexcept
{
    const auto at = std::find(std::begin(kSpellings), std::end(kSpellings), spelling);
    return at == std::end(kSpellings) ? SyncWord::None
                                      : static_cast<SyncWord>(at - std::begin(kSpellings));
}

namespace detail {

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

namespace {

/// Sets the flag of a fixed word, or of a placeholder's value that is one of the flags.
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
    else if (word.substr(0, 9) == "multicast")
        d.multicast = true;
    else if (semOf(word) != Sem::None)
        d.sem = semOf(word);
    else if (const auto type = typeOf(word))
        d.type = *type;
    else if (const SyncWord known = syncWordOf(word); known != SyncWord::None)
        d.word = known;
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
        d.spaceWritten = written;
    } else if (q.name == "type") {
        d.type = typeOf(word).value_or(Type::None);
    } else if (q.name == "vec") {
        d.vector = static_cast<unsigned>(word[1] - '0');
    } else {
        d.word = syncWordOf(word);
    }
}

Space spaceNamed(const DecodedSync& d, const std::string& name) noexcept
{
    return name == "space" ? d.space : spaceOf(name);
}

bool isWritten(const SyncForm& form, const QualifierMatch& match, std::string_view word) noexcept
{
    for (std::size_t q = 0; q < form.qualifiers.size(); ++q) {
        if (match.value[q] >= 0 &&
            form.qualifiers[q].values[static_cast<std::size_t>(match.value[q])] == word)
            return true;
    }
    return false;
}

}  // namespace

WordKind wordKindOf(std::string_view word) noexcept
{
    const auto is = [&](std::initializer_list<std::string_view> list) {
        return std::find(list.begin(), list.end(), word) != list.end();
    };
    if (semOf(word) != Sem::None || is({"volatile"})) return WordKind::Sem;
    if (scopeOf(word) != Scope::None || is({"warp"})) return WordKind::Scope;
    if (spaceOf(word) != Space::Generic || is({"local", "const", "param"})) return WordKind::Space;
    if (typeOf(word)) return WordKind::Type;
    return is({"v2", "v4", "v8"}) ? WordKind::Vector : WordKind::Other;
}

DecodedSync decodeQualifiers(const SyncForm& form, const QualifierMatch& match)
{
    DecodedSync d;
    d.form = form.id;
    d.row = &form;
    d.printedOrder = match.printedOrder;
    for (std::size_t i = 0; i < form.qualifiers.size(); ++i) {
        const FormQualifier& q = form.qualifiers[i];
        const bool written = match.value[i] >= 0;
        const int value = written ? match.value[i] : q.standard;
        if (value < 0) continue;
        const std::string_view word = q.values[static_cast<std::size_t>(value)];
        if (q.placeholder)
            setPlaceholder(d, q, word, written);
        else
            setFlag(d, word);
    }
    if (form.family == SyncFamily::NamedBarrier && form.opcode == "bar")
        d.aligned = true;  // BAR-029
    for (const FormOp& o : form.ops) {
        if (o.word.empty() || isWritten(form, match, o.word)) d.op = o.op;
    }
    d.to = spaceNamed(d, form.to);
    d.from = spaceNamed(d, form.from);
    return d;
}

void placeOperands(DecodedSync& d, const QualifierMatch& match, std::size_t count) noexcept
{
    const auto& operands = d.row->operands;
    const auto brought = [&](const FormOperand& o) {
        return o.bringer >= 0 && match.value[static_cast<std::size_t>(o.bringer)] >= 0;
    };
    d.least = d.most = 0;
    for (const FormOperand& o : operands) {
        const bool needed = !o.optional || brought(o);
        d.least += needed ? 1 : 0;
        d.most += needed || o.bringer < 0 ? 1 : 0;
    }
    std::size_t spare = count - std::min(count, d.least), next = 0;
    d.slot.fill(-1);
    for (std::size_t i = 0; i < operands.size(); ++i) {
        const FormOperand& o = operands[i];
        bool here = !o.optional || brought(o);
        if (!here && o.bringer < 0 && spare > 0) {
            here = true;
            --spare;
        }
        if (here && next < count) d.slot[i] = static_cast<std::int8_t>(next++);
    }
}

}  // namespace detail

const Operand* DecodedSync::operand(const Instruction& instruction,
                                    std::string_view role) const noexcept
{
    for (std::size_t i = 0; i < row->operands.size(); ++i) {
        if (slot[i] >= 0 && row->operands[i].role == role)
            return &instruction.operands[static_cast<std::size_t>(slot[i])];
    }
    return nullptr;
}

const Operand* DecodedSync::operand(const Instruction& instruction, SyncField field) const noexcept
{
    for (std::size_t i = 0; i < row->operands.size(); ++i) {
        if (slot[i] >= 0 && row->operands[i].field == field)
            return &instruction.operands[static_cast<std::size_t>(slot[i])];
    }
    return nullptr;
}

}  // namespace gsu::ptx
