// Immediate operands and rules between qualifiers.
#include <fmt/format.h>

#include "golden/op_traits.hpp"
#include "ptx/check.hpp"

namespace gsu::ptx::detail {
namespace {

constexpr std::int64_t kMaxCount = (1 << 20) - 1;

const Operand* immediate(const CheckContext& c, const DecodedSync& d, std::string_view role)
{
    const Operand* o = d.operand(c.instruction, role);
    return o != nullptr && o->kind == Operand::Kind::Integer ? o : nullptr;
}

void checkBarrier(const CheckContext& c, const DecodedSync& d)
{
    const bool arrive = d.form == SyncFormId::BarArrive || d.form == SyncFormId::BarrierArrive;
    if (const Operand* a = immediate(c, d, "a");
        a != nullptr && (a->integer < 0 || a->integer > 15)) {
        c.rejectAt(a->at, "BAR-002", fmt::format("barrier {} is not in 0..15", a->integer));
    }
    const Operand* b = immediate(c, d, "b");
    if (b == nullptr) return;
    const bool negative = b->integer < 0 && c.dialect == Dialect::Text;
    if (b->integer % 32 != 0 || negative) {
        c.rejectAt(
            b->at, "BAR-006",
            fmt::format("thread count {} is not a multiple of the warp size 32", b->integer));
    } else if (b->integer == 0 && arrive) {
        c.rejectAt(b->at, "BAR-007", "arrive needs a thread count that is not zero");
    } else if (b->integer == 0) {
        c.note(Diagnostic::Severity::Note, "BAR-008",
               "thread count 0 is taken as all threads of the CTA");
    }
}

/// Checks counts of mbarrier operations; the reference checks only 0 and -1, and only on arrive (L-08, L-09).
void checkCount(const CheckContext& c, const DecodedSync& d, std::string_view role,
                const std::string& rule, bool init)
{
    const Operand* o = immediate(c, d, role);
    if (o == nullptr) return;
    const bool bad = c.dialect == Dialect::Text ? o->integer < 1 || o->integer > kMaxCount
                                                : !init && (o->integer == 0 || o->integer == -1);
    if (bad) {
        c.rejectAt(o->at, rule, fmt::format("count {} is not in 1..{}", o->integer, kMaxCount));
    }
}

void checkMbarrier(const CheckContext& c, const DecodedSync& d)
{
    const SyncForm& form = *d.row;
    if (form.id == SyncFormId::MbarrierInit) checkCount(c, d, "count", "MBAR-021", true);
    if (form.family == SyncFamily::MbarArrive)
        checkCount(c, d, "count", isMbarDrop(d.op) ? "MBDROP-006" : "MBARR-006", false);
    const Operand* parity = immediate(c, d, "phaseParity");
    if (parity != nullptr && parity->integer != 0 && parity->integer != 1) {
        c.rejectAt(parity->at, "MBW-011", "phaseParity must be 0 or 1");
    }
    if (c.dialect == Dialect::Text) return;
    const Operand* address = d.operand(c.instruction, "addr");
    if (address != nullptr && address->elements[0].kind == Operand::Kind::Integer) {
        c.rejectAt(address->at, "GEN-011",
                   "the reference assembler refuses an immediate address of a shared object");
    }
    const bool paired = form.id != SyncFormId::MbarrierInit && d.semWritten != d.scopeWritten;
    if (paired && d.sem != Sem::None) {
        c.reject(form.syntaxRule, "the reference assembler takes .sem and .scope only together");
    }
}

void checkAtomic(const CheckContext& c, const DecodedSync& d)
{
    const bool atom = d.op == Op::Atom;
    const bool policy = d.operand(c.instruction, "policy") != nullptr;
    if (policy != d.cacheHint) {
        c.reject(atom ? "ATOM-020" : "RED-014",
                 ".L2::cache_hint and the cache policy operand go together");
    } else if (d.cacheHint && (d.space == Space::SharedCta || d.space == Space::SharedCluster)) {
        c.reject(atom ? "ATOM-021" : "RED-015",
                 ".L2::cache_hint is for global and generic addresses only");
    }
    if (d.row->family != SyncFamily::ReleaseData || d.row->syntaxRule.empty()) return;
    if (d.mmio && d.scope != Scope::Sys && c.dialect == Dialect::Text) {
        c.reject("RASYNC-007", ".mmio needs scope .sys");
    }
    if (d.scope == Scope::Cluster) {
        if (c.dialect == Dialect::Ptxas)
            c.reject("RASYNC-008", "the reference assembler refuses scope .cluster here");
        else
            c.note(Diagnostic::Severity::Warning, "RASYNC-008",
                   "scope .cluster is refused by the reference assembler");
    }
}

/// Checks a mask literal: 32 bits, written signed or unsigned; the reference truncates wider ones (L-02).
void checkMask(const CheckContext& c, const DecodedSync& d)
{
    const Operand* mask = immediate(c, d, "membermask");
    if (mask == nullptr || c.dialect == Dialect::Ptxas) return;
    if (mask->integer < -(std::int64_t{1} << 31) || mask->integer > 0xffffffffll) {
        c.rejectAt(mask->at, d.row->operandRule, "the member mask does not fit 32 bits");
    }
}

}  // namespace

void checkValues(const CheckContext& c, const DecodedSync& d)
{
    switch (d.row->family) {
        case SyncFamily::NamedBarrier: checkBarrier(c, d); break;
        case SyncFamily::MbarObject:
        case SyncFamily::MbarArrive:
        case SyncFamily::MbarWait: checkMbarrier(c, d); break;
        case SyncFamily::Atomic:
        case SyncFamily::RemoteData:
        case SyncFamily::ReleaseData: checkAtomic(c, d); break;
        default: break;
    }
    checkMask(c, d);
    const bool legacyVote = d.form == SyncFormId::Vote || d.form == SyncFormId::VoteBallot;
    if (legacyVote && c.module.versionMajor >= 6) {
        c.note(Diagnostic::Severity::Warning, "VOTE-008",
               "vote without .sync is deprecated from PTX 6.0 on: vote.sync");
    }
    if (d.form == SyncFormId::CpAsync) {
        const Operand* size = immediate(c, d, "cpSize");
        const std::int64_t n = size == nullptr ? 16 : size->integer;
        if (n != 16 && (d.word == SyncWord::CacheGlobal || (n != 4 && n != 8))) {
            c.rejectAt(size->at, "CPA-009",
                       d.word == SyncWord::CacheGlobal ? "cp.async.cg copies 16 bytes"
                                                       : "cp.async.ca copies 4, 8 or 16 bytes");
        }
    }
}

}  // namespace gsu::ptx::detail
