/// Keeps the reports of the ports of several parts of a unit for a stretch of time, and passes them to observers in the order of one port
/// of the whole.
#pragma once
#include <cstdint>
#include <tuple>
#include <vector>

#include "golden/port_observer.hpp"

namespace gsu {

/// Observes one part; ports of other parts may run on other threads.
class PartLog final : public PortObserver {
public:
    /// A log of `port`, which outlives it.
    explicit PartLog(const SyncPort& port) noexcept : port_(port) {}
    /// Forwards the logs to `to`, merged by cycle, and empties them. Within a cycle inputs come before reports; within each, log by log, in
    /// the order of arrival.
    static void tell(const std::vector<PartLog*>& logs, const std::vector<PortObserver*>& to);

    void onPlace(const Launch& launch, std::uint32_t linear) override
    {
        keep(kPlace, port_.now(), std::pair{launch, linear});
    }
    void onRoute(Cycle at, const ClusterRoute& route) override { keep(kDriver, at, route); }
    void onGridStart(Cycle at, const GridStart& grid) override { keep(kDriver, at, grid); }
    void onLaunch(Cycle at, const Launch& launch) override { keep(kDriver, at, launch); }
    void onExit(Cycle at, const Exit& exit) override { keep(kDriver, at, exit); }
    void onRequest(Cycle at, const SyncRequest& request) override { keep(kDriver, at, request); }
    void onNotify(Cycle at, const AsyncUpdate& update) override { keep(kDriver, at, update); }
    void onStored(Cycle at, std::uint8_t sm, std::uint32_t addr, std::uint32_t bytes) override
    {
        keep(kDriver, at, Stored{sm, addr, bytes});
    }
    void onCancelAnswer(Cycle at, const CancelAnswer& answer) override
    {
        keep(kDriver, at, answer);
    }
    void onAccesses(Cycle at, const Accesses& accesses, bool performed) override
    {
        keep(kDriver, at, std::pair{accesses, performed});
    }
    void onResponse(const SyncResponse& response) override
    {
        keep(kPort, response.cycle, response);
    }
    void onRelease(const Release& release) override { keep(kPort, release.cycle, release); }
    void onCommit(const Commit& commit) override { keep(kPort, commit.cycle, commit); }
    void onDelivered(const Delivered& delivered) override
    {
        keep(kPort, delivered.cycle, delivered);
    }
    void onCtaFree(const CtaFree& free) override { keep(kPort, free.cycle, free); }
    void onGrid(const GridEvent& event) override { keep(kPort, event.cycle, event); }
    void onCancel(const CancelQuery& query) override { keep(kPort, query.cycle, query); }

private:
    struct Stored {
        std::uint8_t sm{};
        std::uint32_t addr{}, bytes{};
    };
    enum Phase : std::uint8_t { kPlace, kDriver, kPort };
    /// Records of one type, in the order in which they came.
    using Records =
        std::tuple<std::vector<std::pair<Launch, std::uint32_t>>, std::vector<ClusterRoute>,
                   std::vector<GridStart>, std::vector<Launch>, std::vector<Exit>,
                   std::vector<SyncRequest>, std::vector<AsyncUpdate>, std::vector<Stored>,
                   std::vector<CancelAnswer>, std::vector<std::pair<Accesses, bool>>,
                   std::vector<SyncResponse>, std::vector<Release>, std::vector<Commit>,
                   std::vector<Delivered>, std::vector<CtaFree>, std::vector<GridEvent>,
                   std::vector<CancelQuery>>;
    struct Entry {
        Cycle at{};
        Phase phase{};
        std::uint32_t index{};  ///< index among the records of its type
        void (*tell)(const PartLog&, const Entry&, PortObserver&){};
    };
    template <class Record> void keep(Phase phase, Cycle at, const Record& record)
    {
        auto& records = std::get<std::vector<Record>>(records_);
        entries_.push_back({at, phase, static_cast<std::uint32_t>(records.size()),
                            [](const PartLog& log, const Entry& e, PortObserver& to) {
                                tellOne(to, e.at,
                                        std::get<std::vector<Record>>(log.records_)[e.index]);
                            }});
        records.push_back(record);
    }
    static void tellOne(PortObserver& to, Cycle, const std::pair<Launch, std::uint32_t>& r)
    {
        to.onPlace(r.first, r.second);
    }
    static void tellOne(PortObserver& to, Cycle at, const ClusterRoute& r) { to.onRoute(at, r); }
    static void tellOne(PortObserver& to, Cycle at, const GridStart& r) { to.onGridStart(at, r); }
    static void tellOne(PortObserver& to, Cycle at, const Launch& r) { to.onLaunch(at, r); }
    static void tellOne(PortObserver& to, Cycle at, const Exit& r) { to.onExit(at, r); }
    static void tellOne(PortObserver& to, Cycle at, const SyncRequest& r) { to.onRequest(at, r); }
    static void tellOne(PortObserver& to, Cycle at, const AsyncUpdate& r) { to.onNotify(at, r); }
    static void tellOne(PortObserver& to, Cycle at, const Stored& r)
    {
        to.onStored(at, r.sm, r.addr, r.bytes);
    }
    static void tellOne(PortObserver& to, Cycle at, const CancelAnswer& r)
    {
        to.onCancelAnswer(at, r);
    }
    static void tellOne(PortObserver& to, Cycle at, const std::pair<Accesses, bool>& r)
    {
        to.onAccesses(at, r.first, r.second);
    }
    static void tellOne(PortObserver& to, Cycle, const SyncResponse& r) { to.onResponse(r); }
    static void tellOne(PortObserver& to, Cycle, const Release& r) { to.onRelease(r); }
    static void tellOne(PortObserver& to, Cycle, const Commit& r) { to.onCommit(r); }
    static void tellOne(PortObserver& to, Cycle, const Delivered& r) { to.onDelivered(r); }
    static void tellOne(PortObserver& to, Cycle, const CtaFree& r) { to.onCtaFree(r); }
    static void tellOne(PortObserver& to, Cycle, const GridEvent& r) { to.onGrid(r); }
    static void tellOne(PortObserver& to, Cycle, const CancelQuery& r) { to.onCancel(r); }

    Records records_;
    std::vector<Entry> entries_;
    const SyncPort& port_;
};

}  // namespace gsu
