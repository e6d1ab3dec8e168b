#include "ptx/scope.hpp"

#include <fmt/format.h>

#include "ptx/lexer.hpp"

namespace gsu::ptx {
namespace {

/// Whether the number is a member: "0", "17", but not "017", below `count`, as %r<count> writes them.
bool isMember(std::string_view number, std::uint32_t count) noexcept
{
    if (number.size() > 7 || (number.size() > 1 && number[0] == '0')) return false;
    std::uint32_t value = 0;
    for (const char c : number) value = value * 10 + static_cast<unsigned>(c - '0');
    return value < count;
}

}  // namespace

std::string componentName(std::string_view vector, unsigned component)
{
    return std::string(vector) + '$' + "xyzwabcd"[component];
}

void Scopes::open()
{
    const std::uint32_t parent = stack_.empty() ? kNone : stack_.back();
    stack_.push_back(static_cast<std::uint32_t>(scopes_.size()));
    scopes_.push_back({});
    scopes_.back().parent = parent;
}

void Scopes::close() noexcept { stack_.pop_back(); }

std::string Scopes::unique(std::string_view name)
{
    std::string candidate(name);
    if (isTaken(candidate)) {
        auto at = suffix_.find(name);
        if (at == suffix_.end()) at = suffix_.emplace(name, 0).first;
        do candidate = fmt::format("{}${}", name, ++at->second);
        while (isTaken(candidate));
    }
    used_.insert(candidate);
    return candidate;
}

std::uint32_t Scopes::newRegister(std::string_view name, Type type)
{
    function_->registers.push_back({unique(name), type});
    return static_cast<std::uint32_t>(function_->registers.size() - 1);
}

/// Binds a vector register to its components; "v.x" is then an ordinary register.
Binding Scopes::newBinding(std::string_view name, Type type, unsigned vector)
{
    if (vector == 1) return {Binding::Kind::Register, newRegister(name, type), 1, {}};
    const Binding binding{
        Binding::Kind::Vector, static_cast<std::uint32_t>(function_->registers.size()), vector, {}};
    for (unsigned i = 0; i < vector; ++i) (void)newRegister(componentName(name, i), type);
    return binding;
}

bool Scopes::addRegister(std::string_view name, Type type, unsigned vector)
{
    Scope& scope = scopes_[current()];
    if (scope.names.contains(name)) return false;
    scope.names.emplace(name, newBinding(name, type, vector));
    return true;
}

bool Scopes::addRegister(Variable& parameter)
{
    Scope& scope = scopes_[current()];
    const std::string_view name = own(parameter.name);
    if (scope.names.contains(name)) return false;
    const auto taken = [&](const std::string& candidate) {
        bool any = parameter.vector == 1 && isTaken(candidate);
        for (unsigned i = 0; i < parameter.vector && parameter.vector > 1; ++i)
            any = any || isTaken(componentName(candidate, i));
        return any;
    };
    for (unsigned n = 1; taken(parameter.name); ++n) parameter.name = fmt::format("{}${}", name, n);
    scope.names.emplace(name, newBinding(parameter.name, parameter.type, parameter.vector));
    return true;
}

bool Scopes::addRange(std::string_view prefix, Type type, unsigned vector, std::uint32_t count)
{
    return scopes_[current()].ranges.emplace(prefix, Range{count, type, vector}).second;
}

bool Scopes::addVariable(std::string_view name, std::string unique)
{
    return scopes_[current()]
        .names.emplace(name, Binding{Binding::Kind::Variable, kNone, 1, std::move(unique)})
        .second;
}

bool Scopes::addLabel(std::string_view name, std::string unique)
{
    return scopes_[current()].labels.emplace(name, std::move(unique)).second;
}

Scopes::Ranges::const_iterator Scopes::rangeOf(const Scope& scope, std::string_view name)
{
    std::size_t split = name.size();
    while (split > 0 && isDigit(name[split - 1])) --split;
    // The prefix may itself end in digits: %r1<5> declares %r10 to %r14.
    for (; split < name.size(); ++split) {
        const auto range = scope.ranges.find(name.substr(0, split));
        if (range != scope.ranges.end() && isMember(name.substr(split), range->second.count))
            return range;
    }
    return scope.ranges.end();
}

std::string_view Scopes::earlier(std::string_view name, bool label) const
{
    const Scope& scope = scopes_[current()];
    if (label) return scope.labels.find(name)->first;
    if (const auto range = scope.ranges.find(name); range != scope.ranges.end())
        return range->first;
    if (const auto range = rangeOf(scope, name); range != scope.ranges.end()) return range->first;
    return scope.names.find(name)->first;
}

Binding Scopes::find(std::string_view name)
{
    for (std::uint32_t at = current(); at != kNone; at = scopes_[at].parent) {
        Scope& scope = scopes_[at];
        if (const auto hit = scope.names.find(name); hit != scope.names.end()) return hit->second;
        if (scope.ranges.empty()) continue;
        const auto range = rangeOf(scope, name);
        if (range == scope.ranges.end()) continue;
        const Binding binding = newBinding(name, range->second.type, range->second.vector);
        scope.names.emplace(name, binding);
        return binding;
    }
    return {};
}

std::string Scopes::label(std::string_view name, std::uint32_t scope) const
{
    for (std::uint32_t at = scope; at != kNone; at = scopes_[at].parent) {
        const auto hit = scopes_[at].labels.find(name);
        if (hit != scopes_[at].labels.end()) return hit->second;
    }
    return {};
}

}  // namespace gsu::ptx
