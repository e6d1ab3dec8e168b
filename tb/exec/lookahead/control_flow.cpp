#include "exec/lookahead/control_flow.hpp"

#include <algorithm>

namespace gsu::exec {

std::vector<std::uint32_t> ControlFlow::next(std::uint32_t code, std::uint32_t pc) const
{
    const std::vector<MicroOp>& ops = program_.codes[code].ops;
    if (pc >= ops.size()) return {};
    const MicroOp& op = ops[pc];
    const bool guarded = op.guard.index >= 0;
    std::vector<std::uint32_t> to;
    if (op.kind == Kind::Branch) to.push_back(op.target);
    if (op.kind == Kind::BranchIndexed) to = program_.tables[op.target];
    const bool goes = op.kind == Kind::Branch || op.kind == Kind::BranchIndexed ||
                      op.kind == Kind::Ret || op.kind == Kind::Exit || op.kind == Kind::Trap ||
                      op.kind == Kind::Break || op.kind == Kind::Unsupported;
    if ((!goes || guarded) && pc + 1 < ops.size()) to.push_back(pc + 1);
    return to;
}

std::vector<Loop> ControlFlow::find(std::uint32_t code) const
{
    const auto count = static_cast<std::uint32_t>(program_.codes[code].ops.size());
    std::vector<std::vector<std::uint32_t>> before(count);
    std::vector<std::pair<std::uint32_t, std::uint32_t>> backward;  // head, from
    for (std::uint32_t pc = 0; pc < count; ++pc) {
        for (const std::uint32_t to : next(code, pc)) {
            if (to >= count) continue;
            before[to].push_back(pc);
            if (to <= pc) backward.emplace_back(to, pc);
        }
    }
    std::sort(backward.begin(), backward.end());
    std::vector<Loop> loops;
    for (std::size_t i = 0; i < backward.size();) {
        Loop loop;
        loop.head = backward[i].first;
        loop.body.resize(count);
        loop.body[loop.head] = true;
        std::vector<std::uint32_t> rest;
        for (; i < backward.size() && backward[i].first == loop.head; ++i)
            rest.push_back(backward[i].second);
        while (!rest.empty()) {
            const std::uint32_t pc = rest.back();
            rest.pop_back();
            if (loop.body[pc]) continue;
            loop.body[pc] = true;
            for (const std::uint32_t p : before[pc]) rest.push_back(p);
        }
        loop.size =
            static_cast<std::uint32_t>(std::count(loop.body.begin(), loop.body.end(), true));
        loops.push_back(std::move(loop));
    }
    return loops;
}

const std::vector<Loop>& ControlFlow::loops(std::uint32_t code) const
{
    auto& found = loops_[code];
    if (found == nullptr) found = std::make_unique<std::vector<Loop>>(find(code));
    return *found;
}

std::vector<const Loop*> ControlFlow::around(std::uint32_t code, std::uint32_t pc) const
{
    std::vector<const Loop*> all;
    for (const Loop& loop : loops(code)) {
        if (loop.has(pc)) all.push_back(&loop);
    }
    std::stable_sort(all.begin(), all.end(),
                     [](const Loop* a, const Loop* b) { return a->size < b->size; });
    return all;
}

const Loop* ControlFlow::headedBy(std::uint32_t code, std::uint32_t head) const
{
    for (const Loop& loop : loops(code)) {
        if (loop.head == head) return &loop;
    }
    return nullptr;
}

std::uint32_t ControlFlow::wayOut(std::uint32_t code, const Loop& loop, std::uint32_t pc) const
{
    if (!loop.has(pc) || program_.codes[code].ops[pc].kind != Kind::Branch) return ptx::kNone;
    std::uint32_t out = ptx::kNone;
    bool stays = false;
    for (const std::uint32_t to : next(code, pc)) {
        if (loop.has(to))
            stays = true;
        else
            out = to;
    }
    return stays ? out : ptx::kNone;
}

/// A loop with conditions inside may be several loops with one head, of which one waits for another's end: of those it says no.
bool ControlFlow::closed(std::uint32_t code, const Loop& loop) const
{
    const std::vector<MicroOp>& ops = program_.codes[code].ops;
    for (std::uint32_t pc = 0; pc < ops.size(); ++pc) {
        const Kind kind = ops[pc].kind;
        const bool ends = kind == Kind::Exit || kind == Kind::Ret || kind == Kind::Trap ||
                          kind == Kind::Break || kind == Kind::Call || kind == Kind::Unsupported;
        if (loop.has(pc) && (ends || next(code, pc).size() != 1)) return false;
    }
    return true;
}

std::uint32_t ControlFlow::last(const Loop& loop)
{
    std::uint32_t pc = loop.head;
    for (std::uint32_t i = pc; i < loop.body.size(); ++i) pc = loop.has(i) ? i : pc;
    return pc;
}

}  // namespace gsu::exec
