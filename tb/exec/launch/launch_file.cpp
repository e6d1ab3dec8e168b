#include <algorithm>

#include "base/input_error.hpp"
#include "base/read_file.hpp"
#include "exec/launch/json_view.hpp"

namespace gsu {
namespace {

constexpr std::uint64_t kMaxLaunchFile = 64ull << 20;
constexpr std::uint64_t kMaxParams = 4096;
constexpr std::uint32_t kMaxSmem = 227 * 1024;

DataType typeOf(const JsonView& json)
{
    const std::string name = json.text();
    for (int i = 0; i <= static_cast<int>(DataType::B64); ++i) {
        if (name == nameOf(static_cast<DataType>(i))) return static_cast<DataType>(i);
    }
    json.fail("unknown type '" + name + "'");
}

void add(DataArray& array, const JsonView& json)
{
    if (!appendNumber(array, json.number())) {
        json.fail(json.json().dump() + " does not fit " + nameOf(array.type));
    }
}

/// What reading a launch file has used up and touched.
struct Reading {
    std::uint64_t left;  ///< bytes that all buffers and globals may still take
    std::vector<std::filesystem::path>& files;
};

/// At most limit + 1 bytes.
std::vector<std::uint8_t> fileBytes(const JsonView& json, std::uint64_t limit, Reading& reading)
{
    const std::string name = json.text();
    if (name.empty()) json.fail("must not be empty");
    const auto path = json.file().parent_path() / name;
    try {
        const std::string text = readFile(path, limit + 1);
        reading.files.push_back(path);
        return {text.begin(), text.end()};
    } catch (const InputError& e) {
        json.fail("'" + path.string() + "' " + e.reason);
    }
}

void fillFrom(DataArray& array, const JsonView& init, std::uint64_t count, Reading& reading)
{
    init.keys({"file", "fill", "iota", "values"});
    if (init.size() != 1) init.fail("exactly one of file, fill, iota, values");
    const std::uint64_t bytes = count * sizeOf(array.type);
    if (init.has("file")) {
        const JsonView file = init["file"];
        const auto refuse = [&](std::uint64_t have) {
            file.fail("'" + file.text() + "' holds " + std::to_string(have) +
                      " bytes, expected exactly " + std::to_string(bytes));
        };
        std::error_code error;
        const std::uint64_t have =
            std::filesystem::file_size(file.file().parent_path() / file.text(), error);
        if (!error && have != bytes) refuse(have);
        array.bytes = fileBytes(file, bytes, reading);
        if (array.bytes.size() != bytes) refuse(array.bytes.size());
        return;
    }
    array.bytes.reserve(bytes);
    if (init.has("fill")) {
        DataArray one{array.type, {}};
        add(one, init["fill"]);
        for (std::uint64_t i = 0; i < count; ++i) {
            array.bytes.insert(array.bytes.end(), one.bytes.begin(), one.bytes.end());
        }
    } else if (init.has("iota")) {
        const JsonView iota = init["iota"];
        iota.array();
        if (iota.size() != 2) iota.fail("expected [start, step]");
        const Number start = iota.at(0).number(), step = iota.at(1).number();
        const bool floating = start.floating || step.floating;
        const double s = start.floating ? start.real : static_cast<double>(start.integer);
        const double d = step.floating ? step.real : static_cast<double>(step.integer);
        for (std::uint64_t i = 0; i < count; ++i) {
            // Fits: 65 bits by at most 2^32 elements.
            const Number value =
                floating ? Number{true, 0, s + d * static_cast<double>(i)}
                         : Number{false, start.integer + step.integer * static_cast<Integer>(i), 0};
            if (!appendNumber(array, value)) {
                iota.fail("element " + std::to_string(i) + " does not fit " + nameOf(array.type));
            }
        }
    } else {
        const JsonView values = init["values"];
        values.array();
        if (values.size() != count) {
            values.fail("has " + std::to_string(values.size()) + " elements, count is " +
                        std::to_string(count));
        }
        for (std::size_t i = 0; i < values.size(); ++i) add(array, values.at(i));
    }
}

DataArray arrayOf(const JsonView& json, Reading& reading)
{
    DataArray array{typeOf(json["type"]), {}};
    const std::uint64_t count = json["count"].whole(kMaxLaunchBytes / sizeOf(array.type));
    const std::uint64_t bytes = count * sizeOf(array.type);
    if (bytes > reading.left)
        json.fail(std::to_string(bytes) + " bytes: all buffers together are too large");
    reading.left -= bytes;
    if (json.has("init")) {
        fillFrom(array, json["init"], count, reading);
    } else {
        array.bytes.resize(count * sizeOf(array.type));
    }
    return array;
}

LaunchParam bytesParam(const JsonView& json)
{
    json.keys({"size", "hex", "patch"});
    if (json.has("size") == json.has("hex")) json.fail("exactly one of size, hex");
    LaunchParam param;
    if (json.has("size")) {
        param.data.bytes.resize(json["size"].whole(32764));
        return param;
    }
    const std::string hex = json["hex"].text();
    const auto digit = [&](char c) -> unsigned {
        if (c >= '0' && c <= '9') return static_cast<unsigned>(c - '0');
        if (c >= 'a' && c <= 'f') return static_cast<unsigned>(c - 'a' + 10);
        if (c >= 'A' && c <= 'F') return static_cast<unsigned>(c - 'A' + 10);
        json["hex"].fail("holds something other than hexadecimal digits");
    };
    if (hex.size() % 2 != 0) json["hex"].fail("has an odd number of digits");
    if (hex.size() > 2 * 32764) json["hex"].fail("is longer than 32764 bytes");
    for (std::size_t i = 0; i < hex.size(); i += 2) {
        param.data.bytes.push_back(
            static_cast<std::uint8_t>(digit(hex[i]) << 4 | digit(hex[i + 1])));
    }
    return param;
}

LaunchParam paramOf(const JsonView& json, Reading& reading)
{
    json.keys({"buffer", "scalar", "null", "bytes", "tensormap"});
    if (json.size() != 1) json.fail("exactly one of buffer, scalar, null, bytes, tensormap");
    LaunchParam param;
    if (json.has("buffer")) {
        const JsonView buffer = json["buffer"];
        buffer.keys({"type", "count", "init", "patch"});
        param.kind = LaunchParam::Kind::Buffer;
        param.data = arrayOf(buffer, reading);
        if (buffer.has("patch"))
            param.patches = patchesOf(buffer["patch"], param.data.bytes.size());
        return param;
    }
    if (json.has("bytes")) {
        param = bytesParam(json["bytes"]);
        if (json["bytes"].has("patch"))
            param.patches = patchesOf(json["bytes"]["patch"], param.data.bytes.size());
        return param;
    }
    if (json.has("tensormap")) {
        param.tensor = tensorOf(json["tensormap"]);
        param.data.bytes.resize(TensorMap::kBytes);
        return param;
    }
    if (json.has("null")) {
        if (!json["null"].boolean()) json["null"].fail("must be true");
        param.data = {DataType::U64, std::vector<std::uint8_t>(8)};
        return param;
    }
    const JsonView scalar = json["scalar"];
    scalar.keys({"type", "value"});
    param.data.type = typeOf(scalar["type"]);
    add(param.data, scalar["value"]);
    return param;
}

std::array<std::uint32_t, 3> shapeOf(const JsonView& json, std::array<std::uint32_t, 3> limits,
                                     std::uint64_t total)
{
    json.array();
    if (json.size() == 0 || json.size() > 3) json.fail("expected [x, y, z]");
    std::array<std::uint32_t, 3> shape{1, 1, 1};
    std::uint64_t product = 1;
    for (std::size_t i = 0; i < json.size(); ++i) {
        shape[i] = static_cast<std::uint32_t>(json.at(i).whole(limits[i]));
        if (shape[i] == 0) json.at(i).fail("must be at least 1");
        product *= shape[i];
        if (product > total) json.fail("the product is above " + std::to_string(total));
    }
    return shape;
}

DataType compareType(const LaunchSpec& spec, const JsonView& json, const Expectation& e)
{
    if (e.param) return spec.params[*e.param].data.type;
    for (const LaunchMemory& m : spec.memory) {
        if (m.name == e.global) return m.data.type;
    }
    for (const LaunchGlobal& g : spec.globals) {
        if (g.name == e.global) return g.data.type;
    }
    if (json.has("type")) return typeOf(json["type"]);
    json.fail("global '" + e.global + "' is not among \"globals\": give its \"type\" here");
}

Expectation expectationOf(const LaunchSpec& spec, const JsonView& json, Reading& reading)
{
    json.keys(
        {"param", "memory", "global", "type", "file", "values", "fill", "rtol", "atol", "first"});
    Expectation e;
    if (json.has("param") + json.has("memory") + json.has("global") != 1)
        json.fail("exactly one of param, memory, global");
    if (json.has("param")) {
        e.param = json["param"].whole(kMaxParams);
        if (*e.param >= spec.params.size() ||
            spec.params[*e.param].kind != LaunchParam::Kind::Buffer) {
            json["param"].fail("parameter " + std::to_string(*e.param) + " is not a buffer");
        }
    } else if (json.has("memory")) {
        e.global = json["memory"].text();
        const auto named = [&](const LaunchMemory& m) { return m.name == e.global; };
        if (std::none_of(spec.memory.begin(), spec.memory.end(), named))
            json["memory"].fail("'" + e.global + "' is not among \"memory\"");
    } else {
        e.global = json["global"].text();
    }
    e.data.type = compareType(spec, json, e);
    if (json.has("rtol")) e.rtol = json["rtol"].real();
    if (json.has("atol")) e.atol = json["atol"].real();
    e.tolerant = json.has("rtol") || json.has("atol");
    if (e.tolerant && !isFloat(e.data.type))
        json.fail("rtol and atol are for floating-point types");
    if (json.has("first")) e.first = json["first"].whole(kMaxLaunchBytes);
    if (json.has("file") + json.has("values") + json.has("fill") != 1) {
        json.fail("exactly one of file, values, fill");
    }
    const unsigned size = sizeOf(e.data.type);
    if (json.has("file")) {
        e.data.bytes = fileBytes(json["file"], kMaxLaunchBytes, reading);
        if (e.data.bytes.size() % size != 0) {
            json["file"].fail("size is not a multiple of " + std::to_string(size));
        }
    } else if (json.has("fill")) {
        e.fill = true;
        add(e.data, json["fill"]);
    } else {
        json["values"].array();
        for (std::size_t i = 0; i < json["values"].size(); ++i) add(e.data, json["values"].at(i));
    }
    if (e.param && e.first && *e.first > spec.params[*e.param].data.count()) {
        json["first"].fail("is " + std::to_string(*e.first) + ", the buffer has " +
                           std::to_string(spec.params[*e.param].data.count()) + " elements");
    }
    if (e.fill) return e;
    const std::size_t have = e.data.count();
    if (e.first && have < *e.first) {
        json.fail("has " + std::to_string(have) + " elements, first is " +
                  std::to_string(*e.first));
    }
    if (e.param && !e.first && have != spec.params[*e.param].data.count()) {
        json.fail("has " + std::to_string(have) + " elements, the buffer has " +
                  std::to_string(spec.params[*e.param].data.count()));
    }
    return e;
}

void memoryOf(LaunchSpec& spec, const JsonView& root, Reading& reading)
{
    if (!root.has("memory")) return;
    const JsonView memory = root["memory"];
    if (!memory.json().is_object()) memory.fail("expected an object");
    for (const auto& item : memory.json().items()) {
        const JsonView json = memory[item.key()];
        if (item.key().empty()) json.fail("a name must not be empty");
        json.keys({"type", "count", "init", "address", "patch"});
        LaunchMemory m{item.key(), arrayOf(json, reading), {}, {}};
        if (json.has("address")) m.address = addressOf(json["address"]);
        if (json.has("patch")) m.patches = patchesOf(json["patch"], m.data.bytes.size());
        spec.memory.push_back(std::move(m));
    }
}

void shapesOf(LaunchSpec& spec, const JsonView& root)
{
    if (root.has("grid")) {
        spec.grid = shapeOf(root["grid"], {0x7fffffff, 65535, 65535}, 1ull << 31);
    }
    if (root.has("block")) spec.block = shapeOf(root["block"], {1024, 1024, 64}, 1024);
    if (root.has("cluster")) spec.cluster = shapeOf(root["cluster"], {16, 16, 16}, 16);
    if (root.has("dynamic_smem")) {
        spec.dynamicSmem = static_cast<std::uint32_t>(root["dynamic_smem"].whole(kMaxSmem));
    }
    if (root.has("cooperative")) spec.cooperative = root["cooperative"].boolean();
    if (root.has("sms")) {
        spec.sms = static_cast<unsigned>(root["sms"].whole(16));
        if (*spec.sms == 0) root["sms"].fail("must be at least 1");
    }
}

}  // namespace

void LaunchSpec::fail(const std::string& pointer, const std::string& reason) const
{
    if (text != nullptr) text->fail(pointer, reason);
    throw InputError(file.string(), 0, 0,
                     (pointer.empty() ? "" : shownPointer(pointer) + ": ") + reason);
}

LaunchSpec loadLaunch(const std::filesystem::path& file)
{
    return parseLaunch(readFile(file, kMaxLaunchFile), file);
}

LaunchSpec parseLaunch(const std::string& text, const std::filesystem::path& file,
                       std::uint64_t maxBytes)
{
    LaunchSpec spec;
    spec.file = file;
    spec.text = std::make_shared<JsonText>(text, file);
    const nlohmann::json json = spec.text->parse();
    const JsonView root(json, *spec.text);
    root.keys({"ptx", "entry", "grid", "block", "cluster", "dynamic_smem", "cooperative", "sms",
               "params", "memory", "multimem", "globals", "expect", "verdict", "findings"});
    modulesOf(spec, root["ptx"]);
    if (root.has("entry")) spec.entry = root["entry"].text();
    shapesOf(spec, root);
    Reading reading{maxBytes, spec.files};
    if (root.has("params")) {
        const JsonView params = root["params"];
        params.array();
        if (params.size() > kMaxParams) params.fail("more than 4096 parameters");
        for (std::size_t i = 0; i < params.size(); ++i)
            spec.params.push_back(paramOf(params.at(i), reading));
    }
    memoryOf(spec, root, reading);
    multimemOf(spec, root);
    if (root.has("globals")) {
        const JsonView globals = root["globals"];
        if (!globals.json().is_object()) globals.fail("expected an object");
        for (const auto& item : globals.json().items()) {
            const JsonView global = globals[item.key()];
            global.keys({"type", "count", "init", "address"});
            spec.globals.push_back({item.key(), arrayOf(global, reading), {}});
            if (global.has("address")) spec.globals.back().address = addressOf(global["address"]);
        }
    }
    if (root.has("expect")) {
        const JsonView expect = root["expect"];
        expect.array();
        for (std::size_t i = 0; i < expect.size(); ++i)
            spec.expect.push_back(expectationOf(spec, expect.at(i), reading));
    }
    verdictOf(spec, root);
    return spec;
}

}  // namespace gsu
