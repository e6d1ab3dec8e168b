#include "trace/cursor.hpp"

#include <fmt/format.h>

#include <bit>

#include "base/input_error.hpp"
#include "base/number.hpp"
#include "golden/chip_layout.hpp"

namespace gsu::trace {

void Cursor::fail(const std::string& reason) const
{
    throw InputError(file_, line_, static_cast<std::uint32_t>(at_ + 1), reason);
}

bool Cursor::accept(std::string_view literal) noexcept
{
    if (rest().substr(0, literal.size()) != literal) return false;
    at_ += literal.size();
    return true;
}

void Cursor::expect(std::string_view literal)
{
    if (!accept(literal)) fail("'" + std::string(literal) + "' expected");
}

void Cursor::expectEnd()
{
    if (!atEnd()) fail("end of line expected");
}

std::string_view Cursor::word(const char* what)
{
    const auto stop = rest().find_first_of(" ;,");
    const auto found = rest().substr(0, stop);
    if (found.empty()) fail(std::string(what) + " expected");
    at_ += found.size();
    return found;
}

std::uint64_t Cursor::number(const char* what, std::uint64_t max)
{
    const bool hexadecimal = rest().starts_with("0x");
    const LeadingNumber number =
        leadingNumber(rest(), hexadecimal ? Digits::Hexadecimal : Digits::Decimal);
    if (number.used == 0) fail(std::string(what) + ": a number expected");
    if (number.large || number.value > max)
        fail(hexadecimal && std::has_single_bit(max + 1)
                 ? fmt::format("{} has more than {} bits", what, std::bit_width(max))
                 : fmt::format("{} is larger than {}", what, max));
    at_ += number.used;
    return number.value;
}

void Cursor::slot(std::uint8_t& sm, std::uint8_t& cta)
{
    sm = field<std::uint8_t>("SM", kMaxChipSms - 1);
    expect("/");
    cta = field<std::uint8_t>("CTA slot", kMaxCtas - 1);
}

WarpRef Cursor::warp()
{
    WarpRef at;
    slot(at.sm, at.cta);
    expect("/");
    at.warp = field<std::uint8_t>("warp", kMaxWarps - 1);
    return at;
}

}  // namespace gsu::trace
