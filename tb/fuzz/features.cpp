#include "fuzz/features.hpp"

#include <array>

namespace gsu::fuzz {
namespace {

constexpr std::array<const char*, static_cast<std::size_t>(Feature::Count)> kNames{
    "named",   "warp",   "cluster",    "mbarrier", "copies",      "async",
    "atomics", "fences", "divergence", "exits",    "loops",       "delays",
    "strands", "grid",   "sm80",       "tensor",   "posted-order"};

}  // namespace

const char* nameOf(Feature feature) noexcept { return kNames[static_cast<std::size_t>(feature)]; }

FeatureSet allFeatures() noexcept
{
    FeatureSet all;
    for (std::size_t i = 0; i < kNames.size(); ++i) all.add(static_cast<Feature>(i));
    return all;
}

std::string change(FeatureSet& set, std::string_view list, bool add)
{
    while (!list.empty()) {
        const std::string_view name = list.substr(0, list.find(','));
        list.remove_prefix(name.size() == list.size() ? name.size() : name.size() + 1);
        std::size_t i = 0;
        while (i < kNames.size() && name != kNames[i]) ++i;
        if (i == kNames.size()) return std::string(name);
        if (add)
            set.add(static_cast<Feature>(i));
        else
            set.remove(static_cast<Feature>(i));
    }
    return {};
}

std::string namesOf(FeatureSet set)
{
    std::string out;
    for (std::size_t i = 0; i < kNames.size(); ++i) {
        if (!set.has(static_cast<Feature>(i))) continue;
        out += (out.empty() ? "" : ",") + std::string(kNames[i]);
    }
    return out;
}

}  // namespace gsu::fuzz
