/// Header and records as lines of text and back, without loss (format versions 4 and 5, README.md).
/// Outcomes are written relative to the previous outcome; `previous` carries that cycle from line to line.
#pragma once
#include <string>

#include "trace/cursor.hpp"
#include "trace/record.hpp"

namespace gsu::trace {

/// Lanes of a delivery as they are written: those of a packet of several; a single lane is not written, because the tag names it.
[[nodiscard]] constexpr Lanes writtenLanes(const Delivered& d) noexcept
{
    return (d.lanes & (d.lanes - 1)) != 0 ? d.lanes : 0;
}

/// Appends one line without its newline. Pre: the record keeps the ranges of the format.
void appendRecord(std::string& out, const Record& record, Cycle& previousOutcome);
/// Reads a record. Throws InputError. Checks ranges of single fields; Program checks records together.
void parseRecord(Cursor& cursor, Record& record, Cycle& previousOutcome);

/// The header's lines, "gsut 1" to "begin", each with its newline.
[[nodiscard]] std::string headerText(const Header& header);

/// Reads the header line by line.
class HeaderParser {
public:
    /// Returns true if the line was "begin". Throws InputError.
    bool line(Cursor cursor);
    [[nodiscard]] const Header& header() const noexcept { return header_; }

private:
    void configuration(const Cursor& cursor);
    void executorParameter(Cursor& cursor);
    void structure(const Cursor& cursor);
    void key(Cursor& cursor, std::string_view name);
    void complete(const Cursor& cursor) const;
    Header header_;
    bool version_{};
    std::uint32_t seen_{};      ///< one bit per key that occurs once
    std::vector<bool> config_;  ///< one per parameter of the unit
};

}  // namespace gsu::trace
