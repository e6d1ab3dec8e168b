#include "units/chip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "golden/chip_layout.hpp"

namespace gsu {
namespace {

// Where an input or a report names its SM.
auto& smOf(SyncRequest& r) { return r.at.sm; }
auto& smOf(Exit& e) { return e.at.sm; }
auto& smOf(Accesses& a) { return a.at.sm; }
auto& smOf(SyncResponse& r) { return r.at.sm; }
auto& smOf(Commit& c) { return c.at.sm; }
auto& smOf(auto& other) { return other.sm; }

}  // namespace

/// Its SMs have the numbers of the chip outside, and count from 0 inside.
class Chip::Network final : private SyncSink, private SharedMemory {
public:
    Network(Chip& chip, unsigned index, UnitOptions parts, const Config& config,
            SharedMemory& memory)
        : chip_(chip), base_(index * kMaxSms), memory_(memory)
    {
        parts.sms = smsOfNetwork(index, parts.sms);
        parts.firstSm = base_;
        if (parts.onNote) {
            parts.onNote = [this, tell = std::move(parts.onNote)](const MbarNote& note) {
                tell(outside(note));
            };
        }
        SharedMemory& own = *this;  // a private base: make_unique cannot convert to it
        unit_ = std::make_unique<SyncUnit>(parts, config, own);
        unit_->port().setSink(*this);
    }

    [[nodiscard]] SyncUnit& unit() const noexcept { return *unit_; }
    [[nodiscard]] SyncPort& port() const noexcept { return unit_->port(); }
    [[nodiscard]] unsigned base() const noexcept { return base_; }
    [[nodiscard]] std::uint8_t local(unsigned sm) const noexcept
    {
        return static_cast<std::uint8_t>(sm - base_);
    }
    /// The port, for something that is input of this cycle.
    [[nodiscard]] SyncPort& give() noexcept
    {
        given_ = true;
        return port();
    }
    /// Calls `to` on the port with the input as the network knows it.
    template <typename Input> void give(void (SyncPort::*to)(const Input&), const Input& input)
    {
        if (base_ == 0) return (give().*to)(input);
        Input own = input;
        smOf(own) = local(smOf(own));
        (give().*to)(own);
    }
    [[nodiscard]] Cycle quietUntil() const { return given_ ? port().now() : port().quietUntil(); }
    void step()
    {
        const Cycle next = port().now() + 1;
        const bool quiet = quietUntil() >= next;
        given_ = false;
        quiet ? port().skipTo(next) : port().step();
    }

private:
    template <typename Report> [[nodiscard]] Report outside(const Report& report) const
    {
        Report out = report;
        smOf(out) = static_cast<std::uint8_t>(smOf(out) + base_);
        return out;
    }
    template <typename Report> void pass(void (SyncSink::*to)(const Report&), const Report& report)
    {
        if (chip_.sink_ == nullptr) return;
        base_ == 0 ? (chip_.sink_->*to)(report) : (chip_.sink_->*to)(outside(report));
    }
    void onResponse(const SyncResponse& response) override
    {
        pass(&SyncSink::onResponse, response);
    }
    void onRelease(const Release& release) override { pass(&SyncSink::onRelease, release); }
    void onCommit(const Commit& commit) override
    {
        if (chip_.sink_ == nullptr) return;
        if (chip_.networks_.size() == 1) return chip_.sink_->onCommit(commit);
        // The part of a grid that is elsewhere is nobody's business but ours.
        const bool ofGrid = commit.op >= Op::EvGridOpen && commit.op <= Op::EvGridEnd;
        if (chip_.grids_ && ofGrid && commit.object >= kChipGrids) return;
        Commit out = outside(commit);
        out.srcSm = static_cast<std::uint8_t>(out.srcSm + base_);
        out.seq = chip_.seq_++;
        chip_.sink_->onCommit(out);
    }
    void onDelivered(const Delivered& delivered) override
    {
        pass(&SyncSink::onDelivered, delivered);
    }
    void onCtaFree(const CtaFree& free) override { pass(&SyncSink::onCtaFree, free); }
    void onGrid(const GridEvent& event) override
    {
        const std::optional<GridEvent> whole =
            chip_.grids_ ? chip_.grids_->saw(event) : std::optional(event);
        if (whole && chip_.sink_ != nullptr) chip_.sink_->onGrid(*whole);
    }
    void onCancel(const CancelQuery& query) override { pass(&SyncSink::onCancel, query); }
    [[nodiscard]] std::uint64_t readWord(std::uint8_t sm, std::uint32_t addr) const override
    {
        return memory_.readWord(static_cast<std::uint8_t>(sm + base_), addr);
    }
    void writeWord(std::uint8_t sm, std::uint32_t addr, std::uint64_t value) override
    {
        memory_.writeWord(static_cast<std::uint8_t>(sm + base_), addr, value);
    }

    Chip& chip_;
    unsigned base_;
    SharedMemory& memory_;
    std::unique_ptr<SyncUnit> unit_;
    bool given_{};  ///< something was given for this cycle
};

Chip::Chip(const UnitOptions& options, const Config& config, SharedMemory& memory, Grids grids)
    : sms_(options.sms)
{
    std::vector<SyncPort*> ports;
    for (unsigned index = 0; index < networksOf(sms_); ++index) {
        networks_.push_back(std::make_unique<Network>(*this, index, options, config, memory));
        ports.push_back(&networks_.back()->port());
    }
    if (grids == Grids::Whole && networks_.size() > 1) grids_.emplace(std::move(ports));
}

Chip::~Chip() = default;
SyncUnit& Chip::network(unsigned index) const noexcept { return networks_[index]->unit(); }
const Structure& Chip::structure() const noexcept { return networks_.front()->port().structure(); }
Cycle Chip::now() const { return networks_.front()->port().now(); }

bool Chip::canPresent(std::uint8_t sm) const { return at(sm).port().canPresent(at(sm).local(sm)); }
void Chip::present(const SyncRequest& request)
{
    at(request.at.sm).give(&SyncPort::present, request);
}
bool Chip::canNotify(std::uint8_t sm) const { return at(sm).port().canNotify(at(sm).local(sm)); }
void Chip::notify(const AsyncUpdate& update) { at(update.sm).give(&SyncPort::notify, update); }
void Chip::route(const ClusterRoute& route) { at(route.sm).give(&SyncPort::route, route); }

void Chip::networkGrid(unsigned network, const GridStart& grid)
{
    assert(!grids_);
    networks_[network]->give().grid(grid);
}

void Chip::grid(const GridStart& grid)
{
    if (!grids_) {
        assert(networks_.size() == 1);
        return networkGrid(0, grid);
    }
    for (const auto& network : networks_) static_cast<void>(network->give());
    grids_->give(grid);
}

bool Chip::launch(const Launch& launch)
{
    Network& network = at(launch.sm);
    Launch own = launch;
    own.sm = network.local(launch.sm);
    if (!network.port().launch(own)) return false;
    static_cast<void>(network.give());
    if (grids_ && launch.grid != 0) {
        for (const auto& each : networks_) static_cast<void>(each->give());
        grids_->launched(launch.grid, networkOf(launch.sm));
    }
    return true;
}

void Chip::exit(const Exit& exit) { at(exit.at.sm).give(&SyncPort::exit, exit); }
void Chip::stored(std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes)
{
    at(sm).give().stored(at(sm).local(sm), addr, bytes);
}
std::uint8_t Chip::epoch(const WarpRef& at, Reach reach) const
{
    const Network& network = this->at(at.sm);
    return network.port().epoch({network.local(at.sm), at.cta, at.warp}, reach);
}
void Chip::announce(const Accesses& accesses)
{
    at(accesses.at.sm).give(&SyncPort::announce, accesses);
}
void Chip::performed(const Accesses& accesses)
{
    at(accesses.at.sm).give(&SyncPort::performed, accesses);
}
bool Chip::canAnswerCancel(std::uint8_t sm) const
{
    return at(sm).port().canAnswerCancel(at(sm).local(sm));
}
void Chip::answerCancel(const CancelAnswer& answer)
{
    at(answer.sm).give(&SyncPort::answerCancel, answer);
}

void Chip::step()
{
    if (grids_ && grids_->giveEnds()) {
        for (const auto& network : networks_) static_cast<void>(network->give());
    }
    for (speaking_ = 0; speaking_ < networks_.size(); ++speaking_) networks_[speaking_]->step();
}

Cycle Chip::quietUntil() const
{
    if (grids_ && grids_->endsPending()) return now();
    Cycle until = kNever;
    for (const auto& network : networks_) until = std::min(until, network->quietUntil());
    return until;
}

void Chip::skipTo(Cycle cycle)
{
    for (const auto& network : networks_) network->port().skipTo(cycle);
}

std::optional<Fault> Chip::fault() const
{
    for (const auto& network : networks_) {
        std::optional<Fault> fault = network->port().fault();
        if (!fault) continue;
        if (networks_.size() > 1)
            fault->message =
                fmt::format("network of SM {} on{}: {}", network->base(),
                            fault->kind == Fault::Kind::Assertion ? "" : ", its SMs counted from 0",
                            fault->message);
        return fault;
    }
    return std::nullopt;
}

}  // namespace gsu
