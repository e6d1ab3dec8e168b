/// The parameters of a graph node, for a program that asks for them.
#pragma once
#include <memory>
#include <variant>
#include <vector>

#include "cuda/device/types.hpp"

namespace gsu::cuda {

struct Graph;

/// Rows of a copy; plain copies have one row and one slice.
struct Box {
    std::uint64_t width{};  ///< bytes of a row
    std::uint64_t rows{1}, slices{1};
    std::uint64_t targetPitch{}, sourcePitch{};  ///< from row to row
    std::uint64_t targetSlice{}, sourceSlice{};  ///< from slice to slice
};

struct LaunchParameters {
    Handle function{};  ///< the program's name for it
    Dim3 grid{}, block{};
    unsigned dynamicSmem{};
    std::vector<std::uint8_t> bytes{};  ///< bytes of all parameters
    std::vector<void*> arguments{};     ///< pointers to each in `bytes`
};
struct CopyParameters {
    void* target{};
    const void* source{};
    Box box{};
    int kind{};
};
struct EventParameters {
    Handle event{};
};
struct ChildParameters {
    std::shared_ptr<Graph> graph{};
};

struct NodeParameters {
    std::variant<std::monostate, LaunchParameters, CopyParameters, FillNode, HostNode,
                 EventParameters, ChildParameters>
        what{};
};

}  // namespace gsu::cuda
