/// Launches without a launch file, from the command line of `gsu run K.ptx`; and the launch file that `gsu init` writes.
#pragma once
#include <optional>
#include <string>
#include <vector>

#include "exec/launch/launch_spec.hpp"

namespace gsu {

/// The options of a command line for a launch; empty: not given.
struct LaunchCall {
    std::string entry;
    std::vector<std::uint32_t> grid, block, cluster;
    std::optional<std::uint32_t> smem;
    std::optional<unsigned> sms;
    bool cooperative{};
    /// A given option, or nullptr.
    [[nodiscard]] const char* anyGiven() const noexcept;
    std::vector<std::string> args;  ///< one per parameter, in order; kArgumentForms lists the forms
};

inline constexpr const char* kArgumentForms =
    "NUMBER or TYPE:NUMBER (scalar; without TYPE that of the parameter), null, zero (all bytes), "
    "bytes:HEX, buf:TYPE:COUNT[:INIT] or buf:TYPE:@FILE (fresh global memory). INIT: NUMBER "
    "(fill), iota, "
    "iota=START,STEP, values=V,V,..., @FILE. TYPE: i8 u8 i16 u16 i32 u32 i64 u64 f16 bf16 f32 f64 "
    "b8 b16 b32 b64";

/// The launch file of the call. Throws InputError naming the argument, the parameter and its line of the PTX.
[[nodiscard]] std::string launchTextOf(const LaunchCall& call, const ptx::Module& module);

/// A launch file for `entry` that can be run unchanged: `ptx` is the name of the module's file in it.
[[nodiscard]] std::string launchTemplate(const ptx::Function& entry, const std::string& ptx);

/// A parameter that holds an address, as far as the code shows, with the first type of the memory there.
struct PointerUse {
    bool pointer{};
    ptx::Type element{ptx::Type::None};
};
[[nodiscard]] std::vector<PointerUse> pointerUses(const ptx::Function& entry);

}  // namespace gsu
