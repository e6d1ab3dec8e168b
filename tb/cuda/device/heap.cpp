#include "cuda/device/heap.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

#include "base/align.hpp"

namespace gsu::cuda {
namespace {

constexpr std::uint64_t kPage = 4096, kGap = 256;
/// In front of what programs allocate: variables of modules, what kernels allocate themselves.
constexpr std::uint64_t kModules = 16ull << 30;
constexpr std::size_t kFreedKept = 1024;

void* reservedAt(std::uint64_t base, std::uint64_t bytes)
{
    void* at = ::mmap(reinterpret_cast<void*>(base), bytes, PROT_NONE,
                      MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE | MAP_FIXED_NOREPLACE, -1, 0);
    return at == MAP_FAILED ? nullptr : at;
}

}  // namespace

Heap::Heap(std::uint64_t capacity, bool watched) : capacity_(capacity)
{
    reserve();
    if (watched) global_.watch(written_.emplace());
}

Heap::~Heap()
{
    for (const auto& [address, a] : live_) giveBack(a);
    if (bytes_ != 0) ::munmap(reinterpret_cast<void*>(base_), bytes_);
}

/// The largest range from where device memory begins, below what the loader has mapped.
void Heap::reserve()
{
    constexpr std::uint64_t kStep = 16ull << 30, kEnd = exec::kGlobalBase + (1ull << 40);
    for (std::uint64_t bytes = 512ull << 30; bytes >= 2 * kModules; bytes /= 2) {
        for (std::uint64_t base = exec::kGlobalBase; base + bytes <= kEnd; base += kStep) {
            void* at = reservedAt(base, bytes);
            if (at == nullptr) continue;
            base_ = reinterpret_cast<std::uint64_t>(at);
            bytes_ = bytes;
            global_.startAt(base_);
            next_ = base_ + kModules;
            return;
        }
    }
    // Nothing is reserved: device memory has addresses of its own all the same, and none for the host.
    base_ = exec::kGlobalBase;
    next_ = base_ + kModules;
}

const Allocation* Heap::add(Allocation a)
{
    if (!global_.adopt(a.address, a.bytes, a.data, a.site)) return nullptr;
    a.number = ++made_;
    return &(live_[a.address] = std::move(a));
}

const Allocation* Heap::allocate(Allocation::Kind kind, std::uint64_t bytes, std::string site,
                                 std::uint64_t align)
{
    const bool device = kind == Allocation::Kind::Device;
    if (bytes > capacity_ || (kind != Allocation::Kind::Host && bytes > capacity_ - used_))
        return nullptr;
    Allocation a{kind, 0, bytes, nullptr, std::move(site)};
    a.address = alignUp(next_, std::max(align, device ? std::uint64_t{256} : kPage));
    const std::uint64_t end = a.address + alignUp(bytes, device ? kGap : kPage);
    if (bytes_ != 0 && end + kGap > base_ + bytes_) return nullptr;
    if (device) {
        a.data = static_cast<std::uint8_t*>(std::calloc(std::max<std::uint64_t>(bytes, 1), 1));
    } else if (bytes_ != 0) {
        void* at = reinterpret_cast<void*>(a.address);
        if (::mprotect(at, alignUp(bytes, kPage), PROT_READ | PROT_WRITE) == 0)
            a.data = static_cast<std::uint8_t*>(at);
    }
    if (a.data == nullptr) return nullptr;
    next_ = device ? end + kGap : end + kPage;
    if (kind != Allocation::Kind::Host) used_ += bytes;
    // What the host sees it may write at any time.
    if (device && written_) written_->track(a.address, bytes);
    return add(std::move(a));
}

const Allocation* Heap::adopt(void* memory, std::uint64_t bytes, std::string site)
{
    const auto address = reinterpret_cast<std::uint64_t>(memory);
    return add({Allocation::Kind::Registered, address, bytes, static_cast<std::uint8_t*>(memory),
                std::move(site)});
}

void Heap::addVariable(std::uint64_t address, std::uint64_t bytes, std::uint8_t* data,
                       std::string name)
{
    Allocation a{Allocation::Kind::Variable, address, bytes, data, std::move(name)};
    live_[address] = std::move(a);
}

void Heap::giveBack(const Allocation& a) noexcept
{
    if (a.kind == Allocation::Kind::Device) std::free(a.data);
    if (a.kind != Allocation::Kind::Managed && a.kind != Allocation::Kind::Host) return;
    ::madvise(a.data, alignUp(a.bytes, kPage), MADV_DONTNEED);
    ::mprotect(a.data, alignUp(a.bytes, kPage), PROT_NONE);
}

bool Heap::release(std::uint64_t address)
{
    const auto found = live_.find(address);
    if (found == live_.end() || found->second.kind == Allocation::Kind::Variable) return false;
    const Allocation& a = found->second;
    global_.forget(address);
    if (written_) written_->forget(address);
    giveBack(a);
    if (!a.onHost()) used_ -= a.bytes;
    if (freed_.size() >= kFreedKept) freed_.erase(freed_.begin(), freed_.begin() + kFreedKept / 2);
    freed_.push_back(a);
    live_.erase(found);
    return true;
}

void Heap::wrote(std::uint64_t address, std::uint64_t bytes)
{
    if (written_) written_->wrote(address, bytes);
}

void Heap::copied(std::uint64_t to, std::uint64_t from, std::uint64_t bytes)
{
    if (written_) written_->copied(to, from, bytes);
}

void Heap::releaseAll()
{
    std::vector<std::uint64_t> bases;
    for (const auto& [address, a] : live_) {
        if (a.kind != Allocation::Kind::Variable && !a.onHost()) bases.push_back(address);
    }
    for (const std::uint64_t base : bases) release(base);
}

const Allocation* Heap::find(std::uint64_t address) const noexcept
{
    auto above = live_.upper_bound(address);
    if (above == live_.begin()) return nullptr;
    const Allocation& a = (--above)->second;
    return address - a.address < std::max<std::uint64_t>(a.bytes, 1) ? &a : nullptr;
}

const Allocation* Heap::freed(std::uint64_t address) const noexcept
{
    const auto found = std::find_if(freed_.rbegin(), freed_.rend(), [&](const Allocation& a) {
        return address - a.address < std::max<std::uint64_t>(a.bytes, 1);
    });
    return found == freed_.rend() ? nullptr : &*found;
}

std::string Heap::describe(std::uint64_t address) const
{
    const auto text = [&](const Allocation& a, const char* end) {
        return fmt::format("byte {} of {}, which has {} bytes{}", address - a.address, a.site,
                           a.bytes, end);
    };
    if (const Allocation* a = find(address)) return text(*a, "");
    if (const Allocation* a = freed(address)) return text(*a, " and is freed");
    auto above = live_.upper_bound(address);
    if (above != live_.begin()) {
        const Allocation& below = std::prev(above)->second;
        constexpr std::uint64_t kNear = 1 << 20;
        if (address - below.address - below.bytes < kNear) return text(below, "");
    }
    return "outside every allocation";
}

}  // namespace gsu::cuda
