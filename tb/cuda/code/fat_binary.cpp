#include "cuda/code/fat_binary.hpp"

#include <fmt/format.h>
#include <lz4.h>
#include <sys/uio.h>
#include <unistd.h>
#include <zstd.h>

#include <algorithm>
#include <cerrno>
#include <cstring>

#include "base/input_error.hpp"

namespace gsu::cuda {
namespace {

constexpr std::uint32_t kMagic = 0xba55'ed50;
constexpr std::uint64_t kMaxContainer = 2ull << 30, kMaxText = 256ull << 20;
constexpr std::uint64_t kLz4Ratio = 255;  ///< a byte of LZ4 gives at most so many bytes
constexpr std::uint64_t kLz4 = 0x2000, kZstd = 0x8000;
enum Kind : std::uint16_t { kPtx = 1, kMachineCode = 2 };
/// Sizes of the smallest header of an image, and of the header of a compressed image, which has the decompressed size.
constexpr std::uint32_t kShortHeader = 64;

[[noreturn]] void fail(std::uint64_t at, const std::string& why)
{
    throw InputError("fat binary", fmt::format("byte {}: {}", at, why));
}

template <class T> T fieldAt(std::span<const std::uint8_t> bytes, std::uint64_t at)
{
    T value{};
    std::memcpy(&value, bytes.data() + at, sizeof value);
    return value;
}

/// Fields of the header in front of an image.
struct Header {
    std::uint16_t kind{};
    std::uint32_t bytes{};       ///< size of the header
    std::uint64_t payload{};     ///< bytes after the header
    std::uint32_t compressed{};  ///< number of these that are used, if the image is compressed
    std::uint32_t arch{};
    std::uint64_t flags{}, plain{};  ///< plain: bytes when decompressed
};

Header headerAt(std::span<const std::uint8_t> all, std::uint64_t at, std::uint64_t end)
{
    if (end - at < kShortHeader) fail(at, "the header of an image is cut short");
    Header h;
    h.kind = fieldAt<std::uint16_t>(all, at);
    h.bytes = fieldAt<std::uint32_t>(all, at + 4);
    h.payload = fieldAt<std::uint64_t>(all, at + 8);
    h.compressed = fieldAt<std::uint32_t>(all, at + 16);
    h.arch = fieldAt<std::uint32_t>(all, at + 28);
    h.flags = fieldAt<std::uint64_t>(all, at + 40);
    h.plain = fieldAt<std::uint64_t>(all, at + 56);
    if (h.bytes < kShortHeader || h.bytes > end - at)
        fail(at + 4, fmt::format("the header of an image has {} bytes, expected {} to {}", h.bytes,
                                 kShortHeader, end - at));
    if (h.payload > end - at - h.bytes)
        fail(at + 8,
             fmt::format("an image of {} bytes, {} are left", h.payload, end - at - h.bytes));
    return h;
}

std::string decompressed(const Header& h, std::span<const std::uint8_t> payload, std::uint64_t at)
{
    if (h.compressed == 0 || h.compressed > payload.size())
        fail(at,
             fmt::format("{} compressed bytes in an image of {}", h.compressed, payload.size()));
    if (h.plain == 0 || h.plain > kMaxText)
        fail(at, fmt::format("an image of {} bytes when decompressed", h.plain));
    std::uint64_t most = h.plain;
    if ((h.flags & kZstd) != 0) {
        const auto said = ZSTD_getFrameContentSize(payload.data(), h.compressed);
        if (said == ZSTD_CONTENTSIZE_ERROR) fail(at, "zstd: the compressed bytes are damaged");
        if (said != ZSTD_CONTENTSIZE_UNKNOWN) most = std::min<std::uint64_t>(most, said);
    } else if (h.plain / kLz4Ratio > h.compressed) {
        fail(at, fmt::format("{} bytes of LZ4 cannot become {}", h.compressed, h.plain));
    }
    std::string text(most, '\0');
    if ((h.flags & kZstd) != 0) {
        const std::size_t got =
            ZSTD_decompress(text.data(), text.size(), payload.data(), h.compressed);
        if (ZSTD_isError(got) != 0) fail(at, std::string("zstd: ") + ZSTD_getErrorName(got));
        text.resize(got);
    } else {
        const int got =
            LZ4_decompress_safe(reinterpret_cast<const char*>(payload.data()), text.data(),
                                static_cast<int>(h.compressed), static_cast<int>(text.size()));
        if (got < 0) fail(at, "LZ4: the compressed bytes are damaged");
        text.resize(static_cast<std::size_t>(got));
    }
    return text;
}

std::string textOf(const Header& h, std::span<const std::uint8_t> payload, std::uint64_t at)
{
    std::string text;
    if ((h.flags & (kLz4 | kZstd)) != 0) {
        text = decompressed(h, payload, at);
    } else {
        if (payload.size() > kMaxText) fail(at, "an image above 256 MiB");
        text.assign(payload.begin(), payload.end());
    }
    // Images are padded with zeros.
    text.resize(std::min(text.find('\0'), text.size()));
    return text;
}

}  // namespace

std::optional<std::uint64_t> containerBytes(std::span<const std::uint8_t> start)
{
    if (start.size() < kContainerHeader || fieldAt<std::uint32_t>(start, 0) != kMagic)
        return std::nullopt;
    const std::uint64_t header = fieldAt<std::uint16_t>(start, 6),
                        bytes = fieldAt<std::uint64_t>(start, 8);
    if (header < kContainerHeader || bytes > kMaxContainer) return std::nullopt;
    return header + bytes;
}

std::vector<Image> imagesOf(std::span<const std::uint8_t> bytes)
{
    const auto total = containerBytes(bytes);
    if (!total) fail(0, "does not begin as a fat binary");
    if (*total > bytes.size()) fail(8, fmt::format("{} bytes, {} are there", *total, bytes.size()));
    std::vector<Image> images;
    for (std::uint64_t at = fieldAt<std::uint16_t>(bytes, 6); at < *total;) {
        const Header h = headerAt(bytes, at, *total);
        const auto payload = bytes.subspan(at + h.bytes, h.payload);
        Image image{h.kind == kPtx, h.arch, {}};
        if (image.ptx) image.text = textOf(h, payload, at);
        // Other kinds are intermediate code of compilers, which is of no more use than machine code.
        images.push_back(std::move(image));
        at += h.bytes + h.payload;
    }
    return images;
}

const Image* ptxFor(const std::vector<Image>& images, unsigned sm) noexcept
{
    const Image* best = nullptr;
    for (const Image& image : images) {
        if (!image.ptx || image.arch > sm) continue;
        if (best == nullptr || image.arch > best->arch) best = &image;
    }
    return best;
}

std::optional<std::vector<std::uint8_t>> readOwn(const void* from, std::uint64_t bytes)
{
    std::vector<std::uint8_t> copy(bytes);
    for (std::uint64_t done = 0; done < bytes;) {
        const iovec to{copy.data() + done, bytes - done};
        const iovec source{const_cast<char*>(static_cast<const char*>(from)) + done, bytes - done};
        const ssize_t got = ::process_vm_readv(::getpid(), &to, 1, &source, 1, 0);
        if (got < 0 && (errno == EPERM || errno == ENOSYS)) {
            // A sandbox may forbid this call; then the memory is read directly.
            std::memcpy(copy.data() + done, source.iov_base, bytes - done);
            return copy;
        }
        if (got <= 0) return std::nullopt;
        done += static_cast<std::uint64_t>(got);
    }
    return copy;
}

std::optional<std::string> textOwn(const void* from, std::uint64_t limit)
{
    constexpr std::uint64_t kPage = 4096;
    std::string text;
    const auto* at = static_cast<const char*>(from);
    while (text.size() <= limit) {
        // The read stays within the page: the next page may not be mapped.
        const std::uint64_t rest = kPage - reinterpret_cast<std::uintptr_t>(at) % kPage;
        const auto part = readOwn(at, rest);
        if (!part) return std::nullopt;
        const auto end = std::find(part->begin(), part->end(), 0);
        text.append(part->begin(), end);
        if (end != part->end()) return text;
        at += rest;
    }
    return std::nullopt;
}

}  // namespace gsu::cuda
