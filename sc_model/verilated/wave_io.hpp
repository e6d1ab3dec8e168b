/// Makes Verilator's FST writer safe. The writer looks at no result of its writes, and maps temporary files of the disk into memory: a full
/// disk gave damaged waves or a bus error. Force-included into its one source (scripts/cmake/GsuVerilate.cmake): temporary files are in
/// memory, and a failed write is kept for takeWaveError(). Newer Verilators write through a std::ofstream, and abort if its position is not
/// the expected one: they get a stream that continues as if it had written.
#pragma once
#include <algorithm>
#include <cstddef>
#include <cstdio>
#include <iterator>
#include <ostream>
#include <streambuf>
#include <string>

namespace gsu {

/// Returns and clears the errno of the first failed write of this thread since the last call; 0: none.
[[nodiscard]] int takeWaveError() noexcept;

namespace waveio {
std::FILE* open(const char* name, const char* mode);
std::FILE* temporary();
std::size_t write(const void* bytes, std::size_t size, std::size_t count, std::FILE* file);
int put(int c, std::FILE* file);
int flush(std::FILE* file);
int close(std::FILE* file);
void* map(void* at, std::size_t bytes, int protection, int flags, int file, long offset);

/// A buffer like that of a std::ofstream in binary mode, but no write or seek ever fails; positions are those of a disk without end.
class EndlessBuffer final : public std::streambuf {
public:
    ~EndlessBuffer() override { close(); }
    bool open(const std::string& name);
    [[nodiscard]] bool isOpen() const { return file_ != nullptr; }
    void close();

protected:
    int_type overflow(int_type c) override;
    std::streamsize xsputn(const char* bytes, std::streamsize count) override;
    pos_type seekoff(off_type by, std::ios_base::seekdir from, std::ios_base::openmode) override;
    pos_type seekpos(pos_type to, std::ios_base::openmode) override;
    int sync() override;

private:
    std::FILE* file_{};
    off_type at_{}, end_{};
};

/// The part of std::ofstream that the newer writer uses.
class EndlessFile final : public std::ostream {
public:
    EndlessFile() : std::ostream(nullptr) { rdbuf(&buffer_); }
    void open(const std::string& name, std::ios_base::openmode)
    {
        if (!buffer_.open(name)) setstate(std::ios_base::failbit);
    }
    [[nodiscard]] bool is_open() const { return buffer_.isOpen(); }
    void close() { buffer_.close(); }

private:
    EndlessBuffer buffer_;
};

/// The functions that the writer uses of a std::istringstream from which it takes words, and of a std::stringstream into which it puts a
/// name. It makes both for each of tens of thousands of signals, and most of that time went into their locales.
class Words {
public:
    explicit Words(const std::string& text) : text_(text) {}
    /// Takes the next word. False: there is none.
    bool next(std::string& word)
    {
        const std::size_t from = text_.find_first_not_of(' ', at_);
        if (from == std::string::npos) return false;
        at_ = std::min(text_.find(' ', from), text_.size());
        word.assign(text_, from, at_ - from);
        return true;
    }

private:
    const std::string& text_;
    std::size_t at_{};
};
template <typename T> class WordIterator {
public:
    using iterator_category = std::input_iterator_tag;
    using value_type = T;
    using difference_type = std::ptrdiff_t;
    using pointer = const T*;
    using reference = const T&;
    WordIterator() = default;
    explicit WordIterator(Words& words) : words_(&words) { ++*this; }
    reference operator*() const { return word_; }
    WordIterator& operator++()
    {
        if (!words_->next(word_)) words_ = nullptr;
        return *this;
    }
    void operator++(int) { ++*this; }
    bool operator==(const WordIterator& other) const { return words_ == other.words_; }

private:
    Words* words_{};
    T word_;
};
class Text {
public:
    Text& operator<<(const std::string& text) { return text_ += text, *this; }
    Text& operator<<(const char* text) { return text_ += text, *this; }
    Text& operator<<(int number) { return text_ += std::to_string(number), *this; }
    [[nodiscard]] std::string str() const { return text_; }

private:
    std::string text_;
};
}  // namespace waveio

}  // namespace gsu

#ifdef GSU_WAVE_IO
#include <sys/mman.h>

#include <cstdlib>
#include <fstream>
#include <sstream>
#include <string>
namespace std {  // NOLINTBEGIN(cert-dcl58-cpp): the writer names them so
using gsu_wave_words = gsu::waveio::Words;
using gsu_wave_text = gsu::waveio::Text;
template <typename T> using gsu_wave_word = gsu::waveio::WordIterator<T>;
}  // namespace std
// NOLINTEND(cert-dcl58-cpp): as begun
#define istringstream gsu_wave_words
#define stringstream gsu_wave_text
#define istream_iterator gsu_wave_word
#define fopen(name, mode) gsu::waveio::open(name, mode)
#define tmpfile() gsu::waveio::temporary()
#define fwrite(bytes, size, count, file) gsu::waveio::write(bytes, size, count, file)
#define fputc(c, file) gsu::waveio::put(c, file)
#define fflush(file) gsu::waveio::flush(file)
#define fclose(file) gsu::waveio::close(file)
#define mmap(at, bytes, protection, flags, file, offset)                                           \
    gsu::waveio::map(at, bytes, protection, flags, file, offset)
#endif

#ifdef GSU_WAVE_STREAM
#include <fstream>
namespace std {
using gsu_wave_file =
    gsu::waveio::EndlessFile;  // NOLINT(cert-dcl58-cpp): the writer names it std::ofstream
}
#define ofstream gsu_wave_file
#endif
