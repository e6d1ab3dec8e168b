#include "observers/part_log.hpp"

#include <algorithm>

namespace gsu {

void PartLog::tell(const std::vector<PartLog*>& logs, const std::vector<PortObserver*>& to)
{
    struct Next {
        const PartLog* log;
        const Entry* entry;
    };
    std::vector<Next> all;
    for (const PartLog* log : logs) {
        for (const Entry& entry : log->entries_) all.push_back({log, &entry});
    }
    std::stable_sort(all.begin(), all.end(), [](const Next& a, const Next& b) {
        return std::pair(a.entry->at, a.entry->phase) < std::pair(b.entry->at, b.entry->phase);
    });
    for (const Next& next : all) {
        for (PortObserver* observer : to) next.entry->tell(*next.log, *next.entry, *observer);
    }
    for (PartLog* log : logs) {
        std::apply([](auto&... records) { (records.clear(), ...); }, log->records_);
        log->entries_.clear();
    }
}

}  // namespace gsu
