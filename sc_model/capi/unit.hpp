/// What is behind a handle of gsu.h: a port, its memory, the guard before it and the callbacks behind it.
#pragma once
#include <memory>
#include <vector>

#include "capi/convert.hpp"
#include "capi/guard.hpp"
#include "golden/port.hpp"
#include "units/sync_unit.hpp"

struct gsu_unit final : private gsu::SyncSink, private gsu::SharedMemory {
public:
    /// Throws gsu::capi::Refusal.
    explicit gsu_unit(const gsu_options& options);
    ~gsu_unit() override = default;
    gsu_unit(const gsu_unit&) = delete;
    gsu_unit& operator=(const gsu_unit&) = delete;

    // Inputs, checked; each throws Refusal. Not from inside a callback.
    void present(const gsu::SyncRequest& request);
    void notify(const gsu::AsyncUpdate& update);
    void route(const gsu::ClusterRoute& route);
    [[nodiscard]] bool launch(const gsu::Launch& launch);
    void exit(const gsu::Exit& exit);
    void stored(std::uint32_t sm, std::uint32_t addr, std::uint32_t bytes);
    [[nodiscard]] std::uint8_t epoch(std::uint32_t sm, std::uint32_t cta, std::uint32_t warp,
                                     std::uint32_t reach) const;
    void announce(const gsu::Accesses& accesses);
    void performed(const gsu::Accesses& accesses);
    void step();
    void skipTo(gsu::Cycle cycle);
    void openWaves(const gsu_waves& waves);
    void closeWaves();
    /// True while a callback runs.
    [[nodiscard]] bool stepping() const noexcept { return stepping_; }

    [[nodiscard]] bool canPresent(std::uint32_t sm) const;
    [[nodiscard]] bool canNotify(std::uint32_t sm) const;
    [[nodiscard]] std::uint64_t word(std::uint32_t sm, std::uint32_t addr) const;
    [[nodiscard]] gsu::Cycle now() const { return port_->now(); }
    [[nodiscard]] gsu::Cycle quietUntil() const;
    /// Asks the port; the fault stays once there is one.
    [[nodiscard]] const std::optional<gsu::Fault>& fault();

private:
    void mayTakeInput() const;
    void mayUse(std::uint32_t sm) const;
    template <typename Input> void check(const Input& input) const;
    void onResponse(const gsu::SyncResponse& response) override;
    void onRelease(const gsu::Release& release) override;
    void onCommit(const gsu::Commit& commit) override;
    void onDelivered(const gsu::Delivered& delivered) override;
    void onCtaFree(const gsu::CtaFree& free) override;
    [[nodiscard]] std::uint64_t readWord(std::uint8_t sm, std::uint32_t addr) const override;
    void writeWord(std::uint8_t sm, std::uint32_t addr, std::uint64_t value) override;

    /// Tells what the golden model remarked since the last call; `commit` shows it, if any does.
    void tellNotes(const gsu::Commit* commit);

    gsu_callbacks callbacks_;
    std::unique_ptr<gsu::SharedMemory> own_;  ///< without the memory callbacks
    std::unique_ptr<gsu::SyncUnit> unit_;
    gsu::SyncPort* port_{};  ///< of the unit
    std::vector<gsu::MbarNote> notes_;
    gsu::capi::Guard guard_;
    std::optional<gsu::Fault> fault_;
    bool stepping_{};
    bool given_{};  ///< an input for this cycle
    bool stepped_{}, waves_{};
    bool alone_{};  ///< one thread, no assertions
};
