/// Follows the mbarriers of a trace record by record, in the order of the file, and finds errors without running it. Rules: MBAR-005 (never
/// initialised), MBAR-010 (a phase that the arrivals in the trace do not complete), MBAR-040 (bytes that do not match). The findings hold
/// for every timing: objects without any init, sums of bytes, waits that the trace never lets come true. A recorded answer that a phase is
/// complete is believed after it was reported.
#pragma once
#include <array>
#include <string>
#include <unordered_map>
#include <vector>

#include "golden/mbarrier_unit.hpp"
#include "trace/preflight.hpp"

namespace gsu::trace {

class MbarPreflight {
public:
    /// `config`: the recording's, for mbar_policy. `port`: gets the events of mbarriers; its clock is the line of the trace.
    MbarPreflight(unsigned sms, const Config& config, PortHistory& port);
    void record(const Record& record, std::uint32_t line);
    /// All findings, including what is unfinished after the last record.
    [[nodiscard]] std::vector<TraceFinding> finish();

private:
    struct Object {
        std::uint64_t word{}, flips{};
        std::uint64_t expected{}, completed{};  ///< bytes since init
        bool initialised{};                     ///< once in the CTA's life
        bool live{}, reported{};
        std::uint32_t name{};  ///< {rank, offset}
        WarpRef user{};        ///< first use; also for `lanes`, the line and the next member
        Lanes lanes{};
        std::uint32_t line{}, source{};
        std::uint32_t expectLine{};
        Op op{};
    };
    /// The wait of a lane since its last record.
    struct Wait {
        Op op{Op::None};  ///< None: no wait
        bool phase{};     ///< parity of the awaited phase
        bool seen{};      ///< was complete when it asked
        std::uint8_t sm{};
        std::uint32_t address{}, line{}, source{};
        std::uint64_t flips{};  ///< flips of the object at that time
    };
    struct Slot {
        bool used{};
        Launch launch;
    };
    /// An operation on another CTA, which may not have been launched yet.
    struct Remote {
        SyncRequest request;  ///< one lane
        MbarRoute to;
        unsigned cluster{};  ///< ChipLayout::clusterOf() of the sender
        std::uint32_t line{};
    };

    void launch(const Launch& launch);
    void request(const SyncRequest& request, std::uint32_t line);
    void lane(const SyncRequest& request, unsigned lane, std::uint32_t line);
    bool remote(const Remote& remote);
    /// The agent of an operation, and the CTA of its object.
    struct By {
        WarpRef doer;
        Lanes lanes{};
        std::uint32_t line{}, source{};
        std::uint8_t sm{}, cta{};
        bool copy{}, remote{};  ///< the form that names a rank
    };
    void perform(Object& object, const MbarAccess& access, const By& by);
    void tell(const Object& object, const MbarAccess& access, std::uint64_t before, bool flip,
              const By& by);
    void wait(const SyncRequest& request, unsigned lane, std::uint8_t sm, std::uint32_t address,
              std::uint32_t line);
    void async(const AsyncUpdate& update, std::uint32_t line);
    void agent(const AsyncUpdate& update, std::uint32_t line);
    void cancelled(const CancelRecord& record, std::uint32_t line);
    void stored(const StoreRecord& store);
    void answered(const SyncResponse& response, std::uint32_t line);
    void forget(WarpRef at, Lanes lanes);
    void waiting();
    void endOf(const Slot& slot);
    Object& object(std::uint8_t sm, std::uint32_t address, std::uint32_t name, WarpRef at,
                   Lanes lanes, Op op, std::uint32_t line, std::uint32_t source);
    void report(const char* rule, std::string message, WarpRef at, Lanes lanes, Op op,
                std::uint32_t line, std::uint32_t source, std::uint32_t name);
    [[nodiscard]] unsigned clusterOf(unsigned sm, unsigned slot) const noexcept
    {
        return port_.chip().clusterOf(sm, slot);
    }
    [[nodiscard]] Slot& slot(std::uint8_t sm, std::uint8_t cta)
    {
        return slots_[std::size_t{sm} * kMaxCtas + cta];
    }

    MbarPolicy policy_;
    std::vector<Slot> slots_;
    std::vector<std::unordered_map<std::uint32_t, Object>>
        objects_;  ///< by byte in the SM's memory
    std::unordered_map<std::size_t, std::array<Wait, kLanes>> waits_;  ///< by warp
    std::unordered_map<unsigned, ClusterRoute> routes_;  ///< ChipLayout::clusterOf() << 4 | rank
    std::vector<Remote> remotes_;
    std::unordered_map<unsigned, SyncRequest> cancels_;  ///< try_cancel by SM and tag
    std::vector<TraceFinding> findings_;
    PortHistory& port_;
};

}  // namespace gsu::trace
