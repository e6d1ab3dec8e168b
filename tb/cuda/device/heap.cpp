#include "cuda/device/heap.hpp"

#include <fmt/format.h>
#include <sys/mman.h>

#include <algorithm>
#include <cstdlib>

#include "base/align.hpp"

namespace gsu::cuda {
namespace {

constexpr std::uint64_t kPage = 4096, kGap = 256;
/// The range before the programs' allocations, for variables of modules and allocations of kernels.
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

/// Reserves the largest range from the begin of device memory to the first mapping of the loader.
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
    // Nothing could be reserved: device memory keeps its addresses, but the host has no access to them.
    base_ = exec::kGlobalBase;
    next_ = base_ + kModules;
}

const Allocation* Heap::add(Allocation a)
{
    if (!global_.adopt(a.address, a.bytes, a.data, a.site)) return nullptr;
    a.number = ++made_;
    return &(live_[a.address] = std::move(a));
}

namespace {

/// Bytes of the range that an allocation of this kind occupies, including the gap after it, which belongs to no allocation.
std::uint64_t rangeOf(Allocation::Kind kind, std::uint64_t bytes)
{
    const bool device = kind == Allocation::Kind::Device;
    return alignUp(bytes, device ? kGap : kPage) + (device ? kGap : kPage);
}

}  // namespace

std::optional<std::uint64_t> Heap::place(std::uint64_t bytes, std::uint64_t align)
{
    const std::uint64_t address = alignUp(next_, align);
    if (bytes_ != 0 && address + bytes > base_ + bytes_) return recycle(bytes, align);
    if (address != next_) addFree(next_, address - next_);
    next_ = address + bytes;
    return address;
}

/// Searches from where the last search ended, so that memory that was freed last is used last.
std::optional<std::uint64_t> Heap::recycle(std::uint64_t bytes, std::uint64_t align)
{
    for (const std::uint64_t from : {from_, std::uint64_t{0}}) {
        for (const auto& [begin, end] : free_) {
            const std::uint64_t address = alignUp(std::max(begin, from), align);
            if (address >= end || end - address < bytes) continue;
            take(address, address + bytes);
            return address;
        }
    }
    return std::nullopt;
}

/// Pre: the bytes are within one free range.
void Heap::take(std::uint64_t address, std::uint64_t end)
{
    const auto range = std::prev(free_.upper_bound(address));
    const auto [rangeBegin, rangeEnd] = *range;
    free_.erase(range);
    if (address != rangeBegin) free_[rangeBegin] = address;
    if (end != rangeEnd) free_[end] = rangeEnd;
    from_ = end;
    // Freed allocations in this range are forgotten.
    std::erase_if(freed_, [&](const Allocation& a) {
        return a.address < end && address < a.address + rangeOf(a.kind, a.bytes);
    });
    ++recycled_;
}

void Heap::addFree(std::uint64_t address, std::uint64_t bytes)
{
    std::uint64_t end = address + bytes;
    auto above = free_.lower_bound(address);
    if (above != free_.end() && above->first == end) {
        end = above->second;
        above = free_.erase(above);
    }
    if (above != free_.begin() && std::prev(above)->second == address)
        std::prev(above)->second = end;
    else
        free_[address] = end;
}

std::uint8_t* Heap::bytesFor(const Allocation& a) const noexcept
{
    if (a.kind == Allocation::Kind::Device)
        return static_cast<std::uint8_t*>(std::calloc(std::max<std::uint64_t>(a.bytes, 1), 1));
    void* at = reinterpret_cast<void*>(a.address);
    const bool there =
        bytes_ != 0 && ::mprotect(at, alignUp(a.bytes, kPage), PROT_READ | PROT_WRITE) == 0;
    return there ? static_cast<std::uint8_t*>(at) : nullptr;
}

const Allocation* Heap::allocate(Allocation::Kind kind, std::uint64_t bytes, std::string site,
                                 std::uint64_t align)
{
    const bool device = kind == Allocation::Kind::Device;
    if (bytes > capacity_ || (kind != Allocation::Kind::Host && bytes > capacity_ - used_))
        return nullptr;
    const std::uint64_t range = rangeOf(kind, bytes);
    const auto address = place(range, std::max(align, device ? std::uint64_t{256} : kPage));
    if (!address) return nullptr;
    Allocation a{kind, *address, bytes, nullptr, std::move(site)};
    a.data = bytesFor(a);
    if (a.data == nullptr) {
        addFree(*address, range);
        return nullptr;
    }
    const Allocation* made = add(a);
    if (made == nullptr) {  // another mapping is here: these addresses stay unused
        giveBack(a);
        return nullptr;
    }
    if (kind != Allocation::Kind::Host) used_ += bytes;
    // The host may write memory that it sees at any time.
    if (device && written_) written_->track(*address, bytes);
    return made;
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
    if (a.kind != Allocation::Kind::Registered) addFree(address, rangeOf(a.kind, a.bytes));
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
    const auto text = [](const std::string& place, const Allocation& a, const char* end = "") {
        return fmt::format("{} {}, which has {} bytes{}", place, a.site, a.bytes, end);
    };
    const auto byteOf = [&](const Allocation& a) {
        return fmt::format("byte {} of", address - a.address);
    };
    if (const Allocation* a = find(address)) return text(byteOf(*a), *a);
    if (const Allocation* a = freed(address)) return text(byteOf(*a), *a, " and is freed");
    constexpr std::uint64_t kNear = 1 << 20;
    const auto above = live_.upper_bound(address);
    const Allocation* below = above == live_.begin() ? nullptr : &std::prev(above)->second;
    const std::uint64_t behind = below == nullptr ? kNear : address - below->address - below->bytes;
    const std::uint64_t before = above == live_.end() ? kNear : above->first - address;
    if (std::min(behind, before) >= kNear) return "outside every allocation";
    if (before < behind) return text(fmt::format("{} bytes before", before), above->second);
    return text(byteOf(*below), *below);
}

}  // namespace gsu::cuda
