/// Writes a trace line by line; it appears under its name only when close() has written the footer.
/// A name that ends in ".zst" is compressed. Failures are InputErrors.
#pragma once
#include <memory>
#include <string>

#include "base/atomic_file.hpp"
#include "trace/record.hpp"

namespace gsu::trace {

class Writer {
public:
    Writer(const std::string& path, const Header& header);
    Writer(const Writer&) = delete;
    Writer& operator=(const Writer&) = delete;
    ~Writer();

    void write(const Record& record);
    void close();
    [[nodiscard]] std::uint64_t records() const noexcept { return records_; }

private:
    struct Zstd;
    void line(std::string_view text);
    void flush(bool end);

    AtomicFile file_;
    std::unique_ptr<Zstd> zstd_;
    std::string text_;  ///< text not yet written
    Cycle previousOutcome_{};
    std::uint64_t records_{};
    std::uint64_t hash_;
};

}  // namespace gsu::trace
