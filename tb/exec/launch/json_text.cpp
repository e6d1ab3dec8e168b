#include "exec/launch/json_text.hpp"

#include <algorithm>
#include <iterator>
#include <nlohmann/json.hpp>
#include <set>
#include <vector>

#include "base/input_error.hpp"

namespace gsu {
namespace {

constexpr int kMaxDepth = 64;

/// Tells how far the parser has read, so that a callback knows where it is.
class CountedChars {
public:
    using iterator_category = std::forward_iterator_tag;
    using value_type = char;
    using difference_type = std::ptrdiff_t;
    using pointer = const char*;
    using reference = const char&;

    CountedChars(const char* at, const char** reached) : at_(at), reached_(reached) {}
    reference operator*() const { return *at_; }
    CountedChars& operator++()
    {
        *reached_ = ++at_;
        return *this;
    }
    CountedChars operator++(int)
    {
        const CountedChars old = *this;
        ++*this;
        return old;
    }
    bool operator==(const CountedChars& other) const { return at_ == other.at_; }
    bool operator!=(const CountedChars& other) const { return at_ != other.at_; }

private:
    const char* at_;
    const char** reached_;
};

/// Walks a text that is known to be well formed.
class Walker {
public:
    explicit Walker(std::string_view text) : text_(text) { blanks(); }

    [[nodiscard]] std::size_t at() const noexcept { return at_; }
    /// Where the key of the member stands that was entered last; an element of an array has none: its value.
    [[nodiscard]] std::size_t key() const noexcept { return key_; }

    /// From the beginning of a value to that of its member or element; false leaves it there.
    bool enter(const std::string& step)
    {
        const std::size_t from = at_;
        const char open = text_[at_];
        if (open != '{' && open != '[') return false;
        next();
        for (std::size_t index = 0; text_[at_] != '}' && text_[at_] != ']'; ++index) {
            key_ = at_;
            bool found = std::to_string(index) == step;
            if (open == '{') {
                const std::size_t begin = at_;
                string();
                found = nlohmann::json::parse(text_.substr(begin, at_ - begin)) == step;
                blanks();
                next();  // the colon
            }
            if (found) return true;
            skip();
            if (text_[at_] == ',') next();
        }
        at_ = from;
        return false;
    }

private:
    void blanks()
    {
        while (at_ < text_.size() &&
               std::string_view(" \t\r\n").find(text_[at_]) != std::string_view::npos)
            ++at_;
    }
    void next()
    {
        ++at_;
        blanks();
    }
    /// Behind a string.
    void string()
    {
        for (++at_; text_[at_] != '"'; ++at_) at_ += text_[at_] == '\\' ? 1u : 0u;
        ++at_;
    }
    /// Behind a value and the blanks that follow.
    void skip()
    {
        std::size_t depth = 0;
        do {
            const char c = text_[at_];
            if (c == '"') {
                string();
                continue;
            }
            if (c == '[' || c == '{') ++depth;
            if (c == ']' || c == '}') --depth;
            ++at_;
        } while (depth != 0 || (at_ < text_.size() && std::string_view(",]}").find(text_[at_]) ==
                                                          std::string_view::npos));
    }

    std::string_view text_;
    std::size_t at_{}, key_{};
};

std::vector<std::string> stepsOf(std::string_view pointer)
{
    std::vector<std::string> steps;
    for (std::size_t i = 0; i < pointer.size(); ++i) {
        if (pointer[i] == '/') {
            steps.emplace_back();
        } else if (pointer[i] == '~' && i + 1 < pointer.size()) {
            steps.back() += pointer[++i] == '1' ? '/' : '~';
        } else {
            steps.back() += pointer[i];
        }
    }
    return steps;
}

}  // namespace

std::string pointerStep(std::string_view key)
{
    std::string step = "/";
    for (const char c : key) {
        if (c == '~') {
            step += "~0";
        } else if (c == '/') {
            step += "~1";
        } else {
            step += c;
        }
    }
    return step;
}

std::string shownPointer(std::string_view pointer)
{
    std::string shown;
    for (const std::string& step : stepsOf(pointer)) {
        if (!step.empty() && step.find_first_not_of("0123456789") == std::string::npos) {
            shown += '[' + step + ']';
        } else {
            shown += (shown.empty() ? "" : ".") + step;
        }
    }
    return shown;
}

JsonText::JsonText(std::string text, std::filesystem::path file, bool positions)
    : text_(std::move(text)), file_(std::move(file)), positions_(positions)
{
}

void JsonText::failAt(std::size_t byte, const std::string& reason) const
{
    const std::string_view before = std::string_view(text_).substr(0, byte);
    const auto line = 1 + std::count(before.begin(), before.end(), '\n');
    const std::size_t begin = before.rfind('\n') + 1;  // 0 when there is none
    throw InputError(file_.string(), positions_ ? static_cast<std::uint32_t>(line) : 0,
                     static_cast<std::uint32_t>(before.size() - begin + 1), reason);
}

/// Of the string whose closing quote is at `closing`.
std::size_t JsonText::openingQuote(std::size_t closing) const
{
    std::size_t quote = closing;
    for (bool escaped = true; escaped;) {
        quote = text_.rfind('"', quote - 1);
        std::size_t slashes = 0;
        while (slashes < quote && text_[quote - 1 - slashes] == '\\') ++slashes;
        escaped = slashes % 2 != 0;
    }
    return quote;
}

void JsonText::fail(const std::string& pointer, const std::string& reason, bool key) const
{
    const std::string shown =
        shownPointer(key ? pointer.substr(0, pointer.rfind('/')) : std::string_view(pointer));
    Walker walker(text_);
    bool inside = true;
    for (const std::string& step : stepsOf(pointer)) inside = inside && walker.enter(step);
    failAt(key && inside ? walker.key() : walker.at(),
           (shown.empty() ? "" : shown + ": ") + reason);
}

nlohmann::json JsonText::parse() const
{
    using Event = nlohmann::json::parse_event_t;
    const char* const begin = text_.data();
    const char* reached = begin;              // behind the token of the event
    std::vector<std::set<std::string>> keys;  // of the open objects
    const auto check = [&](int depth, Event event, nlohmann::json& parsed) {
        const bool opens = event == Event::object_start || event == Event::array_start;
        if (opens && depth >= kMaxDepth)
            failAt(static_cast<std::size_t>(reached - begin) - 1,
                   "is nested more than 64 levels deep");
        if (event == Event::object_start) keys.emplace_back();
        if (event == Event::object_end) keys.pop_back();
        if (event != Event::key || keys.back().insert(parsed.get<std::string>()).second)
            return true;
        const std::size_t quote = openingQuote(static_cast<std::size_t>(reached - begin) - 1);
        failAt(quote, "key '" + parsed.get<std::string>() + "' is given twice");
    };
    try {
        return nlohmann::json::parse(CountedChars(begin, &reached),
                                     CountedChars(begin + text_.size(), &reached), check);
    } catch (const nlohmann::json::exception& e) {
        const auto* parse = dynamic_cast<const nlohmann::json::parse_error*>(&e);
        std::string reason =
            e.what();  // "[json.exception...] parse error at line ...: what", else a number that no double can hold
        if (const auto colon = reason.find(": "); parse != nullptr && colon != std::string::npos)
            reason = reason.substr(colon + 2);
        const std::size_t byte = parse != nullptr ? std::max<std::size_t>(parse->byte, 1) - 1
                                                  : static_cast<std::size_t>(reached - begin);
        failAt(std::min(byte, text_.size()), "malformed JSON: " + reason);
    }
}

}  // namespace gsu
