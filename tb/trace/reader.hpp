/// Reads a trace record by record. Only when next() has returned false is it known that the trace is complete (footer, count, hash): no
/// record may be used before that, see Program.
#pragma once
#include <string>

#include "trace/line_source.hpp"
#include "trace/record.hpp"

namespace gsu::trace {

class Reader {
public:
    /// Reads the header. Throws InputError.
    explicit Reader(const std::string& path);
    [[nodiscard]] const Header& header() const noexcept { return header_; }
    /// Takes the next record. Returns false after a correct footer. Throws InputError.
    bool next(Record& record);
    /// The line of the latest record.
    [[nodiscard]] std::uint32_t line() const noexcept { return lines_.number(); }
    [[nodiscard]] const std::string& path() const noexcept { return lines_.path(); }
    [[noreturn]] void fail(const std::string& reason) const { lines_.fail(reason); }

private:
    void hash(std::string_view line);
    void footer(std::string_view line);

    LineSource lines_;
    Header header_;
    Cycle previousOutcome_{};
    std::uint64_t records_{};
    std::uint64_t hash_;
    bool done_{};
};

}  // namespace gsu::trace
