/// Tables of all reports for a terminal: colour only when asked for.
#pragma once
#include <fmt/format.h>

#include <string>
#include <vector>

namespace gsu {

struct SummaryStyle {
    bool colour{};
    std::size_t rows{12};      ///< rows of each table; the rest is counted
    std::size_t columns{120};  ///< width at which lines are cut
};

enum class Paint : std::uint8_t { None, Heading, Alarm };

/// One line without trailing spaces.
[[nodiscard]] std::string tableLine(std::string line, Paint paint, SummaryStyle style);

class TextTable {
public:
    struct Column {
        std::string title;
        std::size_t width{};  ///< minimal width; wider cells push the rest of their row
        bool left{};          ///< aligned to the left
        std::size_t gap{};    ///< spaces before the column
    };
    TextTable(std::vector<Column> columns, SummaryStyle style)
        : columns_(std::move(columns)), style_(style)
    {
    }
    /// Adds a row: any values that fmt knows, one for each column.
    template <class... Cell> void row(Paint paint, const Cell&... cells)
    {
        if (rows_++ < style_.rows) add({fmt::format("{}", cells)...}, paint);
    }
    /// The table as text: heading, rows, number of further rows.
    [[nodiscard]] std::string text() const;

private:
    void add(const std::vector<std::string>& cells, Paint paint);
    [[nodiscard]] std::string lineOf(const std::vector<std::string>& cells) const;
    std::vector<Column> columns_;
    SummaryStyle style_;
    std::size_t rows_{};
    std::string body_;
};

}  // namespace gsu
