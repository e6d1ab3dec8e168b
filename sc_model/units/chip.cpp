#include "units/chip.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cassert>

#include "golden/chip_layout.hpp"
#include "units/sm_range.hpp"

namespace gsu {

/// Passes reports on as those of the chip.
class Chip::Network final : private SyncSink {
public:
    /// `parts.sms`: of this network.
    Network(Chip& chip, unsigned first, const UnitOptions& parts, const Config& config,
            SharedMemory& memory)
        : chip_(chip), range_(parts, first, config, memory)
    {
        range_.setSink(*this);
    }

    [[nodiscard]] SyncUnit& unit() const noexcept { return range_.unit(); }
    [[nodiscard]] unsigned first() const noexcept { return range_.first(); }
    [[nodiscard]] SyncPort& port() noexcept { return range_; }
    /// The port, for something that is input of this cycle.
    [[nodiscard]] SyncPort& give() noexcept
    {
        given_ = true;
        return port();
    }
    [[nodiscard]] Cycle quietUntil() const { return given_ ? range_.now() : range_.quietUntil(); }
    void step()
    {
        const Cycle next = range_.now() + 1;
        const bool quiet = quietUntil() >= next;
        given_ = false;
        quiet ? range_.skipTo(next) : range_.step();
    }

private:
    template <typename Report> void pass(void (SyncSink::*to)(const Report&), const Report& report)
    {
        if (chip_.sink_ != nullptr) (chip_.sink_->*to)(report);
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
        // The part of a grid that is elsewhere is internal to the chip.
        const bool ofGrid = commit.op >= Op::EvGridOpen && commit.op <= Op::EvGridEnd;
        if (chip_.grids_ && ofGrid && commit.object >= kChipGrids) return;
        Commit out = commit;
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

    Chip& chip_;
    SmRange range_;
    bool given_{};  ///< this cycle has an input
};

Chip::Chip(const UnitOptions& options, const Config& config, SharedMemory& memory, Grids grids)
    : layout_(options.chip())
{
    std::vector<SyncPort*> ports;
    for (unsigned index = 0; index < layout_.networks(); ++index) {
        UnitOptions parts = options;
        parts.sms = layout_.smsOf(index);
        networks_.push_back(
            std::make_unique<Network>(*this, layout_.firstOf(index), parts, config, memory));
        ports.push_back(&networks_.back()->port());
    }
    if (grids == Grids::Whole && networks_.size() > 1) grids_.emplace(std::move(ports));
}

Chip::~Chip() = default;
SyncUnit& Chip::network(unsigned index) const noexcept { return networks_[index]->unit(); }
const Structure& Chip::structure() const noexcept { return networks_.front()->port().structure(); }
Cycle Chip::now() const { return networks_.front()->port().now(); }

bool Chip::canPresent(std::uint8_t sm) const { return at(sm).port().canPresent(sm); }
void Chip::present(const SyncRequest& request) { at(request.at.sm).give().present(request); }
bool Chip::canNotify(std::uint8_t sm) const { return at(sm).port().canNotify(sm); }
void Chip::notify(const AsyncUpdate& update) { at(update.sm).give().notify(update); }
void Chip::route(const ClusterRoute& route) { at(route.sm).give().route(route); }

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

void Chip::noMoreRoutes()
{
    for (const auto& network : networks_) network->port().noMoreRoutes();
}

bool Chip::launch(const Launch& launch)
{
    Network& network = at(launch.sm);
    if (!network.port().launch(launch)) return false;
    static_cast<void>(network.give());
    if (grids_ && launch.grid != 0) {
        for (const auto& each : networks_) static_cast<void>(each->give());
        grids_->launched(launch.grid, layout_.networkOf(launch.sm));
    }
    return true;
}

void Chip::exit(const Exit& exit) { at(exit.at.sm).give().exit(exit); }
void Chip::stored(std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes)
{
    at(sm).give().stored(sm, addr, bytes);
}
std::uint8_t Chip::epoch(const WarpRef& at, Reach reach) const
{
    return this->at(at.sm).port().epoch(at, reach);
}
void Chip::announce(const Accesses& accesses) { at(accesses.at.sm).give().announce(accesses); }
void Chip::performed(const Accesses& accesses) { at(accesses.at.sm).give().performed(accesses); }
bool Chip::canAnswerCancel(std::uint8_t sm) const { return at(sm).port().canAnswerCancel(sm); }
void Chip::answerCancel(const CancelAnswer& answer) { at(answer.sm).give().answerCancel(answer); }

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
                fmt::format("network of SM {} on{}: {}", network->first(),
                            fault->kind == Fault::Kind::Assertion ? "" : ", its SMs counted from 0",
                            fault->message);
        return fault;
    }
    return std::nullopt;
}

}  // namespace gsu
