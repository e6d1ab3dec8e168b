/// Lines of a file, plain or zstd (recognised by its magic number), through buffers of fixed size.
/// A line above kMaxLine bytes, a missing last newline and damaged compression are InputErrors.
#pragma once
#include <cstdint>
#include <cstdio>
#include <memory>
#include <string>
#include <string_view>
#include <vector>

namespace gsu::trace {

class LineSource {
public:
    explicit LineSource(std::string path);
    ~LineSource();
    LineSource(const LineSource&) = delete;
    LineSource& operator=(const LineSource&) = delete;

    /// The next line without its newline, valid until the next call; false at the end of the file.
    bool next(std::string_view& line);
    [[nodiscard]] std::uint32_t number() const noexcept { return number_; }
    [[nodiscard]] const std::string& path() const noexcept { return path_; }
    [[noreturn]] void fail(const std::string& reason) const;

private:
    struct Zstd;
    bool refill();
    std::size_t read(char* to, std::size_t bytes);
    std::size_t decompress(char* to, std::size_t bytes);

    std::string path_;
    std::FILE* file_{};
    std::unique_ptr<Zstd> zstd_;
    std::vector<char> buffer_;
    std::size_t begin_{}, end_{};
    std::uint32_t number_{};
    bool done_{};
};

}  // namespace gsu::trace
