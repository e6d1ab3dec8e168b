#include "observers/event_log.hpp"

#include <algorithm>

namespace gsu {

void EventLog::tell(const std::vector<EventLog*>& logs,
                    const std::vector<PortObserver*>& to)
{
    struct Next {
        const EventLog* log;
        const Entry* entry;
    };
    std::vector<Next> all;
    for (const EventLog* log : logs) {
        for (const Entry& entry : log->entries_) all.push_back({log, &entry});
    }
    std::stable_sort(all.begin(), all.end(), [](const Next& a, const Next& b) {
        return std::pair(a.entry->at, a.entry->phase) < std::pair(b.entry->at, b.entry->phase);
    });
    for (const Next& next : all) {
        for (PortObserver* observer : to) next.entry->tell(*next.log, *next.entry, *observer);
    }
    for (EventLog* log : logs) {
        std::apply([](auto&... records) { (records.clear(), ...); }, log->records_);
        log->entries_.clear();
    }
}

}  // namespace gsu
