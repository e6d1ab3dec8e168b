/// Features of programs; `gsu fuzz --without LIST` leaves features out.
#pragma once
#include <cstdint>
#include <initializer_list>
#include <string>
#include <string_view>

namespace gsu::fuzz {

enum class Feature : std::uint8_t {
    Named,        ///< bar, barrier
    Warp,         ///< bar.warp.sync, vote, match, redux, elect, shfl, activemask
    Cluster,      ///< clusters of several CTAs, barrier.cluster, DSMEM
    Mbarrier,     ///< mbarrier objects
    Copies,       ///< cp.async, bulk copies and reductions
    Async,        ///< st.async, red.async
    Atomics,      ///< atom, red
    Fences,       ///< fences that no data flow needs
    Divergence,   ///< parts of warps at different places
    Exits,        ///< threads that end early
    Loops,        ///< rounds that repeat
    Delays,       ///< nanosleep and idle loops before operations
    Strands,      ///< warps of a CTA that do different things at once
    Grid,         ///< cooperation of all CTAs through global memory
    Sm80,         ///< some programs are for sm_80
    Tensor,       ///< tensor memory (tcgen05): the program is for sm_100a
    PostedOrder,  ///< remote operations that are observed only after a cluster barrier
    Count
};

class FeatureSet {
public:
    FeatureSet() = default;
    FeatureSet(std::initializer_list<Feature> all)
    {
        for (const Feature f : all) add(f);
    }
    void add(Feature f) noexcept { bits_ |= bit(f); }
    void remove(Feature f) noexcept { bits_ &= ~bit(f); }
    [[nodiscard]] bool has(Feature f) const noexcept { return (bits_ & bit(f)) != 0; }
    [[nodiscard]] bool covers(FeatureSet other) const noexcept
    {
        return (other.bits_ & ~bits_) == 0;
    }
    bool operator==(const FeatureSet&) const = default;

private:
    [[nodiscard]] static std::uint32_t bit(Feature f) noexcept
    {
        return 1u << static_cast<unsigned>(f);
    }
    std::uint32_t bits_{};
};

[[nodiscard]] const char* nameOf(Feature feature) noexcept;
[[nodiscard]] FeatureSet allFeatures() noexcept;
/// Adds or removes the features of a comma-separated list. Returns the first unknown name, or empty.
[[nodiscard]] std::string change(FeatureSet& set, std::string_view list, bool add);
/// "named,warp,...": for messages and options.
[[nodiscard]] std::string namesOf(FeatureSet set);

}  // namespace gsu::fuzz
