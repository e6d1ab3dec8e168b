/// Names inside a function body: nested scopes, register ranges materialised on first use, unique names for shadowed declarations.
#pragma once
#include <cstdint>
#include <map>
#include <set>
#include <string>
#include <string_view>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "ptx/ast.hpp"

namespace gsu::ptx {

struct Binding {
    enum class Kind : std::uint8_t { None, Register, Vector, Variable, Label } kind{Kind::None};
    std::uint32_t index{kNone};  ///< register, or first of `count` registers of a vector
    unsigned count{1};
    std::string name;  ///< unique name of a variable or label
};

/// The scopes of a function. Keys are views into the module text, which outlives the parse.
class Scopes {
public:
    /// Makes the scopes of `function`. `taken` holds the names of the module, which local names must not hide; it outlives this.
    Scopes(Function& function, const std::unordered_set<std::string>* taken)
        : function_(&function), taken_(taken)
    {
        open();
    }

    void open();
    void close() noexcept;
    [[nodiscard]] std::size_t depth() const noexcept { return stack_.size(); }
    [[nodiscard]] std::uint32_t current() const noexcept { return stack_.back(); }

    /// Adds a register. False if this very scope already has the name.
    bool addRegister(std::string_view name, Type type, unsigned vector);
    bool addRange(std::string_view prefix, Type type, unsigned vector, std::uint32_t count);
    bool addVariable(std::string_view name, std::string unique);
    bool addLabel(std::string_view name, std::string unique);

    /// Adds a parameter that is a register. It is renamed if the module has its name, as locals are: callers find its register by the name of the parameter.
    bool addRegister(Variable& parameter);
    bool addOwnedVariable(const std::string& name)
    {
        used_.insert(name);
        return addVariable(own(name), name);
    }
    /// False if a function has more scopes than any real one.
    [[nodiscard]] bool canOpen() const noexcept { return scopes_.size() < 200'000; }

    /// The declaration, or the label, of the current scope that made adding the name fail: its name as a part of the module text. The name
    /// was not added as owned.
    [[nodiscard]] std::string_view earlier(std::string_view name, bool label) const;

    /// Innermost meaning of `name` seen from the current scope; kind None if there is none.
    [[nodiscard]] Binding find(std::string_view name);
    /// Innermost label `name` seen from `scope`; empty if there is none.
    [[nodiscard]] std::string label(std::string_view name, std::uint32_t scope) const;
    /// A name that is unique in the function: `name` itself or `name$1`, ...
    [[nodiscard]] std::string unique(std::string_view name);

private:
    struct Range {
        std::uint32_t count{};
        Type type{};
        unsigned vector{1};
    };
    using Ranges = std::unordered_map<std::string_view, Range>;
    struct Scope {
        std::uint32_t parent{kNone};
        std::unordered_map<std::string_view, Binding> names;
        Ranges ranges;
        std::unordered_map<std::string_view, std::string> labels;
    };
    [[nodiscard]] std::string_view own(const std::string& name)
    {
        return *owned_.insert(name).first;
    }
    /// The range that declares the name; end: none does.
    [[nodiscard]] static Ranges::const_iterator rangeOf(const Scope& scope, std::string_view name);
    [[nodiscard]] bool isTaken(const std::string& name) const
    {
        return used_.contains(name) || (taken_ != nullptr && taken_->contains(name));
    }
    [[nodiscard]] std::uint32_t newRegister(std::string_view name, Type type);
    [[nodiscard]] Binding newBinding(std::string_view name, Type type, unsigned vector);

    Function* function_;
    const std::unordered_set<std::string>* taken_;
    std::vector<Scope> scopes_;
    std::vector<std::uint32_t> stack_;
    std::set<std::string, std::less<>> used_;
    std::set<std::string> owned_;
    std::map<std::string, std::uint32_t, std::less<>> suffix_;
};

}  // namespace gsu::ptx
