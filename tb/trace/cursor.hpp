/// Reads one line of a trace from left to right; malformed text is an InputError with line and column.
#pragma once
#include <cstdint>
#include <string>
#include <string_view>

#include "golden/types.hpp"

namespace gsu::trace {

class Cursor {
public:
    Cursor(std::string_view text, const std::string& file, std::uint32_t line)
        : text_(text), file_(file), line_(line)
    {
    }
    [[noreturn]] void fail(const std::string& reason) const;
    [[nodiscard]] bool atEnd() const noexcept { return at_ == text_.size(); }
    [[nodiscard]] std::string_view rest() const noexcept { return text_.substr(at_); }
    [[nodiscard]] char peek() const noexcept { return atEnd() ? '\0' : text_[at_]; }
    /// Takes `literal` if it comes next.
    bool accept(std::string_view literal) noexcept;
    void expect(std::string_view literal);
    void expectEnd();
    /// Takes characters up to one of " ;,": at least one.
    std::string_view word(const char* what);
    /// Takes a number, decimal, or hexadecimal with 0x; at most `max`.
    std::uint64_t number(const char* what, std::uint64_t max);
    template <typename T> T field(const char* what, std::uint64_t max)
    {
        return static_cast<T>(number(what, max));
    }
    Lanes mask(const char* what) { return field<Lanes>(what, ~Lanes{0}); }
    /// Takes sm/cta/warp.
    WarpRef warp();
    /// Takes sm/cta.
    void slot(std::uint8_t& sm, std::uint8_t& cta);

private:
    std::string_view text_;
    const std::string& file_;
    std::uint32_t line_{};
    std::size_t at_{};
};

}  // namespace gsu::trace
