/// The shape of a launch: grid, block and cluster, bytes of shared memory, SMs.
#pragma once
#include <array>
#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "exec/launch/chips.hpp"
#include "exec/launch/launch_spec.hpp"
#include "golden/chip_layout.hpp"
#include "golden/structure.hpp"
#include "ptx/ast.hpp"

namespace gsu::exec {

struct Shape {
    std::array<std::uint32_t, 3> grid{}, block{}, cluster{1, 1, 1};
    bool clusterLaunch{};
    std::uint32_t threads{}, warps{}, clusterCtas{1};
    std::uint64_t ctas{};
    unsigned sms{1};
    unsigned perSm{kMaxCtas};  ///< CTAs for which an SM has registers
    std::uint32_t smem{};      ///< bytes of a CTA's window, a multiple of 256
    std::uint32_t staticSmem{}, dynamicBase{}, totalSmem{};
    Structure has{};  ///< structure of each SM

    [[nodiscard]] std::uint64_t clusters() const noexcept { return ctas / clusterCtas; }
    /// SMs of a part of the unit that shares nothing except global memory with the others: one, or a network if CTAs form clusters.
    [[nodiscard]] unsigned smsOfPart() const noexcept
    {
        return clusterCtas == 1 ? 1 : chip().largest();
    }
    [[nodiscard]] ChipLayout chip() const noexcept { return sms; }
    /// SMs of a chip of `of` that such clusters keep busy; 0 of 0.
    [[nodiscard]] unsigned activeOf(unsigned of) const noexcept
    {
        return of < clusterCtas ? of : clustersSideBySide(of, clusterCtas) * clusterCtas;
    }
};

/// The plan of a launch of a kernel.
struct LaunchPlan {
    const ptx::Function* entry{};
    std::vector<const ptx::Function*> functions;  ///< reachable by name, the entry first
    std::map<std::string, std::uint64_t>
        sharedSymbols;  ///< offsets of shared variables in a CTA's window
    Shape shape;
};

/// Plans a launch. Throws InputError if it does not fit the kernel or the machine, whose SMs have `structure`.
[[nodiscard]] LaunchPlan planOf(const LaunchSpec& spec, const ptx::Module& module,
                                const Structure& structure = defaultStructure());
/// Number of clusters that the SMs hold at once, placed as in exec/ctas/placement.hpp.
[[nodiscard]] std::uint64_t residentClusters(const Shape& shape) noexcept;

}  // namespace gsu::exec
