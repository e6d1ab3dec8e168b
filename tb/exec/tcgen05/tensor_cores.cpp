#include "exec/tcgen05/tensor_cores.hpp"

#include <fmt/format.h>

#include <algorithm>

#include "base/counted.hpp"
#include "exec/async/async_engines.hpp"
#include "exec/program/errors.hpp"
#include "exec/state/report.hpp"
#include "exec/state/run_parts.hpp"

namespace gsu::exec {

TensorMemoryOfSm& TensorCores::tensorMemory(unsigned sm)
{
    std::unique_ptr<TensorMemoryOfSm>& tensor = s_.resources.sm(sm).tensor;
    if (tensor == nullptr) tensor = std::make_unique<TensorMemoryOfSm>();
    return *tensor;
}

TensorCores::CtaSide& TensorCores::sideOf(const Cta& cta)
{
    CtaSide& side = ctas_[cta.serial];
    if (side.warps.empty()) {
        side.key = keyOf(cta);
        side.warps.resize(std::max<std::size_t>(cta.warps.size(), s_.shape.warps));
    }
    return side;
}

TensorCores::WarpSide& TensorCores::warpOf(const Ctx& x)
{
    x.cta->tensor = true;
    return sideOf(*x.cta).warps[x.warp->index];
}

Cycle TensorCores::jittered(const Cta& cta, Cycle time, std::uint32_t percent)
{
    const std::uint64_t more = time * percent / 100;
    return time + (more == 0 ? 0 : s_.random(cta.launch.sm) % (more + 1));
}

void TensorCores::report(const Ctx& x, std::uint32_t line, const char* rule, std::string text,
                         Severity severity)
{
    s_.findings.add({rule, severity, std::move(text), x.cta->linear, x.warp->index, x.group->lanes,
                     line, s_.now()});
}

void TensorCores::report(const Ctx& x, std::uint32_t line, const tmem::Refusal& refusal,
                         Severity severity)
{
    report(x, line, tmem::textOf(refusal.rule).id,
           fmt::format("{} ({})", tmem::textOf(refusal.rule).statement, refusal.text), severity);
}

void TensorCores::refuse(Ctx& x, const MicroOp& op, Lanes lanes, const tmem::Refusal& refusal)
{
    const tmem::RuleText& rule = tmem::textOf(refusal.rule);
    const std::string_view statement = rule.statement;
    if (statement.starts_with("Not modelled")) {
        const auto [file, line] = s_.module.placeOf(op.line);
        throw UnsupportedError(file, line, 0,
                               fmt::format("instruction not supported: {}: {} ({})", rule.id,
                                           statement, refusal.text));
    }
    eachLane(lanes, [&](unsigned l) {
        faultLane(x, l, rule.id, fmt::format("{} ({})", statement, refusal.text),
                  TrapKind::Instruction);
    });
}

void TensorCores::checkWarp(const Ctx& x, const MicroOp& op, Lanes lanes, const char* what,
                            std::initializer_list<Row> same)
{
    if (lanes != ~Lanes{0})
        report(x, op.line, "TC5-008",
               fmt::format("{} must be executed by all 32 threads of the warp together: only {}",
                           what, counted(__builtin_popcount(lanes), "does", "do")));
    const auto first = static_cast<unsigned>(__builtin_ctz(lanes));
    for (const Row row : same) {
        if (row == kNoRow) continue;
        const std::uint64_t* values = x.src(row);
        bool equal = true;
        eachLane(lanes, [&](unsigned l) { equal = equal && values[l] == values[first]; });
        if (!equal)
            report(x, op.line, "TC5-009",
                   fmt::format("threads of a warp give {} different operands", what));
    }
}

TensorCores::Group TensorCores::groupOf(Ctx& x, const MicroOp& op, Lanes lanes, unsigned ctas)
{
    Cta& own = *x.cta;
    own.tensor = true;
    const auto bad = [&](const char* why) {
        eachLane(lanes, [&](unsigned l) {
            faultLane(x, l, "TC5-089", std::string("cta_group::2: ") + why, TrapKind::Instruction);
        });
        return Group{};
    };
    if (auto problem = tensorMemory(own.launch.sm).columns.useGroup(own.launch.cta, ctas))
        report(x, op.line, *problem);
    if (ctas == 1) return {{&own, nullptr}, 1};
    const unsigned other = own.launch.rank ^ 1u;
    if (other >= own.launch.ctas) return bad("the cluster has no other CTA of the pair");
    Cta* peer = own.cluster->ranks[other];
    if (peer == nullptr || peer->liveWarps == 0) return bad("the other CTA of the pair has exited");
    if (peer->launch.sm == own.launch.sm) {
        const auto [file, line] = s_.module.placeOf(op.line);
        throw UnsupportedError(
            file, line, 0,
            "instruction not supported: cta_group::2 where both CTAs of the pair "
            "are on one SM: the launch needs more SMs (sms)");
    }
    peer->tensor = true;
    return other % 2 == 1 ? Group{{&own, peer}, 2} : Group{{peer, &own}, 2};
}

void TensorCores::checkColumns(const Ctx& x, const MicroOp& op, const Group& group,
                               const tmem::Plan& plan)
{
    for (const tmem::CellAccess& cell : plan.cells) {
        const Launch& l = group.ctas[cell.cta]->launch;
        auto problem = tensorMemory(l.sm).columns.problemOfAccess(l.cta, cell.window.at.column,
                                                                  cell.window.columns);
        if (problem) return report(x, op.line, *problem);
    }
}

/// Checks operands in shared memory; false: they are outside, and the lane has a fault.
bool TensorCores::checkShared(Ctx& x, const MicroOp& op, unsigned lane, const Group& group,
                              const tmem::Plan& plan)
{
    for (const tmem::SharedAccess& a : plan.shared) {
        const std::uint32_t size = group.ctas[a.cta]->launch.size;
        if (a.first + a.bytes <= size) continue;
        refuse(x, op, 1u << lane,
               {tmem::Rule::OutsideShared,
                fmt::format("byte 0x{:x} of {}", a.first + a.bytes - 1, size)});
        return false;
    }
    for (unsigned side = 0; side < group.count; ++side) {
        Cta& cta = *group.ctas[side];
        if (cta.landing != 0) checkLanded(x, op, lane, cta, side, plan);
        if (matrix_.anyUnfenced(cta)) checkProxy(x, op, cta, side, plan);
    }
    return true;
}

/// Checks that no bulk copy is still writing the operands.
void TensorCores::checkLanded(const Ctx& x, const MicroOp& op, unsigned lane, Cta& cta,
                              unsigned side, const tmem::Plan& plan)
{
    for (const tmem::SharedAccess& a : plan.shared) {
        const Place place{memory_.shared(cta, a.first), &cta, a.first, Place::Where::Shared};
        if (a.cta == side && x.parts->async.landsIn(place, a.bytes))
            return x.parts->async.readsLanding(x, op, place, a.bytes, lane);
    }
}

void TensorCores::checkProxy(const Ctx& x, const MicroOp& op, const Cta& cta, unsigned side,
                             const tmem::Plan& plan)
{
    for (const tmem::SharedAccess& a : plan.shared) {
        if (a.cta != side) continue;
        if (const auto at = matrix_.unfenced(cta, a.first, a.bytes))
            return report(x, op.line, "TC5-086",
                          fmt::format("reads shared memory at +{} that ordinary stores of the CTA "
                                      "have written: no fence.proxy.async followed them",
                                      *at));
    }
}

TensorCores::OpPtr TensorCores::operation(const Ctx& x, const MicroOp& op, TensorOp::Kind kind,
                                          unsigned lane, PlanPtr plan)
{
    auto made = std::make_shared<TensorOp>();
    made->kind = kind;
    made->line = op.line;
    made->issuer = keyOf(*x.cta);
    made->warp = x.warp->index;
    made->lane = static_cast<std::uint8_t>(lane);
    made->plan = std::move(plan);
    made->begins = s_.now();
    return made;
}

void TensorCores::tell(const Ctx& x, std::uint32_t line, const TensorProblem& problem)
{
    const TensorOp& with = *problem.with;
    const Lanes warp = Lanes{1} << x.warp->index % 32;
    if (problem.fence && (with.told & warp) != 0) return;
    if (problem.fence) with.told |= warp;
    report(x, line, problem.rule,
           fmt::format("uses tensor memory of the {} of {}: {}", with.name(),
                       s_.module.lineText(with.line), problem.text));
}

/// Checks the operation against earlier ones in each CTA, and puts it in flight until TensorOp::performs.
void TensorCores::issue(const Ctx& x, const OpPtr& op, const Group& group, Flight flight)
{
    const std::uint64_t after = warpOf(x).fencedAfter;
    op->issued = tick();
    for (unsigned side = 0; side < group.count; ++side) {
        const auto problem = sideOf(*group.ctas[side]).order.problemOf(*op, side, after);
        if (!problem) continue;
        tell(x, op->line, *problem);
        break;
    }
    for (unsigned side = 0; side < group.count; ++side) {
        CtaSide& cta = sideOf(*group.ctas[side]);
        cta.order.add(op, side, after);
        if (op->onCore() && !std::exchange(cta.reads, true)) ++group.ctas[side]->matrixReads;
    }
    flight.op = op;
    send(op->performs, std::move(flight));
    s_.progress.changed();
}

void TensorCores::send(Cycle when, Flight flight)
{
    std::uint32_t slot = static_cast<std::uint32_t>(flights_.size());
    if (freeFlights_.empty()) {
        flights_.push_back(std::move(flight));
    } else {
        slot = freeFlights_.back();
        freeFlights_.pop_back();
        flights_[slot] = std::move(flight);
    }
    s_.events.at(when, s_.now(), *this, slot);
}

void TensorCores::due(std::uint64_t token)
{
    const Flight flight = std::move(flights_[token]);
    freeFlights_.push_back(static_cast<std::uint32_t>(token));
    s_.progress.changed();
    if (flight.op == nullptr) return complete(std::get<Arrival>(flight.what));
    flight.op->performed = true;
    tell(flight);
    if (const auto* product = std::get_if<Multiply>(&flight.what))
        return perform(*flight.op, *product);
    if (const auto* block = std::get_if<CopyIn>(&flight.what)) return perform(*flight.op, *block);
    if (const auto* down = std::get_if<ShiftDown>(&flight.what)) return perform(*flight.op, *down);
    perform(*flight.op, std::get<Move>(flight.what));
}

void TensorCores::fence(const Ctx& x, bool before)
{
    WarpSide& warp = warpOf(x);
    if (before)
        sideOf(*x.cta).order.fenced(keyOf(*x.cta), x.warp->index, tick());
    else
        warp.fencedAfter = tick();
}

void TensorCores::ended(const Cta& cta)
{
    const auto found = ctas_.find(cta.serial);
    if (found == ctas_.end()) return;
    const std::uint32_t line = found->second.line;
    releaseAll(cta);
    auto problem = tensorMemory(cta.launch.sm).columns.exit(cta.launch.cta);
    if (problem && !s_.trapped)
        s_.findings.add(
            {tmem::textOf(problem->rule).id, Severity::Error,
             fmt::format("{} ({})", tmem::textOf(problem->rule).statement, problem->text),
             cta.linear, 0, 0, line, s_.now()});
    std::erase_if(waiters_, [&](const Waiter& w) { return w.cta == keyOf(cta); });
    ctas_.erase(found);
    ++s_.resources.columnsFreed;
    retry();
}

/// Bytes of a window change: checks that their readers have been waited for.
void TensorCores::watchReaders(const Cta& owner, std::uint32_t offset, std::uint32_t bytes)
{
    const auto found = ctas_.find(owner.serial);
    if (found == ctas_.end()) return;
    const TensorOp* op = found->second.order.reading(offset, bytes);
    if (op == nullptr) return;
    s_.findings.add({"TC5-085", Severity::Error,
                     fmt::format("shared memory at +{} is overwritten that this {} reads: no wait "
                                 "has found a later commit",
                                 offset, op->name()),
                     owner.linear, op->warp, Lanes{1} << op->lane, op->line, s_.now()});
}

void TensorCores::overwritten(const Cta& owner, std::uint32_t offset, std::uint32_t bytes)
{
    matrix_.overwritten(owner, offset, bytes);
    watchReaders(owner, offset, bytes);
}

void TensorCores::stored(const Cta& owner, std::uint32_t offset, std::uint32_t bytes)
{
    matrix_.stored(owner, offset, bytes);
}

void TensorCores::arrived(const Cta& owner, std::uint32_t offset, std::uint32_t bytes)
{
    matrix_.arrived(owner, offset, bytes);
}

void TensorCores::performed(std::uint8_t sm, std::uint64_t by, std::uint32_t address,
                            std::uint32_t bytes)
{
    if (const Cta* owner = residents_.holding(sm, address); owner != nullptr)
        watchReaders(*owner, address - owner->launch.base, bytes);
    matrix_.performed(sm, by, address, bytes);
}

}  // namespace gsu::exec
