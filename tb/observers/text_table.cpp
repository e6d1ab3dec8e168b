#include "observers/text_table.hpp"

#include <cassert>

namespace gsu {
std::string tableLine(std::string line, Paint paint, SummaryStyle style)
{
    if (line.size() > style.columns) line.resize(style.columns);
    while (!line.empty() && line.back() == ' ') line.pop_back();
    if (!style.colour || paint == Paint::None) return line + '\n';
    return (paint == Paint::Heading ? "\x1b[1m" : "\x1b[31m") + line + "\x1b[0m\n";
}

std::string TextTable::lineOf(const std::vector<std::string>& cells) const
{
    assert(cells.size() == columns_.size());
    std::string line;
    for (std::size_t i = 0; i < cells.size(); ++i) {
        const Column& c = columns_[i];
        line.append(c.gap, ' ');
        line += c.left ? fmt::format("{:<{}}", cells[i], c.width)
                       : fmt::format("{:>{}}", cells[i], c.width);
    }
    return line;
}

void TextTable::add(const std::vector<std::string>& cells, Paint paint)
{
    body_ += tableLine(lineOf(cells), paint, style_);
}

std::string TextTable::text() const
{
    std::vector<std::string> titles;
    for (const Column& c : columns_) titles.push_back(c.title);
    std::string out = tableLine(lineOf(titles), Paint::Heading, style_) + body_;
    if (rows_ > style_.rows) out += fmt::format("  ... and {} more\n", rows_ - style_.rows);
    return out;
}

}  // namespace gsu
