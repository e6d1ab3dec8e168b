/// The asynchronous matrix engine: executes wgmma.mma_async of each warp in order, at times of its own. Operands in shared memory, and A in registers, are read
/// when the instruction executes. Accumulators are poison from the issue to the wait that covers them. Findings TEN-010..TEN-018 (tb/exec/tensor.md).
#pragma once
#include <array>
#include <deque>
#include <map>
#include <memory>
#include <optional>
#include <tuple>
#include <unordered_map>
#include <vector>

#include "exec/lanes/reconvergence.hpp"
#include "exec/memory/memory.hpp"
#include "exec/state/window_watcher.hpp"

namespace gsu::exec {

/// Source of operands for wgmmaProduct: 16 bytes of the window. Also used to find out which units a product would read.
class WgmmaOperands {
public:
    virtual const std::uint8_t* unit(std::uint32_t address) = 0;

protected:
    ~WgmmaOperands() = default;
};
/// B as numbers, with its sign: the same for all warps of a warpgroup. One of the three holds it, k x n; for b1 n lines.
struct WgmmaFactor {
    using Line = std::array<std::uint32_t, 8>;
    std::vector<float> floats;
    std::vector<std::int32_t> integers;
    std::vector<Line> bits;
};
[[nodiscard]] WgmmaFactor wgmmaFactor(const WgmmaInfo& info, std::uint64_t b,
                                      WgmmaOperands& memory);
/// Computes c (16 x n, numbers as bits) += or = a * b, of rows `row` .. + 15 of A if it is in shared memory. `registers`: A's, if it has no
/// descriptor; `truncate`: TensorMode::Truncate.
void wgmmaProduct(const WgmmaInfo& info, std::uint64_t a, const WgmmaFactor& b, unsigned row,
                  const std::uint64_t* const* registers, const std::uint64_t* metadata, bool scaleD,
                  bool truncate, WgmmaOperands& memory, std::uint32_t* c);

/// Calls memory.unit() for all units that the product would read; it may return a null pointer.
void wgmmaUnits(const WgmmaInfo& info, std::uint64_t a, std::uint64_t b, unsigned row,
                WgmmaOperands& memory);

class MatrixEngine final : public WindowWatcher, private Timed {
public:
    /// The engine of a run. All arguments must outlive it.
    MatrixEngine(RunState& state, Memory& memory, const Residents& residents, Reconvergence& lanes)
        : s_(state), memory_(memory), residents_(residents), lanes_(lanes)
    {
    }
    MatrixEngine(const MatrixEngine&) = delete;
    MatrixEngine& operator=(const MatrixEngine&) = delete;

    void issue(Ctx& x, const MicroOp& op, Lanes lanes);
    void fence(const Ctx& x);
    void commit(const Ctx& x);
    /// Makes the group wait until at most `pending` of the warp's groups are in flight.
    void wait(Ctx& x, const MicroOp& op, std::uint32_t pending);
    /// Checks the registers that an instruction is about to read and write.
    void watch(Ctx& x, const MicroOp& op);
    /// Forgets a warp that has ended.
    void forget(const Warp& warp);
    void overwritten(const Cta& owner, std::uint32_t offset, std::uint32_t bytes) override;
    /// Notes a store: wgmma and copies do not see it before a proxy fence (TEN-018, FENCE-024).
    void stored(const Cta& owner, std::uint32_t offset, std::uint32_t bytes) override;
    void arrived(const Cta& owner, std::uint32_t offset, std::uint32_t bytes) override;
    void performed(std::uint8_t sm, std::uint64_t by, std::uint32_t address,
                   std::uint32_t bytes) override;
    /// Whether ordinary stores of the CTA have written bytes that no proxy fence followed.
    [[nodiscard]] bool anyUnfenced(const Cta& cta)
    {
        const Unfenced* u = unfencedOf(cta);
        return u != nullptr && u->low < u->high;
    }
    /// The first of these bytes that such a store wrote.
    [[nodiscard]] std::optional<std::uint32_t> unfenced(const Cta& cta, std::uint32_t first,
                                                        std::uint32_t bytes);
    /// Notes a fence between the generic and the async proxy for shared memory, of any thread of the CTA.
    void proxyFence(const Cta& cta);

private:
    /// An accumulator between its first wgmma and the wait: numbers as bits, 16 x n.
    struct Accumulator {
        std::vector<std::uint32_t> rows;  ///< rows of Warp::regs; kSink: none
        tensor::Elem elem{};
        unsigned n{};
        std::vector<std::uint32_t> values;
        std::uint32_t line{};
        unsigned open{};  ///< wgmma not yet waited for
    };
    /// Bytes of the window that a wgmma reads.
    struct Footprint {
        std::uint32_t low{~0u}, high{};    ///< range of the bytes
        std::vector<bool> read;            ///< units of 16 bytes from `low`: read or not
        std::vector<std::uint32_t> units;  ///< of 16 bytes
        std::vector<std::pair<std::uint32_t, std::uint32_t>> runs;  ///< the same: begin, bytes
        [[nodiscard]] bool holds(std::uint32_t offset, std::uint32_t bytes) const noexcept;
    };
    /// Bytes of a window that ordinary stores wrote and no proxy fence followed: a bit for each, 16 a unit.
    struct Unfenced {
        std::uint64_t serial{};  ///< serial number of the CTA
        std::vector<std::uint16_t> units;
        std::uint32_t low{~0u}, high{};  ///< range of the units with bits
        void set(std::uint32_t offset, std::uint32_t bytes, bool to);
    };
    /// info, descriptors of A and B, first row
    using Place = std::tuple<const WgmmaInfo*, std::uint64_t, std::uint64_t, unsigned>;
    /// B of a wgmma in flight in a window, until the next write there.
    struct Known {
        const WgmmaInfo* info{};
        std::uint64_t descriptor{};
        Footprint reads;
        WgmmaFactor factor;
    };
    struct Operation {
        const WgmmaInfo* info{};
        const Row* rows{};
        std::uint32_t regBase{}, line{};
        std::uint64_t descriptorA{}, descriptorB{};
        bool scaleD{}, performed{};
        std::size_t accumulator{};  ///< in WarpState::accumulators
        std::uint64_t group{};
        std::vector<std::uint64_t> metadata;
        std::shared_ptr<const Footprint> reads;
    };
    struct WarpState {
        CtaKey cta;
        std::uint8_t warp{};
        std::deque<Operation> operations;  ///< not yet waited for, oldest first
        std::vector<Accumulator> accumulators;
        std::vector<std::uint8_t> flags;  ///< per row of Warp::regs
        std::uint64_t group{};            ///< group of the next wgmma
        std::uint64_t waitsBelow{};       ///< groups that a waiting lane group waits for
        std::uint64_t issued{};           ///< wgmma of this warp, for comparison in the warpgroup
        Cycle last{};                     ///< execution time of the youngest operation
        unsigned waiting{};               ///< operations not yet performed
    };
    /// wgmma that the warps of a warpgroup issued, to compare: from `first` on.
    struct Agreement {
        std::uint64_t first{};
        unsigned ended{};                    ///< warps
        std::uint64_t most{}, least{~0ull};  ///< wgmma of those
        std::deque<std::array<std::uint64_t, 4>> issued;
    };

    void due(std::uint64_t token) override;
    [[nodiscard]] WarpState& stateOf(const Ctx& x);
    void agree(const Ctx& x, WarpState& w, const MicroOp& op, const Operation& o);
    [[nodiscard]] bool checkDescriptors(Ctx& x, const MicroOp& op, Operation& o);
    [[nodiscard]] std::shared_ptr<const Footprint>
    footprintOf(const WgmmaInfo& info, std::uint64_t a, std::uint64_t b, unsigned row);
    [[nodiscard]] const WgmmaFactor& factorOf(const Cta& cta, const Operation& o,
                                              WgmmaOperands& memory);
    void readOnce(Cta& cta);
    [[nodiscard]] Operation operandsOf(const Ctx& x, const MicroOp& op, Lanes lanes);
    [[nodiscard]] Unfenced* unfencedOf(const Cta& cta);
    void checkProxy(const Ctx& x, const Operation& o);
    void tell(const Ctx& x, const Operation& o, Lanes lanes);
    void checkFence(const Ctx& x, const WarpState& w, const Operation& o, const Accumulator& a);
    [[nodiscard]] static Accumulator accumulatorOf(const Operation& o);
    void load(const Ctx& x, Accumulator& a) const;
    void store(Warp& warp, const Accumulator& a) const;
    [[nodiscard]] std::size_t open(const Ctx& x, WarpState& w, const Operation& o);
    void poison(const Ctx& x, const Accumulator& a) const;
    [[nodiscard]] Cycle pacedTime(const Ctx& x, WarpState& w, const Operation& o);
    [[nodiscard]] Cycle drawTime(const Ctx& x, WarpState& w, const Operation& o);
    void perform(WarpState& w, Operation& o);
    [[nodiscard]] bool done(const WarpState& w) const;
    void settle(WarpState& w, Warp& warp);
    void report(const Ctx& x, const char* rule, Severity severity, std::string text,
                std::uint32_t line);

    RunState& s_;
    Memory& memory_;
    const Residents& residents_;
    Reconvergence& lanes_;
    std::unordered_map<std::uint64_t, WarpState> warps_;       ///< by CTA and warp
    std::unordered_map<std::uint64_t, Agreement> agreements_;  ///< by CTA and warpgroup
    std::map<Place, std::shared_ptr<const Footprint>>
        footprints_;  ///< footprints that were computed last
    std::unordered_map<std::uint64_t, std::deque<Known>> known_;  ///< by CTA
    std::unordered_map<unsigned, Unfenced> unfenced_;             ///< by SM and slot
    /// free time of a tensor core: SM and scheduler
    std::map<std::array<unsigned, 2>, Cycle> freeAt_;
};

void wgmmaOp(Ctx& x, const MicroOp& o, Lanes lanes);
void wgmmaFenceOp(Ctx& x, const MicroOp& o, Lanes lanes);
void wgmmaCommitOp(Ctx& x, const MicroOp& o, Lanes lanes);
void wgmmaWaitOp(Ctx& x, const MicroOp& o, Lanes lanes);
}  // namespace gsu::exec
