/// The random part of a program: its shape and a list of rounds. Each round has its own seed, so removing one leaves the others unchanged.
/// build.hpp makes kernel and expected memory of it.
#pragma once
#include <cstdint>
#include <string>
#include <vector>

#include "fuzz/features.hpp"

namespace gsu::fuzz {

using Lanes = std::uint32_t;

/// A grid in one dimension.
struct Shape {
    unsigned clusters{1};
    unsigned clusterSize{1};  ///< CTAs of a cluster; 1: no cluster launch
    unsigned threads{32};     ///< threads of a CTA, 1..1024; the last warp may be partial
    [[nodiscard]] unsigned ctas() const noexcept { return clusters * clusterSize; }
    [[nodiscard]] unsigned warps() const noexcept { return (threads + 31) / 32; }
    /// Lanes of a warp that exist.
    [[nodiscard]] Lanes lanesOf(unsigned warp) const noexcept
    {
        const unsigned n = threads - 32 * warp;
        return n >= 32 ? ~Lanes{0} : (Lanes{1} << n) - 1;
    }
    bool operator==(const Shape&) const = default;
};

struct RoundPlan {
    std::string pattern;  ///< name of a Pattern
    std::uint64_t seed{};
};

/// Rounds that some warps of every CTA execute one after the other.
struct StrandPlan {
    std::vector<RoundPlan> rounds;
};

/// Strands that run at the same time. The warps are dealt to them by the seed.
struct SegmentPlan {
    std::uint64_t seed{};
    std::vector<StrandPlan> strands;
    bool exits{};  ///< some threads end after it
};

/// A deliberate fault, to test that it is noticed.
enum class Injection : std::uint8_t {
    None,
    Value,   ///< the expected memory is wrong by one where the pattern ran
    Wait,    ///< a warp waits for an arrival that nobody makes
    Misuse,  ///< a barrier with an id above 15
};

struct ProgramPlan {
    std::uint64_t seed{};
    Shape shape;
    bool sm80{};
    FeatureSet features;
    std::vector<SegmentPlan> segments;
    Injection injection{Injection::None};
    std::string injectAt;  ///< pattern with the fault

    [[nodiscard]] std::size_t rounds() const noexcept;
};

[[nodiscard]] ProgramPlan drawProgram(std::uint64_t seed, FeatureSet features);

}  // namespace gsu::fuzz
