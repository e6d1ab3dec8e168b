#include "ptx/ast.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <string_view>

namespace gsu::ptx {
namespace {

struct TypeRow {
    const char* name;
    unsigned bytes;
};

constexpr TypeRow kTypes[] = {
    {"", 0},        {"pred", 0},   {"b8", 1},     {"b16", 2},    {"b32", 4},    {"b64", 8},
    {"b128", 16},   {"u8", 1},     {"u16", 2},    {"u32", 4},    {"u64", 8},    {"s8", 1},
    {"s16", 2},     {"s32", 4},    {"s64", 8},    {"f16", 2},    {"f16x2", 4},  {"bf16", 2},
    {"bf16x2", 4},  {"tf32", 4},   {"f32", 4},    {"f32x2", 8},  {"f64", 8},    {"e4m3", 1},
    {"e5m2", 1},    {"e4m3x2", 2}, {"e5m2x2", 2}, {"e2m1x2", 1}, {"e2m3x2", 2}, {"e3m2x2", 2},
    {"ue8m0x2", 2}, {"e4m3x4", 4}, {"e5m2x4", 4}, {"e2m3x4", 4}, {"e3m2x4", 4}, {"e2m1x4", 2}};
static_assert(std::size(kTypes) == static_cast<std::size_t>(Type::E2M1x4) + 1);

}  // namespace

unsigned sizeOf(Type type) noexcept { return kTypes[static_cast<std::size_t>(type)].bytes; }

const char* spelling(Type type) noexcept { return kTypes[static_cast<std::size_t>(type)].name; }

std::optional<Type> typeOf(std::string_view name) noexcept
{
    for (std::size_t i = 1; i < std::size(kTypes); ++i) {
        if (name == kTypes[i].name) return static_cast<Type>(i);
    }
    return std::nullopt;
}

bool Module::ok() const noexcept
{
    return std::none_of(diagnostics.begin(), diagnostics.end(), [](const Diagnostic& d) {
        return d.severity == Diagnostic::Severity::Error;
    });
}

const Function* Module::find(std::string_view function) const noexcept
{
    for (const Function& f : functions) {
        if (f.name == function) return &f;
    }
    return nullptr;
}

std::pair<std::string, std::uint32_t> Module::placeOf(std::uint32_t line) const
{
    for (std::size_t i = sources.size(); i-- > 1;) {
        if (line > sources[i].before) return {sources[i].path, line - sources[i].before};
    }
    return {sources.empty() ? path : sources.front().path, line};
}

std::string Module::lineText(std::uint32_t line) const
{
    const auto [file, number] = placeOf(line);
    const std::string text = fmt::format("line {}", number);
    const std::size_t slash = file.rfind('/');
    return sources.size() < 2
               ? text
               : text + " of " + file.substr(slash == std::string::npos ? 0 : slash + 1);
}

}  // namespace gsu::ptx
