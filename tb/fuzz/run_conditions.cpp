#include "fuzz/run_conditions.hpp"

#include <fmt/format.h>

#include <algorithm>

namespace gsu::fuzz {
namespace {

/// A number that is often small and sometimes large: each power of two is equally likely.
std::uint32_t logarithmic(Random& random, std::uint32_t low, std::uint32_t high)
{
    unsigned bits = 0;
    while (bits < 32 && high >> bits != 0) ++bits;
    const std::uint64_t top = std::uint64_t{1} << random.between(1, std::max(bits, 1u));
    const auto value = static_cast<std::uint32_t>(random.next() % top);
    return std::clamp(value, low, high);
}

/// False for parameters that do not affect timing: they decide when the machine gives up.
bool drawn(const Knob& knob) { return knob.key != "exec.quiet"; }

std::uint32_t valueOf(Random& random, const Knob& knob, std::uint32_t largest)
{
    if (knob.key == "mbar_policy")
        return random.below(4);  // bit 2 is the sm_80 profile: Conditions::preset
    if (knob.key == "trywait_slots") return random.chance(40) ? 0 : random.between(1, 32);
    if (knob.key.ends_with("_mhz")) return random.between(200, 3000);
    if (random.chance(20)) return knob.min;
    // Everything that queues waits for an interval: larger intervals make runs of 10^7 clocks and show nothing else.
    if (knob.key == "mbar_interval" || knob.key == "bar_interval")
        return logarithmic(random, knob.min, std::min(largest, 63u));
    std::uint32_t most = 300;
    if (random.chance(30)) most = 3000;
    if (random.chance(5)) most = 40000;
    most = std::min(most, largest);
    if (knob.min >= most) most = 10 * knob.min;  // of parameters in thousandths or bytes
    return logarithmic(random, knob.min, std::min(knob.max, most));
}

}  // namespace

std::string Conditions::commandLine() const
{
    std::string out =
        fmt::format("--unit {} --preset {} --seed {} --threads {}", unit, preset, seed, threads);
    if (!timing.empty()) out += " --timing " + timing;
    for (const auto& [key, value] : sets) out += fmt::format(" --set {}={}", key, value);
    return out;
}

Conditions drawConditions(Random& random, const std::vector<Knob>& knobs, bool sm80, unsigned turn,
                          std::uint32_t most)
{
    constexpr const char* kUnits[] = {"lockstep", "golden", "rtl"};
    constexpr const char* kPresets[] = {"hopper", "hopper", "blackwell", "ideal"};
    Conditions c;
    c.unit = kUnits[turn % 3];
    c.preset = sm80 ? (random.chance(60) ? "ampere" : "hopper") : random.pick(kPresets);
    c.seed = random.between(1, 1'000'000);
    c.threads = random.chance(25) ? 2 : 1;
    c.replay = random.chance(25);
    const unsigned percent = random.pick({0u, 10u, 30u, 70u});
    for (const Knob& knob : knobs) {
        if (!drawn(knob) || !random.chance(percent)) continue;
        std::uint32_t value = valueOf(random, knob, most);
        if (knob.key == "mbar_policy" && c.preset == "ampere") value |= 4;
        c.sets.emplace_back(knob.key, value);
    }
    return c;
}

}  // namespace gsu::fuzz
