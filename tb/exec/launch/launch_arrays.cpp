// Typed arrays of a launch file: "type", "count", "init".
#include <fmt/format.h>

#include "base/counted.hpp"
#include "base/input_error.hpp"
#include "base/read_file.hpp"
#include "exec/launch/launch_reading.hpp"

namespace gsu {

DataType typeOf(const JsonView& json)
{
    const std::string name = json.text();
    for (int i = 0; i <= static_cast<int>(DataType::B64); ++i) {
        if (name == nameOf(static_cast<DataType>(i))) return static_cast<DataType>(i);
    }
    json.fail("unknown type '" + name + "'");
}

DataType typeOf(const ptx::Variable& variable)
{
    std::string name = ptx::spelling(variable.type);
    if (name[0] == 's') name[0] = 'i';
    for (int i = 0; i <= static_cast<int>(DataType::B64); ++i) {
        if (name == nameOf(static_cast<DataType>(i))) return static_cast<DataType>(i);
    }
    switch (ptx::sizeOf(variable.type)) {  // packed and small formats: their bits
        case 1: return DataType::B8;
        case 2: return DataType::B16;
        case 4: return DataType::B32;
        default: return DataType::B64;
    }
}

void add(DataArray& array, const JsonView& json)
{
    if (!appendNumber(array, json.number())) {
        json.fail(json.json().dump() + " does not fit " + nameOf(array.type));
    }
}

const ptx::Variable& Reading::variable(const std::string& name, const JsonView& json) const
{
    const ptx::Module& module = modules(common);
    for (const ptx::Variable& v : module.variables) {
        const bool kept = v.space == ptx::Space::Global || v.space == ptx::Space::Const;
        if (kept && v.name == name) return v;
    }
    json.fail(module.path + " has no variable '" + name + "' in global or constant memory");
}

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

namespace {

void fillFile(DataArray& array, const JsonView& file, std::uint64_t bytes, Reading& reading)
{
    const auto refuse = [&](std::uint64_t have) {
        file.fail(
            fmt::format("'{}' holds {} bytes, expected exactly {}", file.text(), have, bytes));
    };
    std::error_code error;
    const std::uint64_t have =
        std::filesystem::file_size(file.file().parent_path() / file.text(), error);
    if (!error && have != bytes) refuse(have);
    array.bytes = fileBytes(file, bytes, reading);
    if (array.bytes.size() != bytes) refuse(array.bytes.size());
}

void fillIota(DataArray& array, const JsonView& iota, std::uint64_t count)
{
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
            iota.fail(fmt::format("element {} does not fit {}", i, nameOf(array.type)));
        }
    }
}

void fillFrom(DataArray& array, const JsonView& init, std::uint64_t count, Reading& reading)
{
    init.keys({"file", "fill", "iota", "values"});
    if (init.size() != 1) init.fail("exactly one of file, fill, iota, values");
    const std::uint64_t bytes = count * sizeOf(array.type);
    if (init.has("file")) return fillFile(array, init["file"], bytes, reading);
    array.bytes.reserve(bytes);
    if (init.has("iota")) return fillIota(array, init["iota"], count);
    if (init.has("fill")) {
        DataArray one{array.type, {}};
        add(one, init["fill"]);
        for (std::uint64_t i = 0; i < count; ++i)
            array.bytes.insert(array.bytes.end(), one.bytes.begin(), one.bytes.end());
        return;
    }
    const JsonView values = init["values"];
    values.array();
    if (values.size() != count) {
        values.fail(fmt::format("has {}, count is {}", counted(values.size(), "element"), count));
    }
    for (std::size_t i = 0; i < values.size(); ++i) add(array, values.at(i));
}

}  // namespace

DataArray arrayOf(const JsonView& json, Reading& reading, const ptx::Variable* declared)
{
    const bool typed = json.has("type") || declared == nullptr;
    DataArray array{typed ? typeOf(json["type"]) : typeOf(*declared), {}};
    const bool counted = json.has("count") || declared == nullptr;
    const std::uint64_t count = counted ? json["count"].whole(kMaxLaunchBytes / sizeOf(array.type))
                                        : declared->bytes / sizeOf(array.type);
    const std::uint64_t bytes = count * sizeOf(array.type);
    if (bytes > reading.left)
        json.fail(fmt::format("{} bytes: all buffers together are too large", bytes));
    reading.left -= bytes;
    if (json.has("init")) {
        fillFrom(array, json["init"], count, reading);
    } else {
        array.bytes.resize(bytes);
    }
    return array;
}

}  // namespace gsu
