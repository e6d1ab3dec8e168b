#include "trace/replayer.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <functional>

#include "golden/op_traits.hpp"
#include "trace/record_text.hpp"

namespace gsu::trace {

namespace {

constexpr std::uint32_t kFaultEvery = 1024;
/// If a quiet port refuses for this many cycles, it has no unit for the request.
constexpr std::uint32_t kGiveUp = 10'000;

bool equal(const SyncResponse& a, const SyncResponse& b)
{
    return a.cycle == b.cycle && a.at == b.at && a.lanes == b.lanes && a.pred == b.pred &&
           a.cause == b.cause && a.value == b.value && a.stride == b.stride && a.last == b.last &&
           a.tag == b.tag;
}
bool equal(const Release& a, const Release& b)
{
    return a.cycle == b.cycle && a.sm == b.sm && a.cta == b.cta && a.warps == b.warps &&
           a.lanes == b.lanes && a.cluster == b.cluster && a.id == b.id && a.popc == b.popc &&
           a.all == b.all && a.any == b.any;
}
bool equal(const CtaFree& a, const CtaFree& b)
{
    return a.cycle == b.cycle && a.sm == b.sm && a.cta == b.cta;
}
bool equal(const Delivered& a, const Delivered& b)
{
    return writtenLanes(a) == writtenLanes(b) && a.cycle == b.cycle && a.sm == b.sm &&
           a.cta == b.cta && a.tag == b.tag && a.refused == b.refused;
}

bool equal(const GridEvent& a, const GridEvent& b)
{
    return a.cycle == b.cycle && a.grid == b.grid && a.complete == b.complete;
}

bool equal(const CancelQuery& a, const CancelQuery& b)
{
    return a.cycle == b.cycle && a.sm == b.sm && a.cta == b.cta && a.tag == b.tag &&
           a.lane == b.lane && a.slot == b.slot && a.multicast == b.multicast;
}

/// "cycle 120: answer 0/0/1 ...", for people.
template <typename T> std::string describe(const T& outcome)
{
    std::string text;
    Cycle previous = outcome.cycle;
    appendRecord(text, outcome, previous);
    const auto dt = text.find(" +0");
    if (dt != std::string::npos) text.erase(dt, 3);
    return fmt::format("cycle {}: {}", outcome.cycle, text);
}

}  // namespace

Replayer::Replayer(const Program& program, SyncPort& port, bool compare, MemoryFeed* memory)
    : program_(program),
      port_(port),
      compare_(compare),
      memory_(memory),
      open_(program.header.sms),
      waits_(open_.size()),
      warps_(open_.size()),
      given_(program.steps.size()),
      tags_(program.header.sms),
      cancels_(program.cancels.empty() ? 0 : program.header.sms)
{
    port_.setSink(*this);
    for (std::size_t i = 0; i < warps_.size(); ++i) warps_[i].head = program_.heads[i];
    heap_.reserve(1024);
    deferred_.reserve(64);
}

void Replayer::push(Event event)
{
    heap_.push_back(event);
    std::push_heap(heap_.begin(), heap_.end(), std::greater<>{});
}

/// Schedules every step of a warp whose lanes are free and whose turn has come.
void Replayer::schedule(std::size_t index)
{
    Warp& w = warps_[index];
    Lanes taken = w.open | w.claimed;
    for (std::uint32_t i = w.head; i != kNoIndex && (w.live & ~taken) != 0;
         i = program_.steps[i].next) {
        if (given_[i] != 0) continue;
        const Step& step = program_.steps[i];
        if ((step.lanes & taken) == 0 && (step.lanes & ~w.live) == 0) {
            given_[i] = 1;
            w.claimed |= step.lanes;
            push({std::max(w.answered.latest(step.lanes) + step.dt, port_.now()), step.order, i,
                  Kind::Step});
        }
        taken |= step.lanes;
    }
}

void Replayer::scheduleControl()
{
    if (controlScheduled_ || nextControl_ == program_.controls.size()) return;
    const Control& c = program_.controls[nextControl_];
    if (frees_ < c.frees) return;
    controlScheduled_ = true;
    push({std::max(lastFree_ + c.dt, port_.now()), c.order, nextControl_, Kind::Control});
}

void Replayer::attach(std::uint32_t first, Cycle now)
{
    for (std::uint32_t i = first; i != kNoIndex; i = program_.attachments[i].next) {
        const Attachment& a = program_.attachments[i];
        push({now + a.delta, a.order, i, Kind::Attachment});
    }
}

bool Replayer::freeTag(std::uint8_t sm, std::uint16_t& tag)
{
    auto& used = tags_[sm];
    if (used[tag]) {
        std::size_t other = 0;
        while (other < used.size() && used[other]) ++other;
        if (other == used.size()) return false;
        tag = std::uint16_t(other);
    }
    used[tag] = true;
    return true;
}

bool Replayer::giveStep(std::uint32_t index, Cycle now)
{
    const Step& s = program_.steps[index];
    Warp& w = warps_[OpenTable::indexOf(s.at)];
    waits_.given(s, index);
    if (s.op == Op::None) {
        port_.exit({s.at, s.lanes, (s.flags & kTrap) != 0});
        w.live &= ~s.lanes;
    } else {
        if (!port_.canPresent(s.at.sm)) return false;
        std::uint16_t tag = s.tag;
        if (!freeTag(s.at.sm, tag)) return false;
        program_.expand(s, request_);
        request_.tag = tag;
        if (isCancel(s.op) && !cancels_.empty()) cancels_[s.at.sm][tag] = index;
        port_.present(request_);
        open_.present(request_, now);
        w.open |= s.lanes;
        ++result_.requests;
    }
    w.claimed &= ~s.lanes;
    given_[index] = 2;
    ++done_;
    while (w.head != kNoIndex && given_[w.head] == 2) w.head = program_.steps[w.head].next;
    attach(s.attached, now);
    return true;
}

bool Replayer::giveAttachment(const Attachment& a)
{
    switch (a.what) {
        case Attachment::What::Update: break;
        case Attachment::What::Store:
            clear(a.update.sm, a.update.addr, a.update.amount);
            port_.stored(a.update.sm, a.update.addr, a.update.amount);
            return true;
        case Attachment::What::Announce: giveAnnounce(a.accesses); return true;
        case Attachment::What::Perform: return givePerform(a.accesses);
    }
    if (!port_.canNotify(a.update.sm)) return false;
    port_.notify(a.update);
    return true;
}

bool Replayer::give(const Event& event, Cycle now)
{
    switch (event.kind) {
        case Kind::Control: return giveControl(program_.controls[event.index], now);
        case Kind::Step: return giveStep(event.index, now);
        case Kind::Attachment: return giveAttachment(program_.attachments[event.index]);
        case Kind::Answer:
            if (!port_.canAnswerCancel(answers_[event.index].sm)) return false;
            port_.answerCancel(answers_[event.index]);
            return true;
    }
    return true;
}

void Replayer::giveDue(Cycle now)
{
    std::size_t kept = 0;
    for (std::size_t i = 0; i < deferred_.size(); ++i) {
        const Event event = deferred_[i];
        if (!give(event, now)) deferred_[kept++] = event;
    }
    deferred_.resize(kept);
    while (!heap_.empty() && heap_.front().at <= now) {
        std::pop_heap(heap_.begin(), heap_.end(), std::greater<>{});
        const Event event = heap_.back();
        heap_.pop_back();
        giveMemory(event.order, now);
        if (!give(event, now)) deferred_.push_back(event);
    }
    giveMemory(MemoryFeed::kAll, now);
}

/// Gives the memory records before this record of the file, up to this cycle.
void Replayer::giveMemory(std::uint64_t before, Cycle cycle)
{
    if (memory_ != nullptr && !result_.differs) memory_->give(before, cycle, nextOutcome_);
}

void Replayer::wake(WarpRef at, Lanes lanes, Cycle cycle)
{
    const std::size_t index = OpenTable::indexOf(at);
    Warp& w = warps_[index];
    w.open &= ~lanes;
    w.answered.set(lanes, w.live, cycle);
    if (w.dirty) return;
    w.dirty = true;
    dirty_.push_back(index);
}

void Replayer::closed(WarpRef at, const OpenPart& part) { tags_[at.sm][part.tag] = false; }

/// Reports that the next recorded outcome is missing.
void Replayer::missing()
{
    const Outcome& expected = program_.outcomes[nextOutcome_];
    result_.differs = true;
    result_.difference =
        "missing: " + std::visit([](const auto& o) { return describe(o); }, expected);
    if (const auto* answer = std::get_if<SyncResponse>(&expected))
        result_.difference += waits_.explain(program_, answer->at, answer->lanes);
}

template <typename T> void Replayer::compare(const T& actual)
{
    if (!compare_ || result_.differs) return;
    if (actual.cycle >= program_.stop) {
        if (nextOutcome_ != program_.outcomes.size()) missing();
        return;
    }
    if (nextOutcome_ == program_.outcomes.size()) {
        result_.differs = true;
        result_.difference = "not recorded: " + describe(actual);
        return;
    }
    const Outcome& expected = program_.outcomes[nextOutcome_++];
    const T* same = std::get_if<T>(&expected);
    if (same != nullptr && equal(*same, actual)) {
        ++result_.compared;
        giveMemory(MemoryFeed::kAll, actual.cycle);
        return;
    }
    result_.differs = true;
    result_.difference =
        "recorded: " + std::visit([](const auto& o) { return describe(o); }, expected) +
        "; now: " + describe(actual);
}

void Replayer::onResponse(const SyncResponse& response)
{
    const bool agreed = !result_.differs;
    compare(response);
    if (agreed && result_.differs && response.cycle < program_.stop)
        result_.difference += waits_.explain(program_, response.at, response.lanes);
    waits_.answered(response);
    open_.response(response, [&](WarpRef at, const OpenPart& part, Lanes lanes, bool last) {
        wake(at, lanes, response.cycle);
        if (last) closed(at, part);
    });
}

void Replayer::onRelease(const Release& release)
{
    compare(release);
    open_.release(release, [&](WarpRef at, const OpenPart& part, Lanes lanes, bool last) {
        wake(at, lanes, release.cycle);
        if (last) closed(at, part);
    });
}

void Replayer::onDelivered(const Delivered& delivered)
{
    // the trace is older than these records
    if (delivered.refused && program_.header.version < 3) return;
    compare(delivered);
}

void Replayer::onCtaFree(const CtaFree& free)
{
    compare(free);
    ++frees_;
    lastFree_ = free.cycle;
}

void Replayer::onGrid(const GridEvent& event)
{
    compare(event);
    if (event.complete) grids_ &= ~(1u << event.grid);
}

/// Answers a query as recorded, the same number of clocks after it; a query without a recorded answer gets none.
void Replayer::onCancel(const CancelQuery& query)
{
    compare(query);
    if (cancels_.empty()) return;
    const std::uint64_t step = cancels_[query.sm][query.tag];
    const auto found = program_.cancels.find(step << 5 | query.lane);
    if (found == program_.cancels.end()) return;
    const CancelOutcome& o = found->second;
    answers_.push_back({query.sm, query.slot, o.canceled, o.first});
    push({query.cycle + std::max<Cycle>(o.delta, 1), o.order, std::uint32_t(answers_.size() - 1),
          Kind::Answer});
}

/// Runs one cycle, then advances to the next cycle in which something can happen; false when nothing will ever happen.
bool Replayer::advance(Cycle maxCycles)
{
    giveDue(port_.now());
    port_.step();
    for (const std::size_t index : dirty_) {
        warps_[index].dirty = false;
        schedule(index);
    }
    dirty_.clear();
    scheduleControl();
    const Cycle now = port_.now();
    const Cycle next = heap_.empty() ? kNever : heap_.front().at;
    if (next <= now) return true;
    const Cycle quiet = port_.quietUntil();
    if (quiet <= now) return true;
    if (!deferred_.empty()) return ++idle_ < kGiveUp;
    idle_ = 0;
    if (next == kNever && quiet == kNever) return false;
    port_.skipTo(std::min({next, quiet, std::max(now, maxCycles)}));
    return true;
}

void Replayer::finish(ReplayResult& result)
{
    result.cycles = port_.now();
    const bool whole = !result.limit && !result.interrupted;
    if (compare_ && whole && !result.differs && program_.stop != kNever &&
        port_.quietUntil() >= program_.stop)
        result.cycles = program_.stop;  // nothing happens before that cycle
    result.fault = port_.fault();
    result.left = program_.steps.size() - done_;
    result.waits = waits_.finish(program_);
    for (std::size_t i = 0; i < open_.size(); ++i) {
        const WarpRef at = OpenTable::warpAt(i);
        for (const OpenPart& p : open_.parts(at))
            result.blocked.push_back({at, p.lanes, p.op, p.id, p.source, p.since});
    }
    if (!deferred_.empty() && whole)
        result.refusesAsync = deferred_.front().kind == Kind::Attachment;
    if (compare_ && !result.differs && whole && nextOutcome_ != program_.outcomes.size()) missing();
    if (whole) giveMemory(MemoryFeed::kAll, kNever);
}

ReplayResult Replayer::run(Cycle maxCycles, const std::atomic<bool>* stop)
{
    scheduleControl();
    // The recorded run ended here; later cycles have nothing to compare with.
    const Cycle end = compare_ ? program_.stop : kNever;
    std::uint32_t steps = 0;
    while (advance(std::min(maxCycles, end))) {
        if (port_.now() >= end && !result_.differs && done_ == program_.steps.size()) break;
        if (port_.now() >= maxCycles) {
            result_.limit = true;
            break;
        }
        if (stop != nullptr && stop->load(std::memory_order_relaxed)) {
            result_.interrupted = true;
            break;
        }
        if (++steps % kFaultEvery == 0 && port_.fault().has_value()) break;
    }
    finish(result_);
    return result_;
}

}  // namespace gsu::trace
