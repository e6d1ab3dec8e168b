/// The interface of RtlPort to its models, and the input queues that are the same for every Verilated class.
#pragma once
#include <array>
#include <deque>
#include <utility>
#include <vector>

#include "verilated/access_queue.hpp"
#include "verilated/rtl_port.hpp"
#include "verilated/step_pool.hpp"

namespace gsu {

/// Inputs of one SM that wait for its ports. A flag says that the payload is valid until the handshake.
struct SmInputs {
    bool requestValid{}, launchValid{}, asyncValid{}, answerValid{};
    raw::SyncReq request;
    raw::Launch launch;
    raw::Async async;
    raw::ClcRsp answer;               ///< answer to a query of try_cancel: a pulse
    std::deque<raw::OpndBeat> beats;  ///< operands of `request`, presented before it
    std::deque<raw::Exit> exits;
    std::deque<std::uint32_t> snoops;
    AccessQueue accesses;                        ///< announcements go before any later request
    std::array<std::uint8_t, kMaxCtas> wbase{};  ///< first warp slots of the CTAs launched last
    struct Read {
        Cycle due{};
        std::uint64_t data{};
    };
    std::deque<Read> reads;  ///< answers of the memory port
    std::vector<bool> used;  ///< one bit per 8 bytes that the barrier cache may hold
    /// Exits that are given and not yet in effect, in order, and their number per CTA slot and warp. A request of the same warp waits for
    /// them; otherwise the unit would take exited lanes for diverged ones (false BAR-031, CLU-015).
    std::deque<std::pair<std::uint8_t, std::uint8_t>> leavers;  ///< CTA slot, warp
    std::array<std::array<std::uint8_t, kMaxWarps>, kMaxCtas> leaving{};
    void leaves(std::uint8_t cta, std::uint8_t warp)
    {
        leavers.emplace_back(cta, warp);
        ++leaving[cta][warp];
    }
    /// Removes the oldest exit: it is in effect.
    void left()
    {
        const auto [cta, warp] = leavers.front();
        leavers.pop_front();
        --leaving[cta][warp];
    }
    [[nodiscard]] bool held() const noexcept { return leaving[request.cta][request.warp] != 0; }

    [[nodiscard]] bool any() const noexcept
    {
        return requestValid || launchValid || asyncValid || answerValid || !beats.empty() ||
               !exits.empty() || !snoops.empty() || !accesses.empty();
    }
};

/// For tests: in models made while this is set, each unit gets every clock (rtl/prim/gsu_clock_gate.sv).
inline bool& everyUnitClocked() noexcept
{
    static bool every = false;
    return every;
}

class RtlPort::System {
public:
    virtual ~System() = default;
    virtual void step() = 0;
    [[nodiscard]] virtual Cycle quietUntil() const = 0;
    [[nodiscard]] virtual bool openWaves(const WaveOptions&) { return false; }
    [[nodiscard]] virtual bool closeWaves() { return true; }
    /// Epoch of a warp slot or, towards everyone, of a CTA slot.
    [[nodiscard]] virtual bool epoch(unsigned sm, unsigned slot, Reach reach) const = 0;
    int waveError{};  ///< errno of the first write of waves that failed

    std::vector<SmInputs> inputs;
    std::uint32_t inputMask{};  ///< bit per SM with waiting inputs
    std::deque<raw::ClusCfg> routes;
    std::deque<raw::Grid> grids;
    bool noMoreRoutes{};  ///< nor grids: SyncPort::noMoreRoutes()
    SyncSink* sink{};
    SharedMemory* memory{};
    Cycle now{};
    bool skipping{true};
    bool started{};
    std::unique_ptr<StepPool> pool;  ///< second thread; none unless asked for
    std::uint64_t evaluations{}, networksAhead{};
    std::uint64_t seq{};
    std::optional<Fault> fault;
};

/// Verilated classes of one structure: those of this program, or of a loaded model (units/model.hpp).
struct RtlModels {
    /// Makes a system. `first`: number of the first SM in names of waves and assertions.
    using Make = std::unique_ptr<RtlPort::System> (*)(unsigned sms, const Config& config,
                                                      unsigned first);
    Structure structure;
    Make plain, checked, traced;  ///< the last two may be missing
};
/// The models that are linked with this program.
[[nodiscard]] const RtlModels& builtInModels() noexcept;

[[nodiscard]] std::unique_ptr<RtlPort::System> makePlainSystem(unsigned sms, const Config& config,
                                                               unsigned first);
[[nodiscard]] std::unique_ptr<RtlPort::System> makeCheckedSystem(unsigned sms, const Config& config,
                                                                 unsigned first);
[[nodiscard]] std::unique_ptr<RtlPort::System> makeTracedSystem(unsigned sms, const Config& config,
                                                                unsigned first);

}  // namespace gsu
