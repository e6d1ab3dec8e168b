/// An SM of the fast models. gsu_sm_core and gsu_mbar_unit are models of their own, evaluated only when they have work, and are joined here
/// as gsu_sm joins them in the RTL. It has the ports of Vgsu_sm and, clock by clock, the same values (tests/verilated compares the two).
#pragma once
#include "golden/types.hpp"
#include "verilated/split/sm_models.gen.hpp"

namespace gsu {

class SplitSm : public SmModels {
public:
    static constexpr bool kCatchesUp = true;  ///< skipped clocks need no other clock
    SplitSm(VerilatedContext* context, const char* name);

    CData opnd_valid_i{};  ///< belongs to both models
    // Outputs of the unit's tap, a clock later as by gsu_tap: the core has no part in it.
    bool tap_mb_valid_o{};
    std::remove_reference_t<decltype(unit_.tap_o)> tap_mb_o{};
    bool idle_o{};         ///< without an input or a deadline nothing moves in either model
    Cycle next_event_o{};  ///< earliest deadline, all ones if none

    /// One clock of both models, with the outputs of each as inputs of the other: in reset, and the first after it.
    void resetClock();
    /// One clock, of number `at`, in which a model without work is skipped. Clocks may be skipped as those of gsu_sm, and need no other
    /// clock before the next. Without `skipping` both models see every clock.
    void cycle(Cycle at, bool skipping)
    {
        exchange(at, skipping);
        clockCore();
        clockUnit();
    }
    /// The three parts of a clock: each model reads the outputs of the other, the core has its edge, the unit has its edge. To do one part of all SMs before
    /// the next keeps the code of one model in the instruction cache of the host.
    void exchange(Cycle at, bool skipping);
    void clockCore();
    void clockUnit();
    /// False: the core was skipped in the last clock, and its pulses at the ports are those of the clock before.
    [[nodiscard]] bool coreClocked() const noexcept { return coreClocked_; }
    void final();

private:
    void takeCore();
    void takeEarly();
    void dealOperands();
    [[nodiscard]] bool tellReply();
    void wakeCore(Cycle at);
    [[nodiscard]] bool wakeUnit(Cycle at);

    Cycle coreLast_{~Cycle{0}}, unitLast_{~Cycle{0}};  ///< last clock that each model has seen
    bool coreQuiet_{};  ///< the last clock of the core changed nothing
    bool coreClocked_{};
    bool coreRuns_{}, unitRuns_{};  ///< in this clock
    bool signals_{};                ///< the unit has pulses for the core
    bool coreNews_{};               ///< the inputs of the core differ from those that it has read
    bool coreLate_{};               ///< so does the unit's ready
    bool told_{};  ///< the core has seen the unit's outputs as they are without work
    unsigned coreReady_{}, unitReady_{};  ///< ready signals of the ports in the clock before
};

}  // namespace gsu
