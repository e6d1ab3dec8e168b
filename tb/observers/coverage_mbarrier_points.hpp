/// The cover points that MbarrierCoverage counts, in the order of MbarrierCoverage::points().
#pragma once
#include <cstdint>

namespace gsu {

enum MbarPoint : unsigned {
    kMbo01,
    kMbo02,
    kMbo03,
    kMbo04,
    kMbo05,
    kMbo06,
    kMbo07,
    kMbo08,
    kMbo09,
    kMbo10,
    kMbo11,
    kMbo12,
    kMbo13,
    kMbo15,
    kMbo16,
    kMbo17,
    kMbw01,
    kMbw02,
    kMbw03,
    kMbw04,
    kMbw05,
    kMbw06,
    kMbw07,
    kXMbo01,
    kXMbo02,
    kXMbo04,
    kCpa01,
    kCpa02,
    kRas02,
    kRas03,
    kRas04,
    kClc01,
    kClc02
};
inline constexpr std::uint32_t kCoveredRanks = 4;  ///< ranks of CP-RAS-04

}  // namespace gsu
