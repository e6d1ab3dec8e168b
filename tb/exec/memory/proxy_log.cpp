#include "memory/proxy_log.hpp"

#include <algorithm>
#include <cstring>

#include "base/random.hpp"

namespace gsu::memory {

void ProxyLog::forget(Cycle now)
{
    while (!entries_.empty() && entries_.front().gone <= now) {
        const auto line = lines_.find(entries_.front().where / kLineBytes);
        line->second.pop_front();  // the oldest of its line, as of all
        if (line->second.empty()) lines_.erase(line);
        entries_.pop_front();
        ++first_;
    }
}

void ProxyLog::append(const Entry& entry)
{
    lines_[entry.where / kLineBytes].push_back(first_ + entries_.size());
    entries_.push_back(entry);
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
    if (entries_.empty() || bytes == 0) return;
    for (Where line = where / kLineBytes; line <= (where + bytes - 1) / kLineBytes; ++line) {
        if (!lines_.contains(line)) continue;
        Entry e;
        e.where = std::max(where, line * kLineBytes);
        e.bytes =
            static_cast<std::uint8_t>(std::min(where + bytes, (line + 1) * kLineBytes) - e.where);
        e.due = now;  // seen by everyone: what is behind it is not
        e.gone = now + 1 + bound_;
        append(e);
    }
}

void ProxyLog::fence(std::uint64_t cta)
{
    if (!entries_.empty()) fenced_[cta] = first_ + entries_.size() - 1;
}

ProxyLog::Id ProxyLog::fencedUpTo(std::uint64_t cta) const
{
    const auto found = fenced_.find(cta);
    return found == fenced_.end() ? 0 : found->second;
}

bool ProxyLog::seen(std::uint64_t cta, Id id, const Entry& e, Cycle now) const
{
    return e.due <= now || id <= fencedUpTo(cta) || id <= fencedUpTo(e.by);
}

void ProxyLog::view(std::uint64_t cta, Where where, std::size_t bytes, std::uint8_t* to, Cycle now)
{
    forget(now);
    if (entries_.empty() || bytes == 0) return;
    for (Where line = where / kLineBytes; line <= (where + bytes - 1) / kLineBytes; ++line) {
        const auto found = lines_.find(line);
        if (found == lines_.end()) continue;
        // From the newest on: a byte is as the oldest store leaves it of those that no seen one follows.
        std::uint32_t settled = 0;  // bit per byte of the line
        for (auto id = found->second.rbegin(); id != found->second.rend(); ++id) {
            const Entry& e = entries_[*id - first_];
            const bool isSeen = seen(cta, *id, e, now);
            for (unsigned i = 0; i < e.bytes; ++i) {
                const Where at = e.where + i;
                const std::uint32_t bit = 1u << at % kLineBytes;
                if (at < where || at >= where + bytes || (settled & bit) != 0) continue;
                if (isSeen)
                    settled |= bit;
                else
                    to[at - where] = e.old[i];
            }
        }
    }
}

}  // namespace gsu::memory
