#include "trace/line_source.hpp"

#include <sys/stat.h>
#include <zstd.h>

#include <cerrno>
#include <cstring>

#include "base/input_error.hpp"
#include "trace/record.hpp"

namespace gsu::trace {

namespace {
constexpr std::size_t kBuffer = std::size_t{1} << 16;
static_assert(kBuffer > 2 * kMaxLine);
}  // namespace

struct LineSource::Zstd {
    ZSTD_DStream* stream{ZSTD_createDStream()};
    std::vector<char> in = std::vector<char>(kBuffer);
    ZSTD_inBuffer input{in.data(), 0, 0};
    std::size_t hint{1};  ///< 0 at the end of a frame
    Zstd() = default;
    Zstd(const Zstd&) = delete;
    Zstd& operator=(const Zstd&) = delete;
    ~Zstd() { ZSTD_freeDStream(stream); }
};

LineSource::LineSource(std::string path) : path_(std::move(path)), buffer_(kBuffer)
{
    struct stat info {};
    if (::stat(path_.c_str(), &info) != 0)
        fail(std::string("cannot be read: ") + std::strerror(errno));
    if (S_ISDIR(info.st_mode)) fail("is a directory");
    if (!S_ISREG(info.st_mode)) fail("is not a regular file");
    file_ = std::fopen(path_.c_str(), "rb");
    if (file_ == nullptr) fail(std::string("cannot be read: ") + std::strerror(errno));
    unsigned char magic[4]{};
    const std::size_t got = std::fread(magic, 1, sizeof magic, file_);
    if (got == sizeof magic && magic[0] == 0x28 && magic[1] == 0xb5 && magic[2] == 0x2f &&
        magic[3] == 0xfd) {
        zstd_ = std::make_unique<Zstd>();
    }
    std::rewind(file_);
}

LineSource::~LineSource()
{
    if (file_ != nullptr) std::fclose(file_);
}

void LineSource::fail(const std::string& reason) const
{
    throw InputError(path_, number_, 0, reason);
}

std::size_t LineSource::read(char* to, std::size_t bytes)
{
    const std::size_t got = std::fread(to, 1, bytes, file_);
    if (got == 0 && std::ferror(file_) != 0)
        fail(std::string("cannot be read: ") + std::strerror(errno));
    return got;
}

std::size_t LineSource::decompress(char* to, std::size_t bytes)
{
    Zstd& z = *zstd_;
    ZSTD_outBuffer out{to, bytes, 0};
    while (out.pos == 0) {
        if (z.input.pos == z.input.size) {
            z.input = {z.in.data(), read(z.in.data(), z.in.size()), 0};
            if (z.input.size == 0) {
                if (z.hint != 0) fail("the compressed trace is cut off");
                return 0;
            }
        }
        z.hint = ZSTD_decompressStream(z.stream, &out, &z.input);
        if (ZSTD_isError(z.hint) != 0)
            fail(std::string("compressed data are damaged: ") + ZSTD_getErrorName(z.hint));
    }
    return out.pos;
}

bool LineSource::refill()
{
    std::memmove(buffer_.data(), buffer_.data() + begin_, end_ - begin_);
    end_ -= begin_;
    begin_ = 0;
    if (end_ == buffer_.size()) return false;
    char* const to = buffer_.data() + end_;
    const std::size_t got =
        zstd_ ? decompress(to, buffer_.size() - end_) : read(to, buffer_.size() - end_);
    end_ += got;
    return got != 0;
}

bool LineSource::next(std::string_view& line)
{
    for (;;) {
        const char* const from = buffer_.data() + begin_;
        const auto* newline = static_cast<const char*>(std::memchr(from, '\n', end_ - begin_));
        if (newline != nullptr) {
            line = {from, static_cast<std::size_t>(newline - from)};
            begin_ += line.size() + 1;
            ++number_;
            if (line.size() > kMaxLine) fail("the line is too long");
            return true;
        }
        if (end_ - begin_ > kMaxLine) {
            ++number_;
            fail("the line is too long");
        }
        if (done_ || !refill()) {
            done_ = true;
            if (begin_ == end_) return false;
            ++number_;
            fail(number_ == 1 ? "not a trace: its first line does not end"
                              : "the trace is cut off: the last line does not end");
        }
    }
}

}  // namespace gsu::trace
