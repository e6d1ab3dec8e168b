/// What instructions reach of the run that executes them. Names only: who uses a part includes its header, so that instructions need not know the run.
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

/// All outlive it.
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
