// "params" of a launch file.
#include "exec/launch/launch_reading.hpp"

namespace gsu {
namespace {

constexpr std::uint64_t kMaxParamBytes = 32764;

std::vector<std::uint8_t> hexBytes(const JsonView& json)
{
    const std::string hex = json.text();
    const auto digit = [&](char c) -> unsigned {
        if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
        if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
        if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
        json.fail("holds something other than hexadecimal digits");
    };
    if (hex.size() % 2 != 0) json.fail("has an odd number of digits");
    if (hex.size() > 2 * kMaxParamBytes) json.fail("is longer than 32764 bytes");
    std::vector<std::uint8_t> bytes;
    for (std::size_t i = 0; i < hex.size(); i += 2)
        bytes.push_back(static_cast<std::uint8_t>(digit(hex[i]) << 4 | digit(hex[i + 1])));
    return bytes;
}

LaunchParam bytesParam(const JsonView& json)
{
    json.keys({"size", "hex", "patch"});
    if (json.has("size") == json.has("hex")) json.fail("exactly one of size, hex");
    LaunchParam param;
    if (json.has("size")) {
        param.data.bytes.resize(json["size"].whole(kMaxParamBytes));
    } else {
        param.data.bytes = hexBytes(json["hex"]);
    }
    if (json.has("patch")) param.patches = patchesOf(json["patch"], param.data.bytes.size());
    return param;
}

LaunchParam bufferParam(const JsonView& json, Reading& reading)
{
    json.keys({"type", "count", "init", "patch"});
    LaunchParam param{LaunchParam::Kind::Buffer, arrayOf(json, reading)};
    if (json.has("patch")) param.patches = patchesOf(json["patch"], param.data.bytes.size());
    return param;
}

/// {"memory": name, "offset": n}: an address, filled in when there is one.
LaunchParam addressParam(const JsonView& json)
{
    json.keys({"memory", "offset"});
    Patch patch;
    patch.base = MemoryRef(json["memory"].text());
    if (patch.base.name.empty()) json["memory"].fail("must not be empty");
    if (json.has("offset")) patch.add = json["offset"].whole(kMaxLaunchBytes);
    LaunchParam param;
    param.data.bytes.resize(8);
    param.patches.push_back(std::move(patch));
    return param;
}

LaunchParam paramOf(const JsonView& json, Reading& reading)
{
    if (!json.json().is_object())
        json.fail(R"(expected an object such as {"scalar": {"type": "u32", "value": 1}})");
    if (json.has("memory")) return addressParam(json);
    json.keys({"buffer", "scalar", "null", "bytes", "tensormap", "memory"});
    if (json.size() != 1)
        json.fail("exactly one of buffer, scalar, null, bytes, tensormap, memory");
    if (json.has("buffer")) return bufferParam(json["buffer"], reading);
    if (json.has("bytes")) return bytesParam(json["bytes"]);
    LaunchParam param;
    if (json.has("tensormap")) {
        param.tensor = tensorOf(json["tensormap"]);
        param.data.bytes.resize(TensorMap::kBytes);
        return param;
    }
    if (json.has("null")) {
        if (!json["null"].boolean()) json["null"].fail("must be true");
        param.data.bytes.resize(8);
        return param;
    }
    const JsonView scalar = json["scalar"];
    scalar.keys({"type", "value"});
    param.data.type = typeOf(scalar["type"]);
    add(param.data, scalar["value"]);
    return param;
}

}  // namespace

void paramsOf(LaunchSpec& spec, const JsonView& json, Reading& reading)
{
    if (json.json().is_object() && json.has("bytes")) {
        json.keys({"bytes"});
        spec.paramBlock = bytesParam(json["bytes"]);
        return;
    }
    if (!json.json().is_array()) json.fail("expected an array, or {\"bytes\": ...} for all");
    if (json.size() > kMaxParams) json.fail("more than 4096 parameters");
    for (std::size_t i = 0; i < json.size(); ++i)
        spec.params.push_back(paramOf(json.at(i), reading));
}

}  // namespace gsu
