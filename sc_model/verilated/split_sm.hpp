/// An SM of the fast models: gsu_sm_core and gsu_mbar_unit are models of their own, evaluated only where they have work, and joined here as gsu_sm
/// joins them in the RTL. Same ports and, clock by clock, the same values as Vgsu_sm (tests/verilated compares the two).
#pragma once
#include "golden/types.hpp"
#include "verilated/split/sm_models.gen.hpp"

namespace gsu {

class SplitSm : public SmModels {
public:
    static constexpr bool kCatchesUp = true;  ///< clocks that were left out need no other
    SplitSm(VerilatedContext* context, const char* name);

    CData opnd_valid_i{};  ///< of either model
    // What the unit's tap shows, a clock later as by gsu_tap: the core has no part in it.
    bool tap_mb_valid_o{};
    std::remove_reference_t<decltype(unit_.tap_o)> tap_mb_o{};
    bool idle_o{};         ///< nothing moves in either without an input or a deadline
    Cycle next_event_o{};  ///< earliest deadline, all ones if none

    /// One clock of both models, with what they show each other: in reset, and the first after it.
    void resetClock();
    /// One clock, of number `at`, in which a model without work is left out. Clocks may be left out as those of gsu_sm, and need no other
    /// clock before the next. Without `skipping` both see every clock.
    void cycle(Cycle at, bool skipping);
    /// False: the last clock was left out of the core, whose pulses at the ports are those of the one before.
    [[nodiscard]] bool coreClocked() const noexcept { return coreClocked_; }
    void final();

private:
    void takeCore();
    void takeEarly();
    void dealOperands();
    [[nodiscard]] bool tellReply();
    void wakeCore(Cycle at);
    [[nodiscard]] bool wakeUnit(Cycle at);
    void stepCore(bool signals);

    Cycle coreLast_{~Cycle{0}}, unitLast_{~Cycle{0}};  ///< clock that each has seen last
    bool coreQuiet_{};                                 ///< its last clock changed nothing
    bool coreClocked_{};
    bool coreNews_{};  ///< its inputs are not what it has taken
    bool coreLate_{};  ///< nor is the unit's ready
    bool told_{};      ///< it has seen the unit's outputs as they are without work
    unsigned coreReady_{}, unitReady_{};  ///< what the ports were ready for in the clock before
};

}  // namespace gsu
