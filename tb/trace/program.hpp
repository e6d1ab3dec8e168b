/// A complete, checked trace in memory, in the compact form that the replayer walks without allocating. load() refuses traces that are
/// truncated, damaged or self-contradictory (BAR-041); no partly read trace is ever used.
#pragma once
#include <atomic>
#include <string>
#include <unordered_map>
#include <variant>
#include <vector>

#include "causes/port_causes.hpp"
#include "trace/preflight.hpp"
#include "trace/record.hpp"

namespace gsu::trace {

inline constexpr std::uint32_t kNoIndex = ~std::uint32_t{0};

/// A request or an exit of a warp part: 56 bytes. Lane operands are in Program::operands.
struct Step {
    Cycle dt{};
    std::uint32_t next{kNoIndex};  ///< next step of the same warp
    std::uint32_t order{};         ///< position in the file, for events of one cycle
    Lanes lanes{};
    std::uint32_t arg0{}, arg1{};
    Lanes pred{};
    std::uint32_t source{};
    std::uint32_t operands{kNoIndex};  ///< index of the first of 2 words per active lane
    std::uint32_t attached{kNoIndex};
    std::uint16_t tag{};
    WarpRef at;
    Op op{};  ///< Op::None: exit
    Sem sem{};
    Scope scope{};
    std::uint8_t kind{};
    std::uint8_t flags{};
};
static_assert(sizeof(Step) <= 56);

/// Bits of Step::flags.
enum StepFlag : std::uint8_t {
    kAligned = 1,
    kNoComplete = 2,
    kWantValue = 4,
    kDiverged = 8,
    kRemote = 16,
    kTrap = 32
};

/// A route, a grid or a launch; they happen in file order.
struct Control {
    enum class What : std::uint8_t { Route, Launch, Grid };
    Cycle dt{};
    std::uint32_t frees{};
    std::uint32_t order{};
    std::uint32_t attached{kNoIndex};
    What what{};
    ClusterRoute route;
    Launch launch;
    GridStart grid;
};

/// An event `delta` clocks after the step or launch that it is attached to.
struct Attachment {
    /// Kind of the event.
    enum class What : std::uint8_t { Update, Store, Announce, Perform };
    Cycle delta{};
    std::uint32_t next{kNoIndex};
    std::uint32_t order{};
    What what{};
    AsyncUpdate update;  ///< Store: sm, addr, amount = bytes
    Accesses accesses;   ///< Announce, Perform: under the recorded epoch
};

using Outcome = std::variant<SyncResponse, Release, CtaFree, Delivered, GridEvent, CancelQuery>;

/// The recorded answer to a lane of try_cancel, `delta` clocks after its query.
struct CancelOutcome {
    Cycle delta{};
    std::uint32_t order{};
    bool canceled{};
    std::array<std::uint32_t, 3> first{};
};

struct Program {
    std::string path;
    Header header;
    std::vector<Control> controls;
    std::vector<Step> steps;
    std::vector<std::uint32_t> heads;  ///< first step per warp, by OpenTable::indexOf
    std::vector<std::uint64_t> operands;
    std::vector<Attachment> attachments;
    std::unordered_map<std::uint64_t, CancelOutcome> cancels;  ///< by step << 5 | lane
    std::vector<Outcome> outcomes;  ///< recorded answers of the port; may be empty
    bool accesses{};                ///< the trace announces accesses
    Cycle stop{kNever};             ///< answers of this cycle and later were not recorded
    std::uint64_t records{};
    /// first line of the records in the file: the record with position n is in line firstLine + n
    std::uint32_t firstLine{};
    bool recordedHang{};       ///< the recording ends with unanswered requests
    std::uint64_t underWay{};  ///< asynchronous operations that are issued and do not complete
    std::vector<TraceFinding> findings;
    /// causes of a hang, found before the trace runs; empty: it does not hang, or nobody waits at its end
    std::vector<PortCause> causes;

    /// True if accesses to memory are recorded: MemoryFeed reads them.
    [[nodiscard]] bool memory() const noexcept { return header.version >= kAccessVersion; }
    /// Reads and checks a trace. Throws InputError.
    [[nodiscard]] static Program load(const std::string& path,
                                      const std::atomic<bool>* stop = nullptr);
    /// Fills `request` from a step; lane arrays only where `lanes` has a bit and the step has operands.
    void expand(const Step& step, SyncRequest& request) const;
};

}  // namespace gsu::trace
