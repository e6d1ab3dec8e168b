/// \file
/// The structure of an SM: numbers of its slots, barriers and queue entries. They are parameters of gsu_sm in the RTL; `gsu build`
/// makes a model of another structure. The layout of the ports is the same for all.
#pragma once
#include <cstdint>
#include <span>
#include <string>
#include <string_view>

#include "golden/layout.gen.hpp"
#include "golden/params.hpp"

namespace gsu {

/// Sizes of an SM; the defaults are those of the RTL.
struct Structure {
    std::uint16_t ctas{kMaxCtas};            ///< CTA slots
    std::uint16_t warpSlots{kMaxWarpSlots};  ///< warp slots
    std::uint16_t bars{kBarsPerCta};         ///< named barriers of a CTA
    std::uint16_t waits{32};                 ///< wait slots of the mbarrier unit
    std::uint16_t lines{4};                  ///< lines of four words of the barrier cache
    std::uint16_t perClock{16};              ///< lanes that redux and match look at in a clock
    std::uint16_t releases{32};              ///< queue: releases of barriers
    std::uint16_t answers{16};               ///< queue: answers of barriers
    std::uint16_t mbarAnswers{32};           ///< queue: answers of mbarrier operations
    std::uint16_t waitAnswers{64};           ///< queue: answers of waits for mbarriers
    std::uint16_t sends{8};                  ///< queue: packets that wait for the network
    std::uint16_t receives{32};              ///< queue: packets that have come
    std::uint16_t operands{64};              ///< requests of mbarriers whose operands are held
    std::uint16_t replies{16};               ///< atoms that wait for their answers
    std::uint16_t cancels{8};                ///< lanes of try_cancel in flight
    std::uint16_t matches{64};               ///< queue: match in flight, redux in flight
    std::uint16_t packets{128};              ///< queue: packets in flight to one SM
    bool operator==(const Structure&) const = default;  ///< member by member
};

/// Description of one member of Structure.
struct StructureItem {
    const char* key;                  ///< "Ctas": name of the RTL's parameter, and in --with
    std::uint16_t Structure::*field;  ///< the member
    unsigned min;                     ///< smallest value
    unsigned max;                     ///< largest value
    bool power;                       ///< powers of two only
    const char* what;                 ///< meaning of the member
    const char* limit;                ///< reason of the limits
};

/// All members, in the order of text().
[[nodiscard]] std::span<const StructureItem> structureItems() noexcept;
/// The structure of the RTL without parameters.
[[nodiscard]] const Structure& defaultStructure() noexcept;
/// Applies NAME=VALUE,NAME=VALUE,... Returns an empty text, or the error (unknown name with the nearest match, bad number, out of range, twice).
[[nodiscard]] std::string setStructure(Structure& structure, std::string_view assignments);
/// NAME=VALUE,... of the members that differ from the default, in the order of structureItems(): one text for one structure. Default: "".
[[nodiscard]] std::string textOf(const Structure& structure);
/// The largest value of a parameter: a unit cannot use more wait slots than it has.
[[nodiscard]] std::uint32_t maxOf(const Parameter& parameter, const Structure& structure) noexcept;
/// The defaults of a preset: if it uses all wait slots of the default structure, it uses all wait slots of this one.
[[nodiscard]] Config configOf(Preset preset, const Structure& structure) noexcept;
/// Applies KEY=VALUE as setParameter() of params.hpp, with the ranges of this structure.
[[nodiscard]] std::string setParameter(Config& config, std::string_view assignment,
                                       const Structure& structure);

}  // namespace gsu
