#include "wave_io.hpp"

#include <sys/mman.h>
#include <sys/stat.h>

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <utility>

namespace gsu {

namespace {

thread_local int firstError = 0;

void failed() noexcept
{
    if (firstError == 0) firstError = errno != 0 ? errno : EIO;
}

}  // namespace

int takeWaveError() noexcept { return std::exchange(firstError, 0); }

namespace waveio {

std::FILE* temporary()
{
    const int descriptor = ::memfd_create("gsu-waves", MFD_CLOEXEC);
    std::FILE* file = descriptor < 0 ? nullptr : ::fdopen(descriptor, "w+b");
    if (file == nullptr) failed();
    return file;
}

/// Opens a temporary file, also for the hierarchy, which is collected beside the waves and packed into them at the end.
std::FILE* open(const char* name, const char* mode)
{
    const std::size_t length = std::strlen(name);
    if (length > 5 && std::strcmp(name + length - 5, ".hier") == 0) return temporary();
    std::FILE* file = std::fopen(name, mode);
    if (file == nullptr && mode[0] == 'w') failed();
    return file;
}

std::size_t write(const void* bytes, std::size_t size, std::size_t count, std::FILE* file)
{
    errno = 0;
    const std::size_t written = std::fwrite(bytes, size, count, file);
    if (written != count && size != 0) failed();
    return written;
}

int put(int c, std::FILE* file)
{
    errno = 0;
    const int result = std::fputc(c, file);
    if (result == EOF) failed();
    return result;
}

int flush(std::FILE* file)
{
    errno = 0;
    const int result = std::fflush(file);
    if (result != 0) failed();
    return result;
}

int close(std::FILE* file)
{
    errno = 0;
    const int result = std::fclose(file);
    if (result != 0) failed();
    return result;
}

/// Maps a part of a file, or other memory in its place: bytes beyond the end of a file that could not be written completely raise SIGBUS.
void* map(void* at, std::size_t bytes, int protection, int flags, int file, long offset)
{
    struct stat status {};
    const bool whole = ::fstat(file, &status) == 0 && static_cast<std::size_t>(status.st_size) >=
                                                          bytes + static_cast<std::size_t>(offset);
    if (whole) return ::mmap(at, bytes, protection, flags, file, offset);
    errno = EIO;
    failed();
    return ::mmap(at, bytes, protection, MAP_PRIVATE | MAP_ANONYMOUS, -1, 0);
}

bool EndlessBuffer::open(const std::string& name)
{
    close();
    file_ = waveio::open(name.c_str(), "wb");
    at_ = end_ = 0;
    return isOpen();
}

void EndlessBuffer::close()
{
    if (file_ != nullptr) waveio::close(std::exchange(file_, nullptr));
}

EndlessBuffer::int_type EndlessBuffer::overflow(int_type c)
{
    if (traits_type::eq_int_type(c, traits_type::eof())) return traits_type::not_eof(c);
    const char byte = traits_type::to_char_type(c);
    xsputn(&byte, 1);
    return c;
}

std::streamsize EndlessBuffer::xsputn(const char* bytes, std::streamsize count)
{
    if (file_ != nullptr) waveio::write(bytes, 1, static_cast<std::size_t>(count), file_);
    at_ += count;
    end_ = std::max(end_, at_);
    return count;
}

EndlessBuffer::pos_type EndlessBuffer::seekoff(off_type by, std::ios_base::seekdir from,
                                               std::ios_base::openmode)
{
    const off_type base = from == std::ios_base::beg ? 0 : from == std::ios_base::cur ? at_ : end_;
    if (base + by == at_) return at_;
    at_ = base + by;
    errno = 0;
    if (file_ != nullptr && ::fseeko(file_, at_, SEEK_SET) != 0) failed();
    return at_;
}

EndlessBuffer::pos_type EndlessBuffer::seekpos(pos_type to, std::ios_base::openmode which)
{
    return seekoff(to, std::ios_base::beg, which);
}

int EndlessBuffer::sync()
{
    if (file_ != nullptr) flush(file_);
    return 0;
}

}  // namespace waveio

}  // namespace gsu
