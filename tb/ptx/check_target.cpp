// The module's own .target: that it exists, and that the module's .version has it (GEN-006).
#include <fmt/format.h>

#include <algorithm>
#include <array>
#include <string_view>

#include "ptx/check.hpp"
#include "ptx/parser.hpp"

namespace gsu::ptx::detail {
namespace {

struct KnownTarget {
    std::string_view name;
    unsigned version;   ///< that it came with, 80 for 8.0
    unsigned specific;  ///< that its form with a came with; 0: it has none
    unsigned family;    ///< and that with f
};

/// As the reference assembler of CUDA 13.0 takes them.
constexpr std::array kTargets{
    KnownTarget{"10", 10, 0, 0},    KnownTarget{"11", 10, 0, 0},    KnownTarget{"12", 12, 0, 0},
    KnownTarget{"13", 12, 0, 0},    KnownTarget{"20", 20, 0, 0},    KnownTarget{"21", 20, 0, 0},
    KnownTarget{"30", 30, 0, 0},    KnownTarget{"32", 40, 0, 0},    KnownTarget{"35", 31, 0, 0},
    KnownTarget{"37", 41, 0, 0},    KnownTarget{"50", 40, 0, 0},    KnownTarget{"52", 41, 0, 0},
    KnownTarget{"53", 42, 0, 0},    KnownTarget{"60", 50, 0, 0},    KnownTarget{"61", 50, 0, 0},
    KnownTarget{"62", 50, 0, 0},    KnownTarget{"70", 60, 0, 0},    KnownTarget{"72", 61, 0, 0},
    KnownTarget{"75", 63, 0, 0},    KnownTarget{"80", 70, 0, 0},    KnownTarget{"86", 71, 0, 0},
    KnownTarget{"87", 74, 0, 0},    KnownTarget{"88", 73, 0, 0},    KnownTarget{"89", 78, 0, 0},
    KnownTarget{"90", 78, 80, 0},   KnownTarget{"100", 86, 86, 88}, KnownTarget{"101", 86, 86, 88},
    KnownTarget{"103", 88, 88, 88}, KnownTarget{"110", 90, 90, 90}, KnownTarget{"120", 87, 87, 88},
    KnownTarget{"121", 88, 88, 88}};

constexpr std::array<std::string_view, 4> kOptions{"texmode_unified", "texmode_independent",
                                                   "debug", "map_f64_to_f32"};

/// The version that a target came with; 0: there is no such target.
unsigned versionOf(std::string_view target)
{
    std::string_view number = target.substr(std::min(target.find('_') + 1, target.size()));
    const char suffix = number.empty() ? '\0' : number.back();
    if (suffix == 'a' || suffix == 'f') number.remove_suffix(1);
    const auto found = std::find_if(kTargets.begin(), kTargets.end(),
                                    [&](const KnownTarget& t) { return t.name == number; });
    if (found == kTargets.end()) return 0;
    return suffix == 'a' ? found->specific : suffix == 'f' ? found->family : found->version;
}

}  // namespace

TargetProblem targetProblem(const Module& module)
{
    const unsigned version = module.versionMajor * 10 + module.versionMinor;
    if (version > kNewestMajor * 10 + kNewestMinor) return {};  // it may have others
    for (const std::string& option : module.targetOptions) {
        if (std::find(kOptions.begin(), kOptions.end(), option) == kOptions.end())
            return {fmt::format(".target has no '{}'", option.substr(0, 80)), true};
    }
    if (module.target.empty()) return {".target names no architecture, such as sm_90", true};
    const unsigned needed = versionOf(module.target);
    if (needed == 0)
        return {fmt::format("there is no .target {}", module.target.substr(0, 80)), true};
    // Of targets before sm_70 only the name counts: rules of PTX name them with versions that are older than they.
    constexpr unsigned kHeld = 60;
    if (version >= needed || needed < kHeld) return {};
    return {fmt::format(".target {} needs .version {}.{} or higher", module.target, needed / 10,
                        needed % 10),
            false};
}

}  // namespace gsu::ptx::detail
