/// A launch after layout and decoding: its constant part, and its memory. Private to tb/exec.
#pragma once
#include <memory>
#include <vector>

#include "exec/device/parameters.hpp"
#include "exec/device/thread_bytes.hpp"
#include "exec/launch/shape.hpp"
#include "exec/program/micro_op.hpp"
#include "exec/settings/run_options.hpp"

namespace gsu::exec {

struct Kernel {
    /// Lays out and decodes a launch. `device`: memory that it shares with other launches; nullptr: it has memory of its own. Both spec and
    /// module outlive it. Throws InputError.
    Kernel(const LaunchSpec& spec, const ptx::Module& module, RunOptions options,
           DeviceMemory* device);
    Kernel(const Kernel&) = delete;
    Kernel& operator=(const Kernel&) = delete;

    /// Buffers, and memory of its own, as they are now; without bytes only their names.
    [[nodiscard]] std::vector<MemoryContents> contents(bool withBytes);

    const LaunchSpec& spec;
    const ptx::Module& module;
    const RunOptions options;
    std::unique_ptr<DeviceMemory> ownDevice;
    DeviceMemory& device;
    const LaunchPlan plan;
    const Shape& shape{plan.shape};
    Program program;
    Parameters parameters;
    ThreadBytes threadBytes;

private:
    void reserveThreads();
    void checkPart() const;
};

}  // namespace gsu::exec
