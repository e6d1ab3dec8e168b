// Ordinary stores that wgmma reads without a proxy fence between (TEN-018). A fence of any thread of the CTA counts for all earlier stores
// of its threads, whoever waited for whom: a reported store has no fence at all.
#include <fmt/format.h>

#include "exec/async/matrix_parts.hpp"

#include <algorithm>

namespace gsu::exec {
namespace {

}  // namespace

void MatrixEngine::Unfenced::set(std::uint32_t offset, std::uint32_t bytes, bool to)
{
    for (const std::uint32_t end = offset + bytes; offset < end;) {
        const std::uint32_t unit = offset / kUnit, first = offset % kUnit,
                            count = std::min(kUnit - first, end - offset);
        const auto mask = static_cast<std::uint16_t>(((1u << count) - 1) << first);
        if (to) {
            if (unit >= units.size()) units.resize(unit + 1);
            units[unit] |= mask;
            low = std::min(low, unit);
            high = std::max(high, unit + 1);
        } else if (unit < units.size()) {
            units[unit] &= static_cast<std::uint16_t>(~mask);
        }
        offset += count;
    }
}

/// The record of a CTA; nullptr: it has stored nothing. A slot's next CTA begins with an empty record.
MatrixEngine::Unfenced* MatrixEngine::unfencedOf(const Cta& cta)
{
    const CtaKey key = keyOf(cta);
    const auto found = unfenced_.find(key.sm << 8 | key.slot);
    return found != unfenced_.end() && found->second.serial == key.serial ? &found->second
                                                                          : nullptr;
}

std::optional<std::uint32_t> MatrixEngine::unfenced(const Cta& cta, std::uint32_t first,
                                                    std::uint32_t bytes)
{
    const Unfenced* u = unfencedOf(cta);
    if (u == nullptr) return std::nullopt;
    const std::uint32_t last = std::min((first + bytes + kUnit - 1) / kUnit, u->high);
    for (std::uint32_t unit = std::max(first / kUnit, u->low); unit < last; ++unit) {
        if (u->units[unit] != 0) return unit * kUnit;
    }
    return std::nullopt;
}

void MatrixEngine::stored(const Cta& owner, std::uint32_t offset, std::uint32_t bytes)
{
    const CtaKey key = keyOf(owner);
    Unfenced& u = unfenced_[key.sm << 8 | key.slot];
    if (u.serial != key.serial) {
        u = {};
        u.serial = key.serial;
    }
    u.set(offset, bytes, true);
}

void MatrixEngine::arrived(const Cta& owner, std::uint32_t offset, std::uint32_t bytes)
{
    if (Unfenced* u = unfencedOf(owner)) u->set(offset, bytes, false);
}

void MatrixEngine::proxyFence(const Cta& cta)
{
    Unfenced* u = unfencedOf(cta);
    if (u == nullptr) return;
    if (u->low < u->high) std::fill(u->units.begin() + u->low, u->units.begin() + u->high, 0);
    u->low = ~0u;
    u->high = 0;
}

void MatrixEngine::checkProxy(const Ctx& x, const Operation& o)
{
    const Unfenced* known = unfencedOf(*x.cta);
    if (known == nullptr) return;
    const Unfenced& u = *known;
    if (u.high <= o.reads->low / kUnit || o.reads->high <= std::uint64_t{u.low} * kUnit) return;
    const auto unit =
        std::find_if(o.reads->units.begin(), o.reads->units.end(), [&](std::uint32_t address) {
            return address / kUnit < u.units.size() && u.units[address / kUnit] != 0;
        });
    if (unit == o.reads->units.end()) return;
    report(x, "TEN-018", Severity::Error,
           fmt::format("reads shared memory at +{} that ordinary stores of this CTA have written: "
                       "no fence.proxy.async followed them",
                       *unit),
           o.line);
}

void MatrixEngine::performed(std::uint8_t sm, std::uint64_t by, std::uint32_t address,
                             std::uint32_t bytes)
{
    const Cta* owner = residents_.holding(sm, address);
    if (owner == nullptr) return;
    const std::uint32_t offset = address - owner->launch.base;
    if (owner->matrixReads != 0) overwritten(*owner, offset, bytes);
    if (keyOf(*owner).serial == by) stored(*owner, offset, bytes);
}

}  // namespace gsu::exec
