#include "golden/structure.hpp"

#include <algorithm>
#include <array>
#include <bit>
#include <vector>

#include "base/nearest.hpp"
#include "base/number.hpp"

namespace gsu {

namespace {

constexpr const char* kQueue = "pointers that wrap by themselves";

constexpr std::array kItems{
    StructureItem{"Ctas", &Structure::ctas, 2, kMaxCtas, false, "CTA slots",
                  "5 bits in every port struct"},
    StructureItem{"WarpSlots", &Structure::warpSlots, 2, kMaxWarpSlots, false, "warp slots",
                  "6 bits in launch_t"},
    StructureItem{"Bars", &Structure::bars, 8, kMaxBars, false, "named barriers of a CTA",
                  "PTX names 16; 6 bits in release_t"},
    StructureItem{"Waits", &Structure::waits, 2, kMaxWaits, false, "wait slots of try_wait",
                  "8 bits in cfg_t"},
    StructureItem{"Lines", &Structure::lines, 2, 64, false, "lines of the barrier cache",
                  "all are compared in one clock"},
    StructureItem{"PerClock", &Structure::perClock, 1, kLanes, true,
                  "lanes of redux and match a clock", "a warp's lanes"},
    StructureItem{"Releases", &Structure::releases, 2, 256, true,
                  "queue: releases of named and of cluster barriers", kQueue},
    StructureItem{"Answers", &Structure::answers, 2, 256, true,
                  "queue: answers of named and of cluster barriers", kQueue},
    StructureItem{"MbarAnswers", &Structure::mbarAnswers, 2, 256, true,
                  "queue: answers of mbarrier operations", kQueue},
    StructureItem{"WaitAnswers", &Structure::waitAnswers, 2, 256, true,
                  "queue: answers of waits for mbarriers", kQueue},
    StructureItem{"Sends", &Structure::sends, 2, 256, true,
                  "queue: packets that wait for the network", kQueue},
    StructureItem{"Receives", &Structure::receives, 2, 256, true, "queue: packets that have come",
                  kQueue},
    StructureItem{"Operands", &Structure::operands, 4, 64, true,
                  "requests of mbarriers whose operands are held", "one of each warp"},
    StructureItem{"Replies", &Structure::replies, 2, 64, true,
                  "atoms of other CTAs that wait for their answers", "one of each warp"},
    StructureItem{"Cancels", &Structure::cancels, 2, 32, true,
                  "lanes of try_cancel whose responses are awaited", "5 bits in clc_req_t"},
    StructureItem{"Matches", &Structure::matches, 2, 256, true,
                  "queue: match under way, redux under way", kQueue},
    StructureItem{"Packets", &Structure::packets, 2, 1024, true,
                  "queue: packets under way to one SM", kQueue},
};

std::string setOne(Structure& structure, std::string_view assignment,
                   std::vector<std::string_view>& seen)
{
    const std::size_t equals = assignment.find('=');
    if (equals == std::string_view::npos)
        return "expected NAME=VALUE, got '" + std::string(assignment) + "'";
    const std::string_view key = assignment.substr(0, equals);
    const std::string_view text = assignment.substr(equals + 1);
    const auto found = std::find_if(kItems.begin(), kItems.end(),
                                    [&](const StructureItem& item) { return key == item.key; });
    if (found == kItems.end())
        return withNearest("no '" + std::string(key) + "' in the structure", kItems, key) +
               " (gsu params --structure lists them)";
    if (std::find(seen.begin(), seen.end(), key) != seen.end())
        return std::string(key) + " is given twice";
    seen.push_back(key);
    const auto value = wholeNumber(text);
    const std::string range = std::to_string(found->min) + ".." + std::to_string(found->max);
    if (!value)
        return std::string(key) + ": '" + std::string(text) + "' is not a number of " + range;
    if (*value < found->min || *value > found->max)
        return std::string(key) + ": " + std::to_string(*value) + " is outside " + range + " (" +
               found->limit + ")";
    if (found->power && !std::has_single_bit(*value))
        return std::string(key) + ": " + std::to_string(*value) + " is no power of two";
    structure.*found->field = static_cast<std::uint16_t>(*value);
    return {};
}

bool isSlots(const Parameter& p) noexcept { return std::string_view(p.key) == "trywait_slots"; }

}  // namespace

std::span<const StructureItem> structureItems() noexcept { return kItems; }

const Structure& defaultStructure() noexcept
{
    static constexpr Structure kDefault{};
    return kDefault;
}

std::string setStructure(Structure& structure, std::string_view assignments)
{
    Structure given = structure;
    std::vector<std::string_view> seen;
    while (!assignments.empty()) {
        const std::size_t comma = std::min(assignments.find(','), assignments.size());
        std::string problem = setOne(given, assignments.substr(0, comma), seen);
        if (!problem.empty()) return problem;
        if (comma + 1 == assignments.size()) return "nothing after the last comma";
        assignments.remove_prefix(std::min(comma + 1, assignments.size()));
    }
    structure = given;
    return {};
}

std::string textOf(const Structure& structure)
{
    std::string out;
    for (const StructureItem& item : kItems) {
        if (structure.*item.field == defaultStructure().*item.field) continue;
        out += (out.empty() ? "" : ",") + std::string(item.key) + '=' +
               std::to_string(structure.*item.field);
    }
    return out;
}

std::uint32_t maxOf(const Parameter& parameter, const Structure& structure) noexcept
{
    return isSlots(parameter) ? structure.waits : parameter.max;
}

Config configOf(Preset preset, const Structure& structure) noexcept
{
    Config config = configOf(preset);
    for (const Parameter& p : parameters()) {
        if (isSlots(p) && p.get(config) == defaultStructure().waits) p.set(config, structure.waits);
    }
    return config;
}

}  // namespace gsu
