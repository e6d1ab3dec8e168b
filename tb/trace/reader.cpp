#include "trace/reader.hpp"

#include <fmt/format.h>

#include "base/hash.hpp"
#include "trace/record_text.hpp"

namespace gsu::trace {

namespace {
constexpr std::uint32_t kMaxHeaderLines = 1024;
}

Reader::Reader(const std::string& path) : lines_(path), hash_(kFnvStart)
{
    HeaderParser parser;
    std::string_view line;
    bool begun = false;
    while (!begun) {
        if (!lines_.next(line))
            lines_.fail(lines_.number() == 0 ? "the file is empty" : "the header is cut off");
        if (lines_.number() > kMaxHeaderLines) lines_.fail("the header does not end");
        begun = parser.line(Cursor(line, lines_.path(), lines_.number()));
        hash(line);
    }
    header_ = parser.header();
}

void Reader::hash(std::string_view line) { hash_ = fnv1a("\n", fnv1a(line, hash_)); }

bool Reader::next(Record& record)
{
    if (done_) return false;
    std::string_view line;
    if (!lines_.next(line)) lines_.fail("the trace is cut off: there is no footer");
    if (line.substr(0, 4) == "end ") {
        footer(line);
        return false;
    }
    if (++records_ > kMaxRecords) lines_.fail(fmt::format("more than {} records", kMaxRecords));
    Cursor cursor(line, lines_.path(), lines_.number());
    parseRecord(cursor, record, previousOutcome_);
    if (header_.version < kAccessVersion && std::holds_alternative<MemoryRecord>(record))
        cursor.fail(fmt::format("version {} has no accesses to memory", header_.version));
    hash(line);
    return true;
}

void Reader::footer(std::string_view line)
{
    Cursor cursor(line, lines_.path(), lines_.number());
    cursor.expect("end ");
    const auto count = cursor.number("record count", ~std::uint64_t{0});
    cursor.expect(" ");
    const auto hash = cursor.number("hash", ~std::uint64_t{0});
    cursor.expectEnd();
    if (count != records_) {
        cursor.fail(fmt::format("the footer counts {} records, the trace has {}", count, records_));
    }
    if (hash != hash_)
        cursor.fail("the hash of the footer does not fit: the trace was changed or damaged");
    if (lines_.next(line)) lines_.fail("text after the footer");
    done_ = true;
}

}  // namespace gsu::trace
