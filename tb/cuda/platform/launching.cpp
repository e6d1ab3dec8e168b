#include "cuda/platform/launching.hpp"

#include <fmt/format.h>

#include <cstring>

#include "cuda/streams/node_parameters.hpp"

namespace gsu::cuda {
namespace {

Dim dimOf(const Dim3& d) { return {d.x, d.y, d.z}; }

std::vector<std::uint8_t> argumentsOf(const LaunchRequest& request)
{
    const ptx::Function& f = *request.kernel->function;
    const ParameterLayout layout = parametersOf(f);
    if (request.block_bytes != nullptr) {
        if (request.blockSize < layout.bytes)
            throw Refusal{Status::InvalidValue,
                          fmt::format("{} bytes of parameters, {} takes {}", request.blockSize,
                                      f.name, layout.bytes)};
        return {request.block_bytes, request.block_bytes + layout.bytes};
    }
    std::vector<std::uint8_t> bytes(layout.bytes);
    if (request.arguments == nullptr && !f.params.empty())
        throw Refusal{Status::InvalidValue, f.name + " takes arguments, and none are given"};
    for (std::size_t i = 0; i < f.params.size(); ++i) {
        if (request.arguments[i] == nullptr)
            throw Refusal{Status::InvalidValue,
                          fmt::format("argument {} of {} is a null pointer", i, f.name)};
        std::memcpy(bytes.data() + layout.offsets[i], request.arguments[i], f.params[i].bytes);
    }
    return bytes;
}

/// The parameters of a graph node, for a program that asks for them.
std::shared_ptr<const NodeParameters> nodeParameters(const LaunchRequest& request,
                                                     const std::vector<std::uint8_t>& parameters)
{
    auto node = std::make_shared<NodeParameters>();
    const void* named = request.function != nullptr ? request.function : request.kernel;
    auto& launch = node->what.emplace<LaunchParameters>(
        LaunchParameters{const_cast<void*>(named), request.grid, request.block,
                         static_cast<unsigned>(request.dynamicSmem), parameters});
    for (const std::uint64_t offset : parametersOf(*request.kernel->function).offsets)
        launch.arguments.push_back(launch.bytes.data() + offset);
    return node;
}

}  // namespace

Stream& streamOf(Platform& platform, Handle handle)
{
    Stream* stream = platform.streams.of(handle);
    if (stream == nullptr) throw Refusal{Status::InvalidHandle, "this is not a stream"};
    return *stream;
}

Kernel& kernelOf(Platform& platform, const void* handle)
{
    if (platform.isKernel(handle)) return *static_cast<Kernel*>(const_cast<void*>(handle));
    return platform.registry.kernel(platform, handle);
}

void takeAttributes(LaunchRequest& request, const LaunchAttribute* attributes, unsigned count)
{
    if (count != 0 && attributes == nullptr)
        throw Refusal{Status::InvalidValue, "attributes without a list"};
    for (unsigned i = 0; i < count; ++i) {
        const LaunchAttribute& a = attributes[i];
        switch (a.id) {
            case AttributeCooperative: request.cooperative = a.number != 0; break;
            case AttributeClusterDimension:
                if (a.dim.x != 0) request.cluster = Dim{a.dim.x, a.dim.y, a.dim.z};
                break;
            case AttributeProgrammaticSerialisation: request.dependent = a.number != 0; break;
            // Hints, which do not change results.
            case AttributeIgnore:
            case AttributeAccessPolicy:
            case AttributeSyncPolicy:
            case AttributeClusterPreference:
            case AttributePriority:
            case AttributeMemSyncDomainMap:
            case AttributeMemSyncDomain:
            case AttributePreferredCluster:
            case AttributePreferredShared: break;
            default:
                throw Refusal{Status::NotSupported,
                              fmt::format("launch attribute {} is not supported", a.id)};
        }
    }
}

void takeExtra(LaunchRequest& request, void** extra)
{
    const auto marker = [](void* v) { return reinterpret_cast<std::uintptr_t>(v); };
    for (; extra != nullptr && marker(*extra) != 0; extra += 2) {
        if (extra[1] == nullptr)
            throw Refusal{Status::InvalidValue, "a null pointer among the extra arguments"};
        if (marker(*extra) == 1) {
            request.block_bytes = static_cast<const std::uint8_t*>(extra[1]);
        } else if (marker(*extra) == 2) {
            request.blockSize = *static_cast<const std::size_t*>(extra[1]);
        } else {
            throw Refusal{Status::InvalidValue, "an unknown marker among the extra arguments"};
        }
    }
}

Work launchWork(Platform& platform, const LaunchRequest& request, std::uint64_t stream)
{
    LaunchCall call;
    call.kernel = request.kernel->shared_from_this();
    call.grid = dimOf(request.grid);
    call.block = dimOf(request.block);
    call.cluster = request.cluster;
    if (request.dynamicSmem > ~0u)
        throw Refusal{Status::InvalidValue, "more than 4 GiB of shared memory"};
    call.dynamicSmem = static_cast<std::uint32_t>(request.dynamicSmem);
    call.cooperative = request.cooperative;
    call.dependent = request.dependent;
    call.stream = stream;
    call.site = siteText(request.site);
    if (const Refusal refusal = checkLaunch(call, platform.settings.sms);
        refusal.status != Status::Success) {
        throw Refusal{refusal.status, call.kernel->readable + ": " + refusal.message +
                                          " (launched at " + call.site + ")"};
    }
    call.parameters = argumentsOf(request);
    Work work{Work::Kind::Kernel, [&platform, call] {
                  if (const auto flight = platform.launch(call)) flyAlone(*flight);
                  return Status::Success;
              }};
    work.parameters = nodeParameters(request, call.parameters);
    work.begin = [&platform, call] { return platform.launch(call); };
    work.sms = smsFor(call, platform.settings.sms, platform.timed()).value_or(1);
    work.dependent = call.dependent;
    // Cooperative launches of a module share the memory of their barrier; a saved launch is one step of a list.
    work.alone = call.cooperative || platform.saver.wanted();
    return work;
}

Status submitLaunch(Platform& platform, const LaunchRequest& request)
{
    Stream& stream = streamOf(platform, request.stream);
    return platform.streams.submit(stream, launchWork(platform, request, stream.number));
}

}  // namespace gsu::cuda
