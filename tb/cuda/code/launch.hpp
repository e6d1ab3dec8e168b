/// One launch of a program's kernel, from the arguments of the API to its end on the unit.
#pragma once
#include <array>
#include <cstdint>
#include <optional>
#include <vector>

#include "cuda/code/code_module.hpp"
#include "cuda/device/status.hpp"

namespace gsu::cuda {

using Dim = std::array<std::uint32_t, 3>;

/// A kernel that a program can launch, with its settings. Nodes of graphs keep it and its module alive after the program has unloaded the module.
struct Kernel : std::enable_shared_from_this<Kernel> {
    std::shared_ptr<CodeModule> module{};
    const ptx::Function* function{};
    std::uint32_t maxDynamic{48 * 1024};  ///< dynamic shared memory that launches may have
    std::uint32_t staticSmem{};
    bool largeCluster{};  ///< clusters above 8 CTAs are allowed
    Dim requiredCluster{};
    std::string readable;  ///< demangled
};

struct LaunchCall {
    std::shared_ptr<Kernel> kernel{};
    Dim grid{1, 1, 1}, block{1, 1, 1};
    std::optional<Dim> cluster;
    std::uint32_t dynamicSmem{};
    bool cooperative{}, dependent{};
    std::vector<std::uint8_t> parameters;
    std::uint64_t stream{};  ///< number of the stream, 0: the default one
    std::string site;        ///< place in the program that launched it
};

/// Checks a launch before anything runs, for both APIs.
[[nodiscard]] Refusal checkLaunch(const LaunchCall& call, unsigned sms);
/// Number of SMs for the launch: enough for its clusters, and for all CTAs of a cooperative one. nullopt: it does not fit. `spread`: one
/// for each of its CTAs, as long as there are some, as a device does; times depend on it.
[[nodiscard]] std::optional<unsigned> smsFor(const LaunchCall& call, unsigned sms,
                                             bool spread = false);
/// CTAs that an SM of the unit holds at once.
[[nodiscard]] unsigned residentCtas(const Kernel& kernel, std::uint32_t threads,
                                    std::uint64_t dynamicSmem) noexcept;

}  // namespace gsu::cuda
