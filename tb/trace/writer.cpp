#include "trace/writer.hpp"

#include <fmt/format.h>
#include <zstd.h>

#include <iterator>
#include <vector>

#include "base/hash.hpp"
#include "base/input_error.hpp"
#include "trace/record_text.hpp"

namespace gsu::trace {

namespace {
constexpr std::size_t kFlushAt = std::size_t{1} << 16;
}

struct Writer::Zstd {
    ZSTD_CStream* stream{ZSTD_createCStream()};
    std::vector<char> out = std::vector<char>(ZSTD_CStreamOutSize());
    Zstd() = default;
    Zstd(const Zstd&) = delete;
    Zstd& operator=(const Zstd&) = delete;
    ~Zstd() { ZSTD_freeCStream(stream); }
};

Writer::Writer(const std::string& path, const Header& header) : file_(path), hash_(kFnvStart)
{
    if (path.size() > 4 && path.ends_with(".zst")) zstd_ = std::make_unique<Zstd>();
    text_ = headerText(header);
    hash_ = fnv1a(text_, hash_);
}

Writer::~Writer() = default;

void Writer::write(const Record& record)
{
    const std::size_t from = text_.size();
    appendRecord(text_, record, previousOutcome_);
    text_ += '\n';
    hash_ = fnv1a(std::string_view(text_).substr(from), hash_);
    if (++records_ > kMaxRecords) {
        throw InputError(file_.path(),
                         fmt::format("the trace would have more than {} records", kMaxRecords));
    }
    if (text_.size() >= kFlushAt) flush(false);
}

void Writer::close()
{
    fmt::format_to(std::back_inserter(text_), "end {} {:#018x}\n", records_, hash_);
    flush(true);
    file_.commit();
}

void Writer::flush(bool end)
{
    if (!zstd_) {
        file_.write(text_);
        text_.clear();
        return;
    }
    ZSTD_inBuffer in{text_.data(), text_.size(), 0};
    for (;;) {
        ZSTD_outBuffer out{zstd_->out.data(), zstd_->out.size(), 0};
        const std::size_t left =
            ZSTD_compressStream2(zstd_->stream, &out, &in, end ? ZSTD_e_end : ZSTD_e_continue);
        if (ZSTD_isError(left) != 0) throw InputError(file_.path(), ZSTD_getErrorName(left));
        file_.write({zstd_->out.data(), out.pos});
        if (end ? left == 0 : in.pos == in.size) break;
    }
    text_.clear();
}

}  // namespace gsu::trace
