/// \file
/// How mbarriers treat errors, and the findings about them for which no commit has an error bit.
#pragma once
#include <cstdint>

#include "golden/types.hpp"

namespace gsu {

/// Behaviour of the unit beyond the fixed rules; both members are bits of the parameter mbar_policy.
struct MbarPolicy {
    bool lockOnError{};  ///< an error locks the object: later updates are refused (D-36)
    bool sm80{};         ///< transaction operations are refused, as on sm_80 (D-42)
};

/// An error of a use that the unit itself cannot see: a finding, never another result.
struct MbarNote {
    /// Kind of the remark.
    enum class Kind : std::uint8_t {
        Uninitialised,  ///< UB-27: use of an object that was not initialised, or was invalidated
        InitOnLive,     ///< UB-28
        InvalDead,      ///< UB-31: inval of no object
        InvalBusy,      ///< UB-31: inval with arrivals or bytes outstanding in the phase
        PlainStore,     ///< UB-29, UB-30: an ordinary store hit a live object
        Unwaited,  ///< UB-43: arrive-on in a phase while nobody saw the preceding one complete (once per phase)
        StaleState,  ///< UB-40: state operand not from this life, or older than the preceding phase
        FreshParity,      ///< A-13: parity 1 on an object in its first phase
        ExpectCompletes,  ///< A-10: the phase completed by an expect
        EndedBusy,        ///< D-41: the CTA ended with bytes outstanding
        EndedSurplus,     ///< UB-35: the CTA ended with more bytes completed than announced
    };
    Kind kind{};              ///< kind of the remark
    std::uint8_t sm{};        ///< SM
    std::uint32_t address{};  ///< address of the object in the SM's shared memory
    Op op{};                  ///< the use
    std::uint64_t phase{};    ///< completed phases of this life
};
/// "Uninitialised", ...
[[nodiscard]] const char* nameOf(MbarNote::Kind kind) noexcept;

}  // namespace gsu
