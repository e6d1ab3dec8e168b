#include "exec/launch/arguments.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <nlohmann/json.hpp>

#include "base/counted.hpp"
#include "base/number.hpp"
#include "exec/launch/launch_reading.hpp"

namespace gsu {
namespace {

using Json = nlohmann::ordered_json;

/// One --arg and the parameter it is for.
class Argument {
public:
    Argument(std::size_t index, const std::string& text, const ptx::Variable& formal,
             const ptx::Module& module)
        : index_(index), text_(text), formal_(formal), module_(module)
    {
    }
    [[nodiscard]] Json json() const;

private:
    [[noreturn]] void fail(const std::string& why) const
    {
        throw InputError(module_.path, formal_.at.line, formal_.at.column,
                         fmt::format("--arg '{}' for parameter {} '{}' ({}): {}", text_, index_,
                                     formal_.name, declared(), why));
    }
    [[nodiscard]] std::string declared() const;
    [[nodiscard]] std::optional<DataType> typeNamed(std::string_view name) const;
    [[nodiscard]] static std::string types();
    [[nodiscard]] Json number(std::string_view text, DataType type) const;
    [[nodiscard]] Json scalar(std::string_view text, DataType type, bool given) const;
    [[nodiscard]] Json buffer(std::string_view rest) const;
    [[nodiscard]] Json init(std::string_view text, DataType type) const;
    [[nodiscard]] Json numbers(std::string_view list, DataType type) const;

    std::size_t index_;
    const std::string& text_;
    const ptx::Variable& formal_;
    const ptx::Module& module_;
};

std::string_view cut(std::string_view& text, char at)
{
    const std::size_t end = std::min(text.find(at), text.size());
    const std::string_view head = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return head;
}

bool isArray(const ptx::Variable& v) { return v.bytes != ptx::sizeOf(v.type); }

std::string Argument::declared() const
{
    std::string text = '.' + std::string(ptx::spelling(formal_.type));
    if (isArray(formal_)) text += fmt::format(", {} bytes", formal_.bytes);
    return text;
}

std::optional<DataType> Argument::typeNamed(std::string_view name) const
{
    for (int i = 0; i <= static_cast<int>(DataType::B64); ++i) {
        if (name == nameOf(static_cast<DataType>(i))) return static_cast<DataType>(i);
    }
    return std::nullopt;
}

/// "i8 u8 ...": all types that can be named.
std::string Argument::types()
{
    std::string all;
    for (int i = 0; i <= static_cast<int>(DataType::B64); ++i)
        all += (i == 0 ? "" : " ") + std::string(nameOf(static_cast<DataType>(i)));
    return all;
}

Json Argument::number(std::string_view text, DataType type) const
{
    const std::string spelled(text);
    if (isFloat(type)) {
        if (spelled == "nan" || spelled == "inf" || spelled == "-inf") return spelled;
        char* end = nullptr;
        const double value = std::strtod(spelled.c_str(), &end);
        if (spelled.empty() || *end != '\0' || !std::isfinite(value) ||
            spelled.find_first_of(" \txXiInN") != std::string::npos)
            fail("'" + spelled + "' is not a number");
        return value;
    }
    std::string_view digits = text;
    const bool negative = !digits.empty() && digits[0] == '-';
    if (negative) digits.remove_prefix(1);
    const auto value = wholeNumber(digits, ~std::uint64_t{0}, Digits::Either);
    if (!value) fail("'" + spelled + "' is not a whole number of 64 bits");
    if (!negative) return *value;
    if (*value > 1ull << 63) fail("'" + spelled + "' does not fit");
    return static_cast<std::int64_t>(-*value);
}

Json Argument::scalar(std::string_view text, DataType type, bool given) const
{
    if (isArray(formal_)) fail("an aggregate takes bytes:HEX or zero");
    const DataType want = typeOf(formal_);
    const bool bits = want >= DataType::B8 || type >= DataType::B8;
    if (given && sizeOf(type) != sizeOf(want))
        fail(std::string("a ") + nameOf(type) + " does not have its size");
    if (given && !bits && isFloat(type) != isFloat(want))
        fail(std::string("a ") + nameOf(type) + " is not of its kind");
    const Json value = number(text, type);
    DataArray array{type, {}};
    const nlohmann::json plain = value;
    const JsonText nowhere("null", "--arg", false);
    if (!appendNumber(array, JsonView(plain, nowhere).number()))
        fail("'" + std::string(text) + "' does not fit " + nameOf(type));
    return {{"scalar", {{"type", nameOf(type)}, {"value", value}}}};
}

Json Argument::numbers(std::string_view list, DataType type) const
{
    Json all = Json::array();
    while (!list.empty()) all.push_back(number(cut(list, ','), type));
    return all;
}

Json Argument::init(std::string_view text, DataType type) const
{
    if (text.substr(0, 1) == "@") return {{"file", std::string(text.substr(1))}};
    if (text == "iota") return {{"iota", {0, 1}}};
    if (text.substr(0, 5) == "iota=") {
        const Json all = numbers(text.substr(5), type);
        if (all.size() != 2) fail("expected iota=START,STEP");
        return {{"iota", all}};
    }
    if (text.substr(0, 7) == "values=") return {{"values", numbers(text.substr(7), type)}};
    return {{"fill", number(text, type)}};
}

Json Argument::buffer(std::string_view rest) const
{
    if (isArray(formal_) || formal_.bytes != 8) fail("a buffer is passed as a 64-bit address");
    const std::string_view name = cut(rest, ':');
    const std::optional<DataType> type = typeNamed(name);
    if (!type) fail("'" + std::string(name) + "' is no TYPE of buf:TYPE:COUNT: " + types());
    if (rest.empty()) fail("COUNT is missing: buf:TYPE:COUNT");
    Json buffer{{"type", nameOf(*type)}};
    if (rest.substr(0, 1) == "@") {
        const std::string file(rest.substr(1));
        std::error_code error;
        const std::uint64_t bytes = std::filesystem::file_size(file, error);
        if (error) fail("'" + file + "': " + error.message());
        if (bytes % sizeOf(*type) != 0)
            fail(fmt::format("'{}' has {} bytes, no multiple of {}", file, bytes, sizeOf(*type)));
        buffer["count"] = bytes / sizeOf(*type);
        buffer["init"] = {{"file", file}};
        return {{"buffer", buffer}};
    }
    buffer["count"] = number(cut(rest, ':'), DataType::U64);
    if (!rest.empty()) buffer["init"] = init(rest, *type);
    return {{"buffer", buffer}};
}

Json Argument::json() const
{
    std::string_view rest = text_;
    if (rest == "null") {
        if (isArray(formal_) || formal_.bytes != 8) fail("null is a 64-bit address");
        return {{"null", true}};
    }
    if (rest == "zero") return {{"bytes", {{"size", formal_.bytes}}}};
    if (rest.find(':') == std::string_view::npos) return scalar(rest, typeOf(formal_), false);
    const std::string_view kind = cut(rest, ':');
    if (kind == "buf") return buffer(rest);
    if (kind == "bytes") {
        if (rest.size() != 2 * formal_.bytes)
            fail(fmt::format("has {}, expected {}", counted(rest.size(), "hexadecimal digit"),
                             2 * formal_.bytes));
        return {{"bytes", {{"hex", std::string(rest)}}}};
    }
    const std::optional<DataType> type = typeNamed(kind);
    if (!type) fail("'" + std::string(kind) + "' is not buf, bytes or a type: " + types());
    return scalar(rest, *type, true);
}

void checkCount(const LaunchCall& call, const ptx::Function& entry, const ptx::Module& module)
{
    const std::size_t given = call.args.size(), wanted = entry.params.size();
    if (given == wanted) return;
    const std::string counts =
        fmt::format("{} --arg given, {} takes {}", given, entry.name, wanted);
    if (given > wanted) throw InputError(module.path, entry.at.line, entry.at.column, counts);
    const ptx::Variable& next = entry.params[given];
    throw InputError(module.path, next.at.line, next.at.column,
                     fmt::format("{}: parameter {} '{}' is missing", counts, given, next.name));
}

}  // namespace

const char* LaunchCall::anyGiven() const noexcept
{
    if (!entry.empty()) return "--entry";
    if (!grid.empty()) return "--grid";
    if (!block.empty()) return "--block";
    if (!cluster.empty()) return "--cluster";
    if (smem) return "--smem";
    if (sms) return "--sms";
    if (cooperative) return "--cooperative";
    return args.empty() ? nullptr : "--arg";
}

std::string launchTextOf(const LaunchCall& call, const ptx::Module& module)
{
    LaunchSpec named;
    named.file = module.path;
    named.entry = call.entry;
    const ptx::Function& entry = entryOf(named, module);
    Json params = Json::array();
    for (std::size_t i = 0; i < std::min(call.args.size(), entry.params.size()); ++i)
        params.push_back(Argument(i, call.args[i], entry.params[i], module).json());
    checkCount(call, entry, module);
    Json json{{"ptx", module.path}, {"entry", entry.name}};
    if (!call.grid.empty()) json["grid"] = call.grid;
    if (!call.block.empty()) {
        json["block"] = call.block;
    } else if (entry.reqntid) {
        json["block"] = *entry.reqntid;
    }
    if (!call.cluster.empty()) json["cluster"] = call.cluster;
    if (call.smem) json["dynamic_smem"] = *call.smem;
    if (call.sms) json["sms"] = *call.sms;
    if (call.cooperative) json["cooperative"] = true;
    json["params"] = params;
    return json.dump();
}

}  // namespace gsu
