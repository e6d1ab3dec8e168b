/// Rules of tcgen05 (tc5_rules.def), and results that may be a refusal by one of them.
#pragma once
#include <cstdint>
#include <optional>
#include <span>
#include <string>
#include <utility>
#include <variant>

namespace gsu::tmem {

enum class Rule : std::uint8_t {
#define TC5_RULE(number, name, statement, source) name,
#include "exec/tmem/tc5_rules.def"
#undef TC5_RULE
};

struct RuleText {
    const char* id;         ///< "TC5-001"
    const char* statement;  ///< one sentence
    const char* source;     ///< a section of the PTX ISA, or "public kernels"
};

[[nodiscard]] const RuleText& textOf(Rule rule) noexcept;
/// All rules, in the order of their ids.
[[nodiscard]] std::span<const RuleText> ruleTexts() noexcept;

/// A refusal: the rule, and the error in one line.
struct Refusal {
    Rule rule{};
    std::string text;

    /// The refusal as text: "TC5-033: M = 96 is no shape of kind::f16".
    [[nodiscard]] std::string line() const;
};

/// A value, or a refusal.
template <class T> class Judged {
public:
    Judged(T value) : content_(std::move(value)) {}
    Judged(Refusal refusal) : content_(std::move(refusal)) {}

    [[nodiscard]] explicit operator bool() const noexcept { return content_.index() == 0; }
    /// Pre: there is a value.
    [[nodiscard]] const T& operator*() const { return std::get<0>(content_); }
    [[nodiscard]] const T* operator->() const { return &std::get<0>(content_); }
    /// Pre: there is no value.
    [[nodiscard]] const Refusal& refusal() const { return std::get<1>(content_); }

private:
    std::variant<T, Refusal> content_;
};

/// Nothing, or a refusal.
using Verdict = std::optional<Refusal>;

}  // namespace gsu::tmem
