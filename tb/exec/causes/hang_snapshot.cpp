#include "exec/causes/hang_snapshot.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "exec/ops/mem_ops.hpp"
#include "golden/op_traits.hpp"

namespace gsu::exec {
namespace {

/// Whether a variable of this name is one mbarrier or one word: then it needs no index.
bool isScalar(const ptx::Module& module, const std::string& name)
{
    const auto one = [&](const ptx::Variable& v) {
        return v.name == name && v.bytes != 0 && v.bytes <= 8;
    };
    return std::any_of(module.variables.begin(), module.variables.end(), one) ||
           std::any_of(module.functions.begin(), module.functions.end(), [&](const auto& f) {
               return std::any_of(f.locals.begin(), f.locals.end(), one);
           });
}

}  // namespace

HangSnapshot::HangSnapshot(RunState& state, const Residents& residents, const SyncClient& client,
                           const Launcher& launcher, Memory& memory, const LaunchPlan& plan)
    : s_(state),
      residents_(residents),
      client_(client),
      launcher_(launcher),
      memory_(memory),
      plan_(plan),
      ahead_(state, memory, client)
{
    constexpr std::size_t kNodes =
        1024;  ///< looked at in full; a hang of more warps repeats itself
    residents.each([&](Cta& cta) {
        for (Warp& w : cta.warps) {
            for (const Group& g : w.groups) {
                if (nodes_.size() < kNodes) addNode(cta, w, g);
            }
        }
    });
    std::stable_sort(nodes_.begin(), nodes_.end(),
                     [](const WaitNode& a, const WaitNode& b) { return a.id() < b.id(); });
}

void HangSnapshot::fromRequest(WaitNode& n) const
{
    for (const std::uint16_t tag : n.warp->openTags) {
        const OpenRequest& open = client_.open(*n.warp, tag);
        const SyncRequest& r = open.request;
        if ((r.lanes & n.group->lanes) == 0) continue;
        n.line = open.line;
        n.since = open.presentedAt;
        n.pc = n.group->pc - 1;
        n.kind = waitKindOf(r.op);
        if (n.kind == WaitKind::Warp) n.ofWarp = true;
        if (n.kind == WaitKind::Cluster || n.kind == WaitKind::Named)
            n.ofWarp = !client_.joined(*n.warp, open);
        if (n.kind == WaitKind::Cluster) {
            n.object = {
                n.cta->cluster->ranks[0] != nullptr ? n.cta->cluster->ranks[0]->serial + 1 : 0, 0};
        } else if (n.kind == WaitKind::Named) {
            n.object = {n.cta->serial + 1, r.arg0};
            n.value = r.arg1;
        } else if (n.kind == WaitKind::Mbarrier) {
            n.object = {n.cta->serial + 1, leadOffset(r)};
            const std::uint64_t data = r.data[static_cast<unsigned>(__builtin_ctz(r.lanes))];
            if (isMbarWait(r.op)) n.asked = isMbarParity(r.op) ? data & 1 : data >> 63;
        }
    }
}

void HangSnapshot::fromLoop(WaitNode& n) const
{
    const LoopWatch& l = n.group->loop;
    n.code = l.code;
    if (l.polled) {
        n.kind = WaitKind::Mbarrier;
        n.line = l.pollLine;
        n.pc = l.pollPc;
        n.object = {n.cta->serial + 1, l.pollAddress};
        n.asked = isMbarParity(l.pollOp) ? l.pollData & 1 : l.pollData >> 63;
        return;
    }
    n.kind = WaitKind::Spin;
    n.pc = l.pc;
    const std::vector<std::uint32_t> polls = ahead_.polls(*n.warp, *n.group);
    const Lanes first = n.group->lanes & (0u - n.group->lanes);
    for (const std::uint32_t pc :
         polls) {  // not of parameters and the like, which nobody else writes
        if (n.pollPc == ptx::kNone && ahead_.objectOf(*n.warp, n.from(pc), first)) n.pollPc = pc;
    }
    n.endless = endlessOf(n);
    if (n.endless != Endless::No || n.pollPc == ptx::kNone) return;
    n.pc = n.pollPc;
    const MicroOp& op = program().codes[l.code].ops[n.pollPc];
    n.line = op.line;
    if (const auto word = ahead_.objectOf(*n.warp, n.from(n.pollPc), first)) n.object = *word;
    std::uint8_t* bytes = nullptr;
    if (n.object.owner == 0) bytes = memory_.global().find(n.object.at, op.bytes);
    if (const Cta* owner = ownerOf(n.object); owner != nullptr)
        bytes = memory_.shared(*owner, static_cast<std::uint32_t>(n.object.at));
    if (bytes != nullptr) std::memcpy(&n.value, bytes, std::min<unsigned>(op.bytes, 8));
}

/// Of a spin: its lines, and whether it polls at all. Finds the load of a loop around the one that the group was seen in.
Endless HangSnapshot::endlessOf(WaitNode& n) const
{
    const Loop* loop = flow().headedBy(n.code, n.pc);
    if (loop == nullptr) return Endless::No;
    const auto& ops = program().codes[n.code].ops;
    n.headLine = ops[loop->head].line;
    n.line = ops[ControlFlow::last(*loop)].line;
    if (flow().closed(n.code, *loop)) return Endless::Closed;
    if (n.pollPc != ptx::kNone) return Endless::No;
    const Lookahead::Round round = ahead_.roundOf(*n.warp, *n.group);
    if (round.read != ptx::kNone && ops[round.read].polled) n.pollPc = round.read;
    return round.same ? Endless::Alone : Endless::No;
}

/// Whether the loop, or the first use of the word after it, is an atomic whose result counts: exchange, or compare and swap.
bool HangSnapshot::takesLock(const WaitNode& n) const
{
    if (n.kind != WaitKind::Spin || n.pollPc == ptx::kNone) return false;
    const auto takes = [](const MicroOp& op) {
        return op.fn == atomOp && op.count != 0 &&
               (op.atom.kind == AtomOp::Cas || op.atom.kind == AtomOp::Exch);
    };
    if (const Loop* loop = flow().headedBy(n.code, n.group->loop.pc); loop != nullptr) {
        const auto& ops = program().codes[n.code].ops;
        for (std::uint32_t pc = 0; pc < ops.size(); ++pc) {
            if (!loop->has(pc) || !takes(ops[pc])) continue;
            const Lanes first = n.group->lanes & (0u - n.group->lanes);
            const auto word = ahead_.objectOf(*n.warp, n.from(pc), first);
            if (word && *word == n.object) return true;
        }
    }
    for (const FutureStep& s : n.future.steps) {
        if (s.object != n.object || s.kind == FutureStep::Kind::Waits) continue;
        return s.kind == FutureStep::Kind::Updates && takes(program().codes[s.code].ops[s.pc]);
    }
    return false;
}

void HangSnapshot::addNode(Cta& cta, Warp& warp, const Group& g)
{
    WaitNode n;
    n.cta = &cta;
    n.warp = &warp;
    n.group = &g;
    n.code = g.code;
    n.pc = g.pc;
    n.since = s_.progress.lastChangeAt();
    n.line = g.line;
    const bool held = g.state == GroupState::Shuffling || g.state == GroupState::Aligned ||
                      g.state == GroupState::Parked;
    if (held) {
        n.kind = WaitKind::Warp;
        n.ofWarp = true;
        const auto& ops = program().codes[g.code].ops;
        if (g.state == GroupState::Aligned || n.line == 0)
            n.line = g.pc < ops.size() ? ops[g.pc].line : n.line;
    } else if (g.loop.looping) {
        fromLoop(n);
    } else if (g.state == GroupState::Waiting) {
        fromRequest(n);
    } else {
        n.kind = g.state == GroupState::Columns ? WaitKind::Columns : WaitKind::Fence;
    }
    n.future = ahead_.ifReturned(warp, g);
    n.lock = takesLock(n);
    nodes_.push_back(std::move(n));
}

Cta* HangSnapshot::ownerOf(const WordAt& object) const
{
    Cta* found = nullptr;
    if (object.owner == 0) return found;
    residents_.each([&](Cta& cta) {
        if (cta.serial + 1 == object.owner) found = &cta;
    });
    return found;
}

Cta* HangSnapshot::ctaOf(std::uint32_t linear) const
{
    Cta* found = nullptr;
    residents_.each([&](Cta& cta) {
        if (cta.linear == linear) found = &cta;
    });
    return found;
}

Warp* HangSnapshot::warpOf(const WarpId& id) const
{
    Cta* cta = ctaOf(id.first);
    return cta != nullptr && id.second < cta->warps.size() ? &cta->warps[id.second] : nullptr;
}

const OpNote* HangSnapshot::noteOf(const Warp& warp, const MicroOp& op) const
{
    return op.note == 0 || warp.notes == nullptr ? nullptr : &warp.notes[op.note - 1];
}

MbarState HangSnapshot::mbar(const WordAt& object) const
{
    const Cta* cta = ownerOf(object);
    if (cta == nullptr) return {};
    const auto offset = static_cast<std::uint32_t>(object.at);
    const std::uint64_t* word = cta->words.mbarrier(offset);
    return unpackMbar(word != nullptr ? *word : memory_.sharedWord(*cta, offset));
}

const MbarHistory& HangSnapshot::past(const WordAt& object) const
{
    static const MbarHistory none;
    const MbarHistory* found =
        object.owner == 0
            ? nullptr
            : history().mbarOf(object.owner - 1, static_cast<std::uint32_t>(object.at));
    return found != nullptr ? *found : none;
}

std::vector<Site> HangSnapshot::sites(const std::function<bool(const MicroOp&)>& is) const
{
    std::vector<Site> all;
    for (std::uint32_t c = 0; c < program().codes.size(); ++c) {
        const auto& ops = program().codes[c].ops;
        for (std::uint32_t pc = 0; pc < ops.size(); ++pc) {
            if (is(ops[pc])) all.push_back({c, pc, &ops[pc]});
        }
    }
    return all;
}

const SyncInfo* HangSnapshot::syncOf(const MicroOp& op) const
{
    return op.kind == Kind::Sync ? &program().syncs[op.extra] : nullptr;
}

void HangSnapshot::eachWarp(const std::function<void(Cta&, Warp&)>& f) const
{
    residents_.each([&](Cta& cta) {
        for (Warp& w : cta.warps) f(cta, w);
    });
}

HangSnapshot::Exit HangSnapshot::lastExit(const CtaNotes& notes, std::uint32_t warp,
                                          Lanes lanes) const
{
    const OpNote* last = nullptr;
    Exit exit{notes.ends[warp].line, 0};
    for (const Site& s :
         sites([](const MicroOp& op) { return op.kind == Kind::Exit || op.kind == Kind::Ret; })) {
        const OpNote& n = notes.ops[std::size_t{warp} * history().notes() + s.op->note - 1];
        if ((n.ran & lanes) == 0 || n.times == 0 || (last != nullptr && last->at > n.at)) continue;
        last = &n;
        exit = {s.op->line, n.at};
    }
    return exit;
}

Lookahead::From HangSnapshot::at(const Warp& warp, const Site& site) const
{
    for (const Group& g : warp.groups) {
        if (g.code == site.code)
            return {site.code, site.pc, g.regBase, g.predBase, g.localBase, g.lanes};
    }
    if (const CtaNotes* notes = history().notesOf(warp.cta->serial);
        notes != nullptr && notes->ends[warp.index].code == site.code) {
        const WarpEnd& e = notes->ends[warp.index];
        return {site.code, site.pc, e.regBase, e.predBase, 0, warp.full};
    }
    return {site.code, site.pc, 0, 0, 0, warp.full};
}

bool HangSnapshot::severalCtas() const noexcept { return s_.shape.ctas > 1; }

std::string HangSnapshot::name(const WordAt& object) const
{
    const Cta* cta = ownerOf(object);
    if (object.owner == 0) {
        for (const GlobalMemory::Block& b : memory_.global().blocks()) {
            if (object.at - b.base < b.bytes)
                return fmt::format("{}+{} ({:#x})", b.name, object.at - b.base, object.at);
        }
        return fmt::format("{:#x}", object.at);
    }
    std::string symbol;
    std::uint64_t base = 0;
    for (const auto& [name, at] : plan_.sharedSymbols) {
        if (at > object.at || (!symbol.empty() && at < base)) continue;
        base = at;
        symbol = name.substr(name.find('/') == std::string::npos ? 0 : name.find('/') + 1);
    }
    const std::string place = cta == nullptr ? fmt::format("+{:#x}", object.at)
                                             : fmt::format("CTA {} +{:#x}", cta->linear, object.at);
    if (symbol.empty() || object.at >= s_.shape.staticSmem) return fmt::format("({})", place);
    const std::uint64_t more = object.at - base;
    if (more == 0 && isScalar(s_.module, symbol)) return fmt::format("{} ({})", symbol, place);
    if (more % 8 == 0 && more / 8 < 64 && symbol != "smem")
        return fmt::format("{}[{}] ({})", symbol, more / 8, place);
    return fmt::format("{}+{} ({})", symbol, more, place);
}

std::string HangSnapshot::nameOfSpin(const WaitNode& n) const
{
    if (!n.wordless()) return "the word " + name(n.object);
    const std::string lines = n.headLine == n.line
                                  ? "at " + line(n.line)
                                  : fmt::format("from {} to {}", line(n.headLine), line(n.line));
    return (n.endless == Endless::No ? "what is read in the loop " : "the loop ") + lines;
}

std::string HangSnapshot::name(const WaitNode& n) const
{
    switch (n.kind) {
        case WaitKind::Mbarrier: return "mbarrier " + name(n.object);
        case WaitKind::Named:
            return fmt::format("barrier {} of CTA {}", n.object.at, n.cta->linear);
        case WaitKind::Cluster: return fmt::format("the cluster barrier of CTA {}", n.cta->linear);
        case WaitKind::Warp: return "other lanes of warp " + std::to_string(n.warp->index);
        case WaitKind::Spin: return nameOfSpin(n);
        case WaitKind::Fence: return "older accesses";
        case WaitKind::Grid: return "the grids before";
        case WaitKind::Columns: return "columns of tensor memory";
    }
    return "?";
}

/// A line as text, with the line of the source if the PTX names it.
std::string HangSnapshot::line(std::uint32_t line) const
{
    std::string text = s_.module.lineText(line);
    for (const Code& code : program().codes) {
        for (const ptx::Instruction& in : code.function->body) {
            if (in.at.line != line || in.sourceLine == 0) continue;
            const bool named = in.sourceFile < s_.module.files.size();
            return fmt::format("{} ({}:{})", text,
                               named ? s_.module.files[in.sourceFile] : "source", in.sourceLine);
        }
    }
    return text;
}

std::string HangSnapshot::warp(const WarpId& id) const
{
    return severalCtas() ? fmt::format("CTA {} warp {}", id.first, id.second)
                         : fmt::format("warp {}", id.second);
}

std::string HangSnapshot::warps(const std::vector<WarpId>& ids) const
{
    constexpr std::size_t kTold = 4;
    std::string text;
    for (std::size_t i = 0; i < std::min(ids.size(), kTold); ++i)
        text += (i == 0 ? "" : i + 1 == ids.size() ? " and " : ", ") + warp(ids[i]);
    if (ids.size() > kTold) text += fmt::format(" and {} more", ids.size() - kTold);
    return text;
}

}  // namespace gsu::exec
