/// The parts of a run that its instructions use. They are only declared here: a source includes the headers of the parts that it uses.
#pragma once
#include "ptx/ast.hpp"

namespace gsu {
struct LaunchSpec;
struct RunOptions;
}  // namespace gsu

namespace gsu::exec {

class AsyncEngines;
struct DeviceMemory;
class MatrixEngine;
class Memory;
struct Program;
class RemoteAtomics;
struct RunState;
struct Shape;
class SyncClient;
class TensorCores;

/// References to the parts of one run, which outlive it.
struct RunParts {
    const LaunchSpec& spec;
    const RunOptions& options;
    const ptx::Module& module;
    const Program& program;
    const Shape& shape;
    RunState& state;
    DeviceMemory& device;
    Memory& memory;
    SyncClient& client;
    AsyncEngines& async;
    RemoteAtomics& atomics;
    MatrixEngine& matrix;
    TensorCores& tensorCores;
};

}  // namespace gsu::exec
