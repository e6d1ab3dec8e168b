/// Random streams of requests at the port, without kernels (gsu fuzz --requests): the random choices of each stream, its result, and how a
/// failing stream is reduced.
#pragma once
#include <array>
#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "golden/params.hpp"
#include "golden/port_observer.hpp"
#include "golden/structure.hpp"

namespace gsu::traffic {

/// Generator of the requests.
enum class Kind : std::uint8_t { Barriers, Warp, Mbarriers, Grids, Orders };
inline constexpr std::array<std::string_view, 5> kKindNames{"barriers", "warp", "mbarriers",
                                                            "grids", "orders"};
[[nodiscard]] std::optional<Kind> kindOf(std::string_view name) noexcept;

/// One stream. The same stream is the same requests on every port that answers alike.
struct Stream {
    Kind kind{};
    std::uint64_t seed{};
    unsigned sms{};
    std::uint64_t requests{};       ///< approximate number
    std::vector<std::string> sets;  ///< KEY=VALUE of parameters, beside the preset
    bool ideal{};                   ///< preset ideal; else hopper
    bool legal{};                   ///< nothing illegal
    bool spread{};                  ///< mbarriers in large windows
    bool lively{};  ///< mbarriers that are initialised at the start, so that phases complete

    /// The parameters. A parameter that the structure cannot have (more wait slots than there are) keeps its default.
    [[nodiscard]] Config config(const Structure& structure = defaultStructure()) const;
};

/// Stream number `number` of a campaign. Pre: `kinds` is not empty.
[[nodiscard]] Stream streamOf(std::uint64_t seed, std::uint64_t number, std::uint64_t requests,
                              const std::vector<Kind>& kinds);

/// Counts of events in streams.
struct Counts {
    std::uint64_t streams{}, requests{}, commits{}, cycles{};
    std::uint64_t named{}, cluster{}, warp{}, mbarrier{}, atomic{}, grid{};  ///< requests
    std::uint64_t fences{};                                                  ///< requests
    std::uint64_t
        waiting{};  ///< fences given while accesses or packets of their CTA are outstanding
    std::uint64_t asynchronous{};  ///< completions and arrivals of agents that the driver gives
    std::uint64_t crossed{};       ///< commits of operations that came through the network
    std::uint64_t flips{}, refused{}, launches{}, exits{}, cancels{}, timeouts{};
    std::uint64_t grids{};        ///< grids that started
    std::uint64_t generations{};  ///< completed generations of cluster barriers
    std::uint64_t cut{};          ///< streams that were cut (Driven::cut)

    void add(Counts other);
};
/// Names and places of the counts, in one order.
[[nodiscard]] std::vector<std::pair<const char*, std::uint64_t*>> fieldsOf(Counts& counts);

/// Counts the events at a port.
class Counter final : public PortObserver {
public:
    Counts counts;
    explicit Counter(unsigned sms) : owing_(sms) {}
    void onLaunch(Cycle, const Launch&) override { ++counts.launches; }
    void onGridStart(Cycle, const GridStart& g) override { counts.grids += !g.ended && !g.fewer; }
    void onExit(Cycle, const Exit&) override { ++counts.exits; }
    void onRequest(Cycle, const SyncRequest& request) override;
    void onNotify(Cycle, const AsyncUpdate&) override { ++counts.asynchronous; }
    void onAccesses(Cycle, const Accesses& accesses, bool performed) override;
    void onCancelAnswer(Cycle, const CancelAnswer&) override { ++counts.cancels; }
    void onCommit(const Commit& commit) override;

private:
    /// Per CTA: announced accesses that are not performed, and posted packets of its lanes that are not acknowledged.
    std::vector<std::array<std::int64_t, kMaxCtas>> owing_;
};

/// The result of a stream as its driver saw it.
struct Driven {
    std::string wrong;  ///< a hang, a commit that no rule describes; empty: nothing
    bool cut{};         ///< the random stream deadlocked by construction; not an error
};
/// Sends the stream to a port. A difference that the port itself finds is in its fault().
[[nodiscard]] Driven drive(SyncPort& port, const Stream& stream);

/// A smaller stream for which `fails` still holds: fewer requests and SMs, presets for parameters.
[[nodiscard]] Stream smaller(Stream stream, const std::function<bool(const Stream&)>& fails);

}  // namespace gsu::traffic
