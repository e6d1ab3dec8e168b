#include "exec/visibility/proxy_log.hpp"

#include <algorithm>
#include <cstring>
#include <utility>

#include "base/random.hpp"

namespace gsu::visibility {

void ProxyLog::forget(Cycle now)
{
    if (empty()) return;
    while (!empty() && at(first_).gone <= now) ++first_;
    if (empty()) around_ = {};
}

/// Whether there may be entries. Copies move many bytes that nobody has stored to: this is mostly the only check.
bool ProxyLog::near(Where where, std::size_t bytes) const noexcept
{
    const Range& r = around_[isGlobal(where) ? 1 : 0];
    return bytes != 0 && where < r.high && where + bytes > r.low;
}

ProxyLog::Id& ProxyLog::newest(Where line) noexcept
{
    constexpr std::uint64_t kGolden = 0x9e37'79b9'7f4a'7c15ull;  // lines of a row are neighbours
    return newest_[(line * kGolden >> 32) & (newest_.size() - 1)];
}

template <class Fn> void ProxyLog::eachOfLine(Where line, Fn fn)
{
    for (Id id = newest(line); id >= first_; id = at(id).older)
        if (at(id).where / kLineBytes == line) fn(id, at(id));
}

void ProxyLog::grow()
{
    std::vector<Entry> wider(ring_.empty() ? 256 : 2 * ring_.size());
    for (Id id = first_; id != next_; ++id) wider[id & (wider.size() - 1)] = at(id);
    ring_ = std::move(wider);
    newest_.assign(ring_.size(), 0);
    for (Id id = first_; id != next_; ++id)
        at(id).older = std::exchange(newest(at(id).where / kLineBytes), id);
}

void ProxyLog::append(const Entry& entry)
{
    if (next_ - first_ == ring_.size()) grow();
    Range& r = around_[isGlobal(entry.where) ? 1 : 0];
    r.low = std::min(r.low, entry.where);
    r.high = std::max(r.high, entry.where + entry.bytes);
    at(next_) = entry;
    at(next_).older = std::exchange(newest(entry.where / kLineBytes), next_);
    ++next_;
}

void ProxyLog::wrote(std::uint64_t by, Where where, unsigned bytes, const std::uint8_t* old,
                     Cycle now)
{
    forget(now);
    while (bytes != 0) {
        Entry e;
        e.by = by;
        e.where = where;
        const auto room = static_cast<unsigned>(kLineBytes - where % kLineBytes);
        e.bytes = static_cast<std::uint8_t>(std::min(bytes, room));
        std::memcpy(e.old.data(), old, e.bytes);
        e.due = now + 1 + splitmix64(rng_) % bound_;
        e.gone = now + 1 + bound_;
        append(e);
        where += e.bytes;
        old += e.bytes;
        bytes -= e.bytes;
    }
}

void ProxyLog::overwritten(Where where, std::size_t bytes, Cycle now)
{
    forget(now);
    if (!near(where, bytes)) return;
    for (Where line = where / kLineBytes; line <= (where + bytes - 1) / kLineBytes; ++line) {
        bool known = false;
        eachOfLine(line, [&](Id, const Entry&) { known = true; });
        if (!known) continue;
        Entry e;
        e.where = std::max(where, line * kLineBytes);
        e.bytes =
            static_cast<std::uint8_t>(std::min(where + bytes, (line + 1) * kLineBytes) - e.where);
        e.due = now;  // seen by everyone: later ones are not
        e.gone = now + 1 + bound_;
        append(e);
    }
}

void ProxyLog::fence(std::uint64_t cta, Of of)
{
    if (empty()) return;
    std::array<Id, 2>& fenced = fenced_[cta];
    if (of != Of::Global) fenced[0] = next_ - 1;
    if (of != Of::Shared) fenced[1] = next_ - 1;
}

ProxyLog::Id ProxyLog::fencedUpTo(std::uint64_t cta, bool global) const
{
    const auto found = fenced_.find(cta);
    return found == fenced_.end() ? 0 : found->second[global ? 1 : 0];
}

void ProxyLog::view(std::uint64_t cta, Where where, std::size_t bytes, std::uint8_t* to, Cycle now)
{
    forget(now);
    if (!near(where, bytes)) return;
    const bool global = isGlobal(where);
    const Id fenced = fencedUpTo(cta, global);
    for (Where line = where / kLineBytes; line <= (where + bytes - 1) / kLineBytes; ++line) {
        // From the newest on: a byte has the value before the oldest store that no seen store follows.
        std::uint32_t settled = 0;  // bit per byte of the line
        eachOfLine(line, [&](Id id, const Entry& e) {
            const bool isSeen = e.due <= now || id <= fenced || id <= fencedUpTo(e.by, global);
            for (unsigned i = 0; i < e.bytes; ++i) {
                const Where at = e.where + i;
                const std::uint32_t bit = 1u << at % kLineBytes;
                if (at < where || at >= where + bytes || (settled & bit) != 0) continue;
                if (isSeen)
                    settled |= bit;
                else
                    to[at - where] = e.old[i];
            }
        });
    }
}

}  // namespace gsu::visibility
