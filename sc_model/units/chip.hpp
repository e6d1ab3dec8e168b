/// Chip: SMs in networks (golden/chip_layout.hpp), each network a SyncUnit of its own, behind one port with the SM numbers of the chip. A
/// cluster lies in one network, so nothing travels between networks. All networks have one clock. The program and the C library use a Chip
/// for more than one network.
#pragma once
#include <memory>
#include <optional>
#include <vector>

#include "golden/chip_layout.hpp"
#include "units/chip_grids.hpp"
#include "units/sync_unit.hpp"

namespace gsu {

class Chip final : public SyncPort {
public:
    enum class Grids : std::uint8_t {
        OfNetworks,  ///< each network has a grid table of its own: networkGrid()
        Whole        ///< one table over all networks, with the slots below kChipGrids: grid()
    };
    /// A chip of up to 256 SMs; otherwise as SyncUnit. `memory` and options.onNote get the SM numbers of the chip.
    Chip(const UnitOptions& options, const Config& config, SharedMemory& memory, Grids grids);
    ~Chip() override;
    Chip(const Chip&) = delete;
    Chip& operator=(const Chip&) = delete;

    [[nodiscard]] unsigned networks() const noexcept
    {
        return static_cast<unsigned>(networks_.size());
    }
    [[nodiscard]] SyncUnit& network(unsigned index) const noexcept;
    /// The network whose reports are being delivered.
    [[nodiscard]] unsigned speaking() const noexcept { return speaking_; }
    /// Starts or ends a grid in the table of one network. Pre: Grids::OfNetworks.
    void networkGrid(unsigned network, const GridStart& grid);

    // Time is common to all networks.
    void step() override;
    void skipTo(Cycle cycle) override;
    [[nodiscard]] Cycle now() const override;
    [[nodiscard]] Cycle quietUntil() const override;
    [[nodiscard]] std::optional<Fault> fault() const override;

    [[nodiscard]] unsigned sms() const override { return layout_.sms(); }
    [[nodiscard]] const Structure& structure() const noexcept override;
    void setSink(SyncSink& sink) override { sink_ = &sink; }

    // Each input goes to the network of its SM.
    bool launch(const Launch& launch) override;
    void route(const ClusterRoute& route) override;
    void present(const SyncRequest& request) override;
    void notify(const AsyncUpdate& update) override;
    void answerCancel(const CancelAnswer& answer) override;
    void exit(const Exit& exit) override;
    void stored(std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes) override;
    void announce(const Accesses& accesses) override;
    void performed(const Accesses& accesses) override;
    [[nodiscard]] bool canPresent(std::uint8_t sm) const override;
    [[nodiscard]] bool canNotify(std::uint8_t sm) const override;
    [[nodiscard]] bool canAnswerCancel(std::uint8_t sm) const override;
    [[nodiscard]] std::uint8_t epoch(const WarpRef& at, Reach reach) const override;

    /// Starts or ends a grid. Pre: Grids::Whole.
    void grid(const GridStart& grid) override;
    void noMoreRoutes() override;

private:
    class Network;
    [[nodiscard]] Network& at(unsigned sm) const noexcept
    {
        return *networks_[layout_.networkOf(sm)];
    }

    ChipLayout layout_;
    std::vector<std::unique_ptr<Network>> networks_;
    std::optional<ChipGrids> grids_;
    SyncSink* sink_{};
    std::uint64_t seq_{};  ///< number of commits of all networks
    unsigned speaking_{};
};

}  // namespace gsu
