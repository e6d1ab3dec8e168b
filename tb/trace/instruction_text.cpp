#include "trace/instruction_text.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <iterator>

#include "golden/op_traits.hpp"
#include "golden/warp_ops.hpp"
#include "trace/lane_list.hpp"

namespace gsu::trace {

namespace {

using Form = OpTraits;
using Shape = OpShape;

constexpr std::array kSems{"relaxed", "acquire", "release", "acq_rel"};
constexpr std::array kScopes{"none", "cta", "cluster", "gpu", "sys"};

/// Semantics and scope that the text leaves out: those that the manual gives the form, otherwise relaxed without scope.
Sem impliedSem(Shape shape) noexcept
{
    return shape == Shape::Barrier || shape == Shape::Reduction ? Sem::AcqRel : Sem::Relaxed;
}
Scope impliedScope(Shape shape) noexcept
{
    if (shape == Shape::Cluster) return Scope::Cluster;
    return shape == Shape::Barrier || shape == Shape::Reduction ? Scope::Cta : Scope::None;
}

const Form* formOf(Op op) noexcept
{
    const Form& form = traitsOf(op);
    return form.spelling == nullptr ? nullptr : &form;
}

/// The longest spelling that ends at a dot or at the end of `name`.
const Form* formOf(std::string_view name) noexcept
{
    const Form* best = nullptr;
    for (const Form& f : traits::kTable) {
        if (f.spelling == nullptr) continue;
        const std::string_view spelling = f.spelling;
        if (name.substr(0, spelling.size()) != spelling) continue;
        if (name.size() > spelling.size() && name[spelling.size()] != '.') continue;
        if (best == nullptr || spelling.size() > std::string_view(best->spelling).size()) best = &f;
    }
    return best;
}

/// Mode and type of a warp-wide operation, as PTX spells them after the mnemonic.
std::string formText(Op op, std::uint8_t kind)
{
    constexpr std::array kVotes{".all.pred", ".any.pred", ".uni.pred", ".ballot.b32"};
    constexpr std::array kReduces{".add.u32", ".and.b32", ".or.b32",  ".xor.b32", ".min.u32",
                                  ".min.s32", ".max.u32", ".max.s32", ".min",     ".max"};
    if (op == Op::Vote || op == Op::VoteSync) return kVotes[kind & 3];
    if (op == Op::MatchAny || op == Op::MatchAll) return kind == kMatchB64 ? ".b64" : ".b32";
    if (op != Op::Redux) return {};
    const unsigned mode = kind & 15;
    std::string text = kReduces[mode];
    if (mode < kReduxMinF) return text;
    if ((kind & kReduxAbs) != 0) text += ".abs";
    if ((kind & kReduxNan) != 0) text += ".NaN";
    return text + ".f32";
}

/// Removes mode and type from the end of `text`, and sets them in `r`.
void takeForm(Cursor& cursor, std::string_view& text, SyncRequest& r)
{
    std::size_t best = 0;
    bool found = false;
    for (unsigned kind = 0; kind < 64; ++kind) {
        if (!hasForm(r.op, std::uint8_t(kind))) continue;
        const std::string form = formText(r.op, std::uint8_t(kind));
        if ((found && form.size() <= best) || form.size() > text.size() ||
            text.substr(text.size() - form.size()) != form)
            continue;
        found = true;
        best = form.size();
        r.kind = std::uint8_t(kind);
    }
    if (!found) cursor.fail("mode or type missing after " + std::string(traitsOf(r.op).spelling));
    text.remove_suffix(best);
}

void appendModifiers(std::string& out, const Form& form, const SyncRequest& r)
{
    if (r.noComplete) out += ".noComplete";
    if (form.shape == Shape::Cluster || r.sem != impliedSem(form.shape))
        (out += '.') += kSems[std::size_t(r.sem)];
    if (r.scope != impliedScope(form.shape)) (out += '.') += kScopes[std::size_t(r.scope)];
    if (form.shape == Shape::PerLane) out += r.remote ? ".shared::cluster" : ".shared::cta";
    if (r.aligned) out += ".aligned";
    if (*form.type != '\0') (out += '.') += form.type;
    if (isWarpOp(r.op)) out += formText(r.op, r.kind);
}

/// Sets the value that `names` gives `part`, unless it was set before.
template <class T, class Names>
bool takeNamed(std::string_view part, const Names& names, bool& seen, T& value)
{
    const auto found = std::find(names.begin(), names.end(), part);
    if (seen || found == names.end()) return false;
    value = T(found - names.begin());
    return seen = true;
}

/// Reads the components after the spelling; each occurs at most once, the type last.
void parseModifiers(Cursor& cursor, const Form& form, std::string_view text, SyncRequest& r)
{
    r.sem = impliedSem(form.shape);
    r.scope = impliedScope(form.shape);
    bool semSeen = false, scopeSeen = false, typeSeen = *form.type == '\0',
         spaceSeen = form.shape != Shape::PerLane;
    if (isWarpOp(r.op)) takeForm(cursor, text, r);
    while (!text.empty()) {
        text.remove_prefix(1);
        const auto part = text.substr(0, text.find('.'));
        text.remove_prefix(part.size());
        if (part == form.type && text.empty() && !typeSeen)
            typeSeen = true;
        else if (part == "noComplete" && !r.noComplete)
            r.noComplete = true;
        else if (part == "aligned" && !r.aligned)
            r.aligned = true;
        else if (!spaceSeen && (part == "shared::cta" || part == "shared::cluster")) {
            spaceSeen = true;
            r.remote = part == "shared::cluster";
        } else if (!takeNamed(part, kSems, semSeen, r.sem) &&
                   !takeNamed(part, kScopes, scopeSeen, r.scope)) {
            cursor.fail("unknown modifier '." + std::string(part) + "' of " + form.spelling);
        }
    }
    if (!typeSeen) cursor.fail(std::string("'.") + form.type + "' missing after " + form.spelling);
    if (!spaceSeen) cursor.fail(std::string("state space missing after ") + form.spelling);
    if (!semSeen && form.shape == Shape::Cluster) {
        cursor.fail(std::string("memory semantics missing after ") + form.spelling);
    }
}

void appendBarrier(std::string& out, const SyncRequest& r)
{
    fmt::format_to(std::back_inserter(out), " {}", r.arg0);
    if (r.arg1 != 0) fmt::format_to(std::back_inserter(out), ", {}", r.arg1);
}

void appendOperands(std::string& out, const Form& form, const SyncRequest& r)
{
    switch (form.shape) {
        case Shape::Barrier: appendBarrier(out, r); break;
        case Shape::Reduction:
            out += r.wantValue ? " %d," : " _,";
            appendBarrier(out, r);
            fmt::format_to(std::back_inserter(out), ", p={:#010x}", r.pred);
            break;
        case Shape::Mask: fmt::format_to(std::back_inserter(out), " {:#010x}", r.arg0); break;
        case Shape::PerLane:
            out += " [";
            appendAddresses(out, r);
            out += ']';
            if (anyData(r) || anyLimit(r)) {
                out += ", ";
                appendData(out, r);
            }
            if (anyLimit(r)) {
                out += ", ";
                appendLimits(out, r);
            }
            break;
        case Shape::Cluster:
        case Shape::Plain: break;
    }
}

void parseBarrier(Cursor& cursor, SyncRequest& r)
{
    cursor.expect(" ");
    r.arg0 = cursor.mask("barrier id");
    if (isNamedRed(r.op)) {
        if (cursor.rest().substr(0, 4) == ", p=") return;
    }
    if (cursor.accept(", ")) {
        r.arg1 = cursor.mask("barrier count");
        if (r.arg1 == 0) cursor.fail("a count of 0 is written by leaving it out");
    }
}

void parseOperands(Cursor& cursor, const Form& form, SyncRequest& r)
{
    switch (form.shape) {
        case Shape::Barrier: parseBarrier(cursor, r); break;
        case Shape::Reduction:
            r.wantValue = cursor.accept(" %d,");
            if (!r.wantValue) cursor.expect(" _,");
            parseBarrier(cursor, r);
            cursor.expect(", p=");
            r.pred = cursor.mask("predicates");
            break;
        case Shape::Mask:
            cursor.expect(" ");
            r.arg0 = cursor.mask("member mask");
            break;
        case Shape::PerLane:
            cursor.expect(" [");
            parseAddresses(cursor, r);
            cursor.expect("]");
            if (cursor.accept(", ")) parseData(cursor, r);
            if (cursor.accept(", ")) parseLimits(cursor, r);
            break;
        case Shape::Cluster:
        case Shape::Plain: break;
    }
    cursor.expect(";");
}

bool hasId(Shape s) noexcept
{
    return s == Shape::Barrier || s == Shape::Reduction || s == Shape::Mask;
}
bool hasCount(Shape s) noexcept { return s == Shape::Barrier || s == Shape::Reduction; }

/// Appends what the spelling and the operands did not say.
void appendAttributes(std::string& out, const Form& form, const SyncRequest& r)
{
    const auto to = std::back_inserter(out);
    if (!hasId(form.shape) && r.arg0 != 0) fmt::format_to(to, " arg0={:#x}", r.arg0);
    if (!hasCount(form.shape) && r.arg1 != 0) fmt::format_to(to, " arg1={:#x}", r.arg1);
    if (form.shape != Shape::Reduction && r.pred != 0) fmt::format_to(to, " p={:#010x}", r.pred);
    if (form.shape != Shape::Reduction && r.wantValue) out += " value";
    if (r.kind != 0 && !isWarpOp(r.op)) fmt::format_to(to, " kind={}", r.kind);
    if (r.diverged) out += " diverged";
    if (form.shape == Shape::PerLane) return;
    if (r.remote) out += " remote";
    if (anyAddress(r)) appendAddresses(out += " addr=", r);
    if (anyData(r)) appendData(out += " data=", r);
    if (anyLimit(r)) appendLimits(out += " limit=", r);
}

void parseAttributes(Cursor& cursor, SyncRequest& r)
{
    while (cursor.accept(" ")) {
        if (cursor.accept("arg0="))
            r.arg0 = cursor.mask("arg0");
        else if (cursor.accept("arg1="))
            r.arg1 = cursor.mask("arg1");
        else if (cursor.accept("p="))
            r.pred = cursor.mask("predicates");
        else if (cursor.accept("value"))
            r.wantValue = true;
        else if (!isWarpOp(r.op) && cursor.accept("kind="))
            r.kind = cursor.field<std::uint8_t>("kind", 255);
        else if (cursor.accept("diverged"))
            r.diverged = true;
        else if (cursor.accept("remote"))
            r.remote = true;
        else if (cursor.accept("addr="))
            parseAddresses(cursor, r);
        else if (cursor.accept("data="))
            parseData(cursor, r);
        else if (cursor.accept("limit="))
            parseLimits(cursor, r);
        else
            cursor.fail("unknown attribute '" + std::string(cursor.rest().substr(0, 24)) + "'");
    }
}

}  // namespace

void appendInstruction(std::string& out, const SyncRequest& request)
{
    const Form* form = formOf(request.op);
    if (form == nullptr) return;  // taps never request events
    out += form->spelling;
    appendModifiers(out, *form, request);
    appendOperands(out, *form, request);
    out += ';';
    appendAttributes(out, *form, request);
}

void parseInstruction(Cursor& cursor, SyncRequest& request)
{
    const Cursor start = cursor;
    const auto name = cursor.word("an instruction");
    const Form* form = formOf(name);
    if (form == nullptr)
        start.fail("unknown instruction '" + std::string(name.substr(0, 40)) + "'");
    request.op = form->op;
    parseModifiers(cursor, *form, name.substr(std::string_view(form->spelling).size()), request);
    parseOperands(cursor, *form, request);
    parseAttributes(cursor, request);
    cursor.expectEnd();
}

const char* spellingOf(Op op) noexcept
{
    const Form* form = formOf(op);
    return form == nullptr ? nameOf(op) : form->spelling;
}

}  // namespace gsu::trace
