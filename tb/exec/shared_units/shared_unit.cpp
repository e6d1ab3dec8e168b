#include "exec/shared_units/shared_unit.hpp"

#include <algorithm>
#include <cassert>

#include "exec/machine/kernel_run.hpp"
#include "golden/forwarding_port.hpp"

namespace gsu {

/// One launch's view of the unit. Time is the unit's.
class SharedUnit::Port final : public ForwardingPort {
public:
    Port(SyncPort& unit, std::vector<Port*>& owners) : ForwardingPort(unit), owners_(owners) {}
    void noMoreRoutes() override {}  // of this launch; others may have some
    bool launch(const Launch& launch) override
    {
        if (!ForwardingPort::launch(launch)) return false;
        owners_[launch.sm * kMaxCtas + launch.cta] = this;
        return true;
    }
    void grid(const GridStart& grid) override
    {
        slot = grid.grid;
        ForwardingPort::grid(grid);
    }
    /// Reports performed accesses. Accesses that an output of a step performs are input of the next step, so that a trace can express it.
    void performed(const Accesses& accesses) override
    {
        if (stepping)
            late_.push_back(accesses);
        else
            ForwardingPort::performed(accesses);
    }
    /// Gives late inputs. Returns true if there was one.
    bool giveLate()
    {
        for (const Accesses& accesses : late_) ForwardingPort::performed(accesses);
        const bool any = !late_.empty();
        late_.clear();
        return any;
    }
    void step() override { assert(false); }
    void skipTo(Cycle) override { assert(false); }
    [[nodiscard]] SyncSink& reports() noexcept { return *this; }
    /// The launch is over and will be destroyed.
    void forget() noexcept
    {
        sink_ = nullptr;
        member = nullptr;
    }
    std::uint8_t slot{};  ///< of its grid
    Member* member{};
    bool stepping{};  ///< the unit executes a cycle

private:
    std::vector<Port*>& owners_;
    std::vector<Accesses> late_;
};

struct SharedUnit::Member {
    exec::KernelRun* machine{};  ///< nullptr: it is destroyed
    std::uint8_t grid{};         ///< its slot, until it is complete
    Cycle begun{};
    std::uint64_t changes{};  ///< changes that the others know of
    std::optional<RunResult> result{};
};

SharedUnit::SharedUnit(unsigned sms) : resources_(sms), owners_(std::size_t{sms} * kMaxCtas) {}
SharedUnit::~SharedUnit() = default;

void SharedUnit::attach(SyncPort& port)
{
    assert(port.sms() >= resources_.sms());
    port_ = &port;
    port.setSink(*this);
}

SyncPort& SharedUnit::newPort()
{
    ports_.push_back(std::make_unique<Port>(*port_, owners_));
    port_->setSink(*this);
    return *ports_.back();
}

/// Takes a remark on a commit, or on a store that a launch is reporting.
void SharedUnit::note(const MbarNote& note)
{
    if (acting_ != nullptr)
        acting_->machine->state.findings.note(note);
    else
        notes_.push_back(note);
}

void SharedUnit::begin(Executor& executor, SyncPort& front)
{
    exec::KernelRun& machine = *executor.machine_;
    const std::uint8_t grid = resources_.freeGrid();
    assert(grid != 0 && &machine.state.resources == &resources_);
    std::uint16_t before = 0;
    for (const auto& m : members_) before |= static_cast<std::uint16_t>(1u << m->grid);
    machine.state.grids.share(machine.shape.ctas, grid, before & static_cast<std::uint16_t>(~1u));
    resources_.takeGrid(grid);
    members_.push_back(
        std::make_unique<Member>(Member{.machine = &machine, .grid = grid, .begun = port_->now()}));
    Member* const member = members_.back().get();
    ports_.back()->member = member;
    resources_.packets.emplace_back([member](std::uint32_t packet) {
        return member->machine != nullptr && member->machine->holdsPacket(packet);
    });
    machine.begin(front);
}

void SharedUnit::end(Member& member) { member.result = member.machine->end(); }

void SharedUnit::retire(std::size_t launch)
{
    Member& member = *members_[launch];
    assert(member.result);
    for (const auto& p : ports_) {
        if (p->member == &member) p->forget();
    }
    member.machine = nullptr;
}

/// Every launch gives its inputs of this cycle. Returns true if there was one.
bool SharedUnit::actAll()
{
    const std::size_t count = members_.size();
    const std::size_t first = static_cast<std::size_t>(turns_++ % std::max<std::size_t>(count, 1));
    bool given = false;
    for (const auto& p : ports_) given = p->giveLate() || given;
    for (std::size_t k = 0; k < count; ++k) {
        Member& m = *members_[(first + k) % count];
        if (m.result) continue;
        acting_ = &m;
        if (!m.machine->act()) end(m);
        acting_ = nullptr;
    }
    // Inputs that an ended launch gave since then count, too.
    for (const auto& m : members_)
        given = given || (m->machine != nullptr && m->machine->state.port.given());
    return given;
}

/// Changes of one launch may be what another waits for.
void SharedUnit::wakeOthers()
{
    const auto news = [](const Member& m) {
        return m.machine == nullptr ? m.changes : m.machine->state.progress.changes();
    };
    std::vector<bool> moved;
    for (const auto& m : members_) moved.push_back(news(*m) != m->changes);
    for (std::size_t i = 0; i < members_.size(); ++i) {
        bool others = false;
        for (std::size_t k = 0; k < moved.size(); ++k) others = others || (k != i && moved[k]);
        if (others && !members_[i]->result) members_[i]->machine->wake();
    }
    for (const auto& m : members_) m->changes = news(*m);
}

bool SharedUnit::somebodyReleased()
{
    bool any = false;
    for (const auto& m : members_) {
        if (m->result) continue;
        if (m->machine->over()) {
            end(*m);
            any = true;
        } else {
            any = m->machine->releaseHeld() || any;
        }
    }
    return any;
}

bool SharedUnit::turn()
{
    const std::size_t running = static_cast<std::size_t>(
        std::count_if(members_.begin(), members_.end(), [](const auto& m) { return !m->result; }));
    const bool given = actAll();
    if (running != 0 && !underWay()) return true;  // no clock more than they took
    const Cycle now = port_->now(), quiet = port_->quietUntil();
    if (given || quiet <= now) {
        for (const auto& p : ports_) p->stepping = true;
        port_->step();
        for (const auto& p : ports_) p->stepping = false;
        for (const auto& m : members_) {
            if (!m->result) m->machine->checkUnits();
        }
        wakeOthers();
        return true;
    }
    wakeOthers();
    Cycle next = quiet, most = kNever;
    std::size_t left = 0;
    for (const auto& m : members_) {
        if (m->result) continue;
        ++left;
        next = std::min(next, m->machine->nextTurn());
        most = std::min(most, m->machine->options.maxCycles);
    }
    if (left != running) return true;  // launches that waited for the end may begin
    if (next == kNever) return somebodyReleased();
    port_->skipTo(std::min(next, most));
    return true;
}

void SharedUnit::giveUp()
{
    for (const auto& m : members_) {
        if (!m->result) end(*m);
    }
}

void SharedUnit::stopBehind(std::size_t launch, const std::string& why)
{
    for (std::size_t i = launch + 1; i < members_.size(); ++i) {
        if (members_[i]->result) continue;
        members_[i]->machine->stop(why);
        end(*members_[i]);
    }
}

bool SharedUnit::underWay() const noexcept
{
    return std::any_of(members_.begin(), members_.end(), [](const auto& m) { return !m->result; });
}
const RunResult* SharedUnit::result(std::size_t launch) const noexcept
{
    return members_[launch]->result ? &*members_[launch]->result : nullptr;
}
Cycle SharedUnit::begun(std::size_t launch) const noexcept { return members_[launch]->begun; }
bool SharedUnit::signalled(std::size_t launch) const noexcept
{
    const Member& m = *members_[launch];
    return m.result || m.machine->state.grids.signalled(m.machine->launcher.left());
}

SharedUnit::Port* SharedUnit::ownerOf(unsigned sm, unsigned cta) noexcept
{
    return owners_[sm * kMaxCtas + cta];
}

SharedUnit::Port* SharedUnit::holderOf(const Delivered& delivered) noexcept
{
    const std::uint32_t packet = resources_.chip().packetName(delivered.sm, delivered.tag);
    for (const auto& p : ports_) {
        if (p->member != nullptr && p->member->machine->holdsPacket(packet)) return p.get();
    }
    return ownerOf(delivered.sm, delivered.cta);
}

void SharedUnit::onResponse(const SyncResponse& response)
{
    if (Port* p = ownerOf(response.at.sm, response.at.cta)) p->reports().onResponse(response);
}
void SharedUnit::onRelease(const Release& release)
{
    if (Port* p = ownerOf(release.sm, release.cta)) p->reports().onRelease(release);
}
void SharedUnit::onCommit(const Commit& commit)
{
    Port* to = ownerOf(commit.at.sm, commit.at.cta);
    if (commit.op >= Op::EvGridOpen && commit.op <= Op::EvGridEnd) {
        const auto found = std::find_if(ports_.rbegin(), ports_.rend(),
                                        [&](const auto& p) { return p->slot == commit.object; });
        to = found != ports_.rend() ? found->get() : nullptr;
    }
    if (to == nullptr) return;
    if (to->member != nullptr && !to->member->result) {
        for (const MbarNote& n : notes_) to->member->machine->state.findings.note(n);
    }
    notes_.clear();
    to->reports().onCommit(commit);
}
void SharedUnit::onDelivered(const Delivered& delivered)
{
    if (Port* p = holderOf(delivered)) p->reports().onDelivered(delivered);
}
void SharedUnit::onCtaFree(const CtaFree& free)
{
    if (Port* p = ownerOf(free.sm, free.cta)) p->reports().onCtaFree(free);
}

/// Passes a grid event to all launches.
void SharedUnit::onGrid(const GridEvent& event)
{
    if (event.complete) {
        resources_.giveGrid(event.grid);
        for (const auto& m : members_) {
            if (m->grid == event.grid) m->grid = 0;
        }
    }
    for (const auto& p : ports_) p->reports().onGrid(event);
}
void SharedUnit::onCancel(const CancelQuery& query)
{
    if (Port* p = ownerOf(query.sm, query.cta)) p->reports().onCancel(query);
}

}  // namespace gsu
