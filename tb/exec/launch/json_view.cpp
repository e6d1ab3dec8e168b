#include "exec/launch/json_view.hpp"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>

namespace gsu {

void JsonView::fail(const std::string& reason) const { text_->fail(pointer_, reason); }

void JsonView::keys(std::initializer_list<std::string_view> keys) const
{
    if (!value_->is_object()) fail("expected an object");
    for (const auto& item : value_->items()) {
        if (std::find(keys.begin(), keys.end(), item.key()) != keys.end()) continue;
        std::string known;
        for (const std::string_view key : keys)
            known += (known.empty() ? "" : ", ") + std::string(key);
        text_->fail(pointer_ + pointerStep(item.key()),
                    "unknown key '" + item.key() + "' (known: " + known + ")", true);
    }
}

JsonView JsonView::operator[](std::string_view key) const
{
    if (!value_->is_object()) fail("expected an object");
    const auto found = value_->find(key);
    if (found == value_->end()) fail("key '" + std::string(key) + "' is missing");
    return {*found, *text_, pointer_ + pointerStep(key)};
}

JsonView JsonView::at(std::size_t index) const
{
    return {(*value_)[index], *text_, fmt::format("{}/{}", pointer_, index)};
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

std::uint64_t JsonView::whole(std::uint64_t limit, std::uint64_t least) const
{
    if (!value_->is_number_integer()) fail("expected a whole number");
    if (!value_->is_number_unsigned() || value_->get<std::uint64_t>() > limit ||
        value_->get<std::uint64_t>() < least) {
        fail(fmt::format("must be {}..{}, is {}", least, limit, value_->dump()));
    }
    return value_->get<std::uint64_t>();
}

Number JsonView::number() const
{
    if (value_->is_number_unsigned()) {
        return {false, static_cast<Integer>(value_->get<std::uint64_t>()), 0};
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

}  // namespace gsu
