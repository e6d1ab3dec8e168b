#include "exec/launch/json_view.hpp"

#include <algorithm>
#include <cmath>
#include <set>
#include <vector>

namespace gsu {

void JsonView::fail(const std::string& reason) const
{
    throw InputError(file_->string(), 0, 0, (path_.empty() ? "" : path_ + ": ") + reason);
}

void JsonView::keys(std::initializer_list<std::string_view> keys) const
{
    if (!value_->is_object()) fail("expected an object");
    for (const auto& item : value_->items()) {
        if (std::find(keys.begin(), keys.end(), item.key()) != keys.end()) continue;
        std::string known;
        for (const std::string_view key : keys)
            known += (known.empty() ? "" : ", ") + std::string(key);
        fail("unknown key '" + item.key() + "' (known: " + known + ")");
    }
}

JsonView JsonView::operator[](std::string_view key) const
{
    if (!value_->is_object()) fail("expected an object");
    const auto found = value_->find(key);
    if (found == value_->end()) fail("key '" + std::string(key) + "' is missing");
    return {*found, *file_, path_.empty() ? std::string(key) : path_ + '.' + std::string(key)};
}

JsonView JsonView::at(std::size_t index) const
{
    return {(*value_)[index], *file_, path_ + '[' + std::to_string(index) + ']'};
}

void JsonView::array() const
{
    if (!value_->is_array()) fail("expected an array");
}

std::string JsonView::text() const
{
    if (!value_->is_string()) fail("expected a string");
    auto text = value_->get<std::string>();
    if (text.find('\0') != std::string::npos) fail("holds a NUL character");
    return text;
}

bool JsonView::boolean() const
{
    if (!value_->is_boolean()) fail("expected true or false");
    return value_->get<bool>();
}

std::uint64_t JsonView::whole(std::uint64_t limit) const
{
    if (!value_->is_number_integer()) fail("expected a whole number");
    if (!value_->is_number_unsigned() || value_->get<std::uint64_t>() > limit) {
        fail("must be 0.." + std::to_string(limit) + ", is " + value_->dump());
    }
    return value_->get<std::uint64_t>();
}

Number JsonView::number() const
{
    if (value_->is_number_unsigned()) {
        return {false, static_cast<std::int64_t>(value_->get<std::uint64_t>()), 0};
    }
    if (value_->is_number_integer()) return {false, value_->get<std::int64_t>(), 0};
    if (value_->is_number_float()) return {true, 0, value_->get<double>()};
    if (value_->is_string()) {  // JSON has no spelling for these
        const auto s = value_->get<std::string>();
        if (s == "nan") return {true, 0, std::nan("")};
        if (s == "inf") return {true, 0, HUGE_VAL};
        if (s == "-inf") return {true, 0, -HUGE_VAL};
    }
    fail("expected a number");
}

double JsonView::real() const
{
    if (!value_->is_number()) fail("expected a number");
    const double value = value_->get<double>();
    if (!std::isfinite(value) || value < 0) fail("must be finite and not negative");
    return value;
}

namespace {

/// nlohmann's parser is recursive only over its own stack vector; depth is bounded so that destruction is too.
void checkDepth(const std::string& text, const std::filesystem::path& path)
{
    unsigned depth = 0;
    bool inString = false;
    for (std::size_t i = 0; i < text.size(); ++i) {
        const char c = text[i];
        if (inString) {
            if (c == '\\') ++i;
            inString = c != '"';
        } else if (c == '"') {
            inString = true;
        } else if (c == '[' || c == '{') {
            if (++depth > 64)
                throw InputError(path.string(), 0, 0, "is nested more than 64 levels deep");
        } else if ((c == ']' || c == '}') && depth > 0) {
            --depth;
        }
    }
}

}  // namespace

nlohmann::json parseJson(const std::string& text, const std::filesystem::path& path)
{
    checkDepth(text, path);
    std::vector<std::set<std::string>> keys;  // of the open objects
    const auto noTwins = [&](int, nlohmann::json::parse_event_t event, nlohmann::json& parsed) {
        if (event == nlohmann::json::parse_event_t::object_start) keys.emplace_back();
        if (event == nlohmann::json::parse_event_t::object_end) keys.pop_back();
        if (event == nlohmann::json::parse_event_t::key &&
            !keys.back().insert(parsed.get<std::string>()).second) {
            throw InputError(path.string(), 0, 0,
                             "key '" + parsed.get<std::string>() + "' is given twice");
        }
        return true;
    };
    try {
        return nlohmann::json::parse(text, noTwins);
    } catch (const nlohmann::json::exception& e) {
        const auto* parse = dynamic_cast<const nlohmann::json::parse_error*>(&e);
        if (parse == nullptr)  // a number that no double can hold
            throw InputError(path.string(), 0, 0, std::string("malformed JSON: ") + e.what());
        const std::size_t byte = std::min(parse->byte, text.size() + 1);
        std::uint32_t line = 1, column = 1;
        for (std::size_t i = 0; i + 1 < byte; ++i) {
            if (text[i] == '\n') {
                ++line;
                column = 1;
            } else {
                ++column;
            }
        }
        std::string reason = e.what();
        if (const auto colon = reason.find(": "); colon != std::string::npos) {
            reason = reason.substr(colon + 2);
        }
        throw InputError(path.string(), line, column, "malformed JSON: " + reason);
    }
}

}  // namespace gsu
