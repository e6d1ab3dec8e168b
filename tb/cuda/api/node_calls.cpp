#include "cuda/api/node_calls.hpp"

namespace gsu::cuda {
namespace {

/// nullptr: the node is of another kind.
template <class T> const T* parametersOf(Platform& p, Handle node)
{
    const std::shared_ptr<const NodeParameters>& parameters = nodeOf(p, node).work.parameters;
    return parameters ? std::get_if<T>(&parameters->what) : nullptr;
}

template <class T> Status tell(Platform& p, Handle node, T* to)
{
    const T* parameters = parametersOf<T>(p, node);
    if (parameters == nullptr || to == nullptr) return Status::InvalidValue;
    *to = *parameters;
    return Status::Success;
}

Node* inInstance(Platform& p, Handle instance, Handle node)
{
    const std::shared_ptr<ReadyGraph> ready = readyOf(p, instance);
    const auto found = ready->copyOf.find(static_cast<const Node*>(node));
    return found == ready->copyOf.end() ? nullptr : found->second;
}

bool canBeOff(const Node& node)
{
    using Kind = Work::Kind;
    return node.work.kind == Kind::Kernel || node.work.kind == Kind::Copy ||
           node.work.kind == Kind::Fill;
}

}  // namespace

Status parametersOfNode(Platform& p, Handle node, KernelNode* to)
{
    const auto* launch = parametersOf<LaunchParameters>(p, node);
    if (launch == nullptr || to == nullptr) return Status::InvalidValue;
    *to = {.function = launch->function,
           .grid = launch->grid,
           .block = launch->block,
           .dynamicSmem = launch->dynamicSmem,
           .arguments = const_cast<void**>(launch->arguments.data()),
           .extra = nullptr};
    return Status::Success;
}

Status parametersOfNode(Platform& p, Handle node, FillNode* to) { return tell(p, node, to); }
Status parametersOfNode(Platform& p, Handle node, HostNode* to) { return tell(p, node, to); }

Status parametersOfNode(Platform& p, Handle node, Copy3D* to)
{
    const auto* copy = parametersOf<CopyParameters>(p, node);
    if (copy == nullptr || to == nullptr) return Status::InvalidValue;
    const Box& b = copy->box;
    const auto side = [&](void* at, std::uint64_t pitch, std::uint64_t slice) {
        const std::uint64_t row = pitch != 0 ? pitch : b.width;
        return PitchedPointer{at, row, b.width, slice != 0 ? slice / row : b.rows};
    };
    *to = {};
    to->source = side(const_cast<void*>(copy->source), b.sourcePitch, b.sourceSlice);
    to->target = side(copy->target, b.targetPitch, b.targetSlice);
    to->extent = {b.width, b.rows, b.slices};
    to->kind = copy->kind;
    return Status::Success;
}

Status parametersOfNode(Platform& p, Handle node, DriverCopy3D* to)
{
    Copy3D copy{};
    if (const Status s = parametersOfNode(p, node, &copy); s != Status::Success || to == nullptr)
        return Status::InvalidValue;
    constexpr unsigned kHost = 1, kDevice = 2;
    const auto side = [&](const PitchedPointer& at) {
        DriverSide s{};
        const bool device = p.heap.find(reinterpret_cast<std::uint64_t>(at.pointer)) != nullptr;
        s.kind = device ? kDevice : kHost;
        if (device)
            s.device = reinterpret_cast<std::uint64_t>(at.pointer);
        else
            s.host = at.pointer;
        s.pitch = at.pitch;
        s.height = at.ysize;
        return s;
    };
    *to = {side(copy.source), side(copy.target), copy.extent.width, copy.extent.height,
           copy.extent.depth};
    return Status::Success;
}

Status eventOfNode(Platform& p, Handle node, Handle* event, bool records)
{
    const auto* parameters = parametersOf<EventParameters>(p, node);
    const auto kind = records ? Work::Kind::Record : Work::Kind::Wait;
    if (parameters == nullptr || event == nullptr || nodeOf(p, node).work.kind != kind)
        return Status::InvalidValue;
    *event = parameters->event;
    return Status::Success;
}

Status childOfNode(Platform& p, Handle node, Handle* graph)
{
    const auto* parameters = parametersOf<ChildParameters>(p, node);
    if (parameters == nullptr || graph == nullptr) return Status::InvalidValue;
    *graph = p.graphs.keep(parameters->graph);
    return Status::Success;
}

Status setEvent(Platform& p, Handle instance, Handle node, Handle event, bool records)
{
    Work work = records ? recordWork(p, event) : waitWork(p, event);
    return instance == nullptr ? changeNode(p, node, std::move(work))
                               : changeInstance(p, instance, node, std::move(work));
}

Status findInClone(Platform& p, Handle* found, Handle node, Handle clone)
{
    const Node* in = p.graphs.inClone(clone, &nodeOf(p, node));
    if (in == nullptr || found == nullptr) return Status::InvalidValue;
    *found = const_cast<Node*>(in);
    return Status::Success;
}

Status setEnabled(Platform& p, Handle instance, Handle node, unsigned enabled)
{
    Node* n = inInstance(p, instance, node);
    if (n == nullptr || !canBeOff(*n)) return Status::InvalidValue;
    n->off = enabled == 0;
    return Status::Success;
}

Status getEnabled(Platform& p, Handle instance, Handle node, unsigned* enabled)
{
    const Node* n = inInstance(p, instance, node);
    if (n == nullptr || !canBeOff(*n) || enabled == nullptr) return Status::InvalidValue;
    *enabled = n->off ? 0 : 1;
    return Status::Success;
}

}  // namespace gsu::cuda
