/// \file
/// SyncPort over the Verilated RTL: one gsu_sm object per SM and one gsu_net, stepped together, idle objects skipped.
/// Every output of both modules is a flop, so separate objects behave exactly as one model of the whole (rtl/doc/interfaces.md).
#pragma once
#include <memory>
#include <string>

#include "golden/params.hpp"
#include "golden/port.hpp"
#include "golden/wave_scopes.hpp"

namespace gsu {

/// Where and when to dump waves. Cycle n is the sample at n ns.
struct WaveOptions {
    std::string path;                 ///< FST file; written under a temporary name until closed
    Cycle from{0};                    ///< first cycle that is dumped
    Cycle to{kNever};                 ///< last cycle that is dumped
    std::vector<WaveScope> scopes{};  ///< parts that are dumped; none: everything
};

struct RtlModels;  ///< Verilated classes of one structure (verilated/system_base.hpp)

/// The Verilated RTL as a SyncPort.
class RtlPort final : public SyncPort {
public:
    /// Builds and resets the models. Pre: 1 <= sms <= 18. With `assertions` the RTL checks its own (three times slower); a failed one is a
    /// Fault. A port that dumps waves has no assertions.
    explicit RtlPort(unsigned sms, const Config& config, bool assertions = false);
    /// The same on models of another structure, which must outlive the port. Pre: `config` is within its ranges. `first`: number of the
    /// first SM in waves and in the texts of assertions.
    RtlPort(unsigned sms, const Config& config, bool assertions, const RtlModels& models,
            unsigned first = 0);
    ~RtlPort() override;
    RtlPort(const RtlPort&) = delete;
    RtlPort& operator=(const RtlPort&) = delete;

    /// Dumps waves; only before the first step. False if the file cannot be written.
    [[nodiscard]] bool openWaves(const WaveOptions& options);
    /// Finishes the wave file under its final name; the destructor does so, too, but reports no error.
    [[nodiscard]] bool closeWaves();
    /// errno of the first failure, after closeWaves() returned false.
    [[nodiscard]] int waveError() const;
    /// Sets the shared memory for the barrier words; it must outlive the port. Without it reads give 0.
    void setMemory(SharedMemory& memory);
    /// With false every object is evaluated in every cycle: same results, for tests and benchmarks.
    void setSkipping(bool on);
    /// With 2 a second thread evaluates some of several busy SMs, as long as that is faster; `always`: even if not, for tests. Same results in
    /// the same order: the sink is called on the caller's thread. Models with assertions or waves use one thread. Before the first step.
    void setThreads(unsigned threads, bool always = false);
    /// Number of cycles that two threads shared so far, for statistics.
    [[nodiscard]] std::uint64_t sharedCycles() const;
    /// Number of cycles so far whose network was evaluated before the SMs had their inputs (noMoreRoutes()), for statistics.
    [[nodiscard]] std::uint64_t networksAhead() const;
    /// Number of evaluated objects so far (SMs and network), for statistics.
    [[nodiscard]] std::uint64_t evaluations() const;

    [[nodiscard]] unsigned sms() const override;
    [[nodiscard]] const Structure& structure() const noexcept override;
    [[nodiscard]] Cycle now() const override;
    void setSink(SyncSink& sink) override;
    [[nodiscard]] bool canPresent(std::uint8_t sm) const override;
    void present(const SyncRequest& request) override;
    [[nodiscard]] bool canNotify(std::uint8_t sm) const override;
    void notify(const AsyncUpdate& update) override;
    void route(const ClusterRoute& route) override;
    void grid(const GridStart& grid) override;
    void noMoreRoutes() override;
    bool launch(const Launch& launch) override;
    void exit(const Exit& exit) override;
    void stored(std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes) override;
    [[nodiscard]] std::uint8_t epoch(const WarpRef& at, Reach reach) const override;
    void announce(const Accesses& accesses) override;
    void performed(const Accesses& accesses) override;
    [[nodiscard]] bool canAnswerCancel(std::uint8_t sm) const override;
    void answerCancel(const CancelAnswer& answer) override;
    void step() override;
    [[nodiscard]] Cycle quietUntil() const override;
    void skipTo(Cycle cycle) override;
    [[nodiscard]] std::optional<Fault> fault() const override;

    class System;  ///< the models behind the port; one implementation per Verilated class

private:
    unsigned sms_;
    Config config_;
    const RtlModels& models_;
    unsigned first_;
    std::unique_ptr<System> system_;
};

}  // namespace gsu
