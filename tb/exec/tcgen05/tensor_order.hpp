/// Checks the order of operations on tensor memory: keeps one record for each asynchronous operation of tcgen05 that is in flight or has
/// not been waited for, and knows which wait or fence the next operation needs before it. It uses only the instructions of the kernel, not
/// the times at which operations are performed. So a missing wait is found at any latency.
#pragma once
#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "exec/tmem/plan.hpp"
#include "exec/warps/residents.hpp"

namespace gsu::exec {

/// One asynchronous operation. Moments are counted by TensorOrder::tick(); 0: not yet.
struct TensorOp {
    enum class Kind : std::uint8_t { Multiply, Copy, Shift, Load, Store };
    Kind kind{};
    std::uint32_t line{};  ///< PTX line
    CtaKey issuer;
    std::uint8_t warp{}, lane{};  ///< lane: of the thread that issued a mma, cp or shift
    /// cells and bytes that it reads and writes, by CTA of its group
    std::shared_ptr<const tmem::Plan> plan;
    /// For a mma: two operations with the same value keep their order.
    std::array<std::uint32_t, 3> accumulator{};
    bool narrow{};   ///< cp.4x256b: the only copy that is kept in order after a shift
    Cycle begins{};  ///< mma, cp, shift: the tensor core takes it; ld, st: it is issued
    Cycle performs{};
    Cycle busy{};  ///< clocks of the tensor cores of its group
    bool performed{};
    std::uint64_t issued{};
    std::uint64_t awaited{};  ///< mma, cp, shift: a wait found a later commit; ld, st: tcgen05.wait
    mutable Lanes
        told{};  ///< warps for which a missing fence after it was reported: once is enough
    std::uint64_t fenced{};  ///< the first fence::before_thread_sync of its warp that counts for it
    /// Operations of other threads that are kept in order before it: when it is complete, they are complete.
    std::vector<std::shared_ptr<TensorOp>> before;

    [[nodiscard]] bool onCore() const noexcept
    {
        return kind == Kind::Multiply || kind == Kind::Copy || kind == Kind::Shift;
    }
    /// "tcgen05.mma"
    [[nodiscard]] const char* name() const noexcept;
};

/// A broken rule of tcgen05: "TC5-080", and the error.
struct TensorProblem {
    const char* rule;
    std::string text;
    const TensorOp* with;  ///< the earlier operation
    bool fence{};          ///< only a fence is missing: reported once for an operation and a warp
};

class TensorOrder {
public:
    /// An operation as one CTA of its group sees it.
    struct Part {
        std::shared_ptr<TensorOp> op;
        unsigned side{};                 ///< of plan->cells, plan->shared
        std::uint32_t low{~0u}, high{};  ///< range of the bytes of shared memory that it reads
    };

    /// Checks what is between the operation and earlier ones that use the same cells of this CTA. `fencedAfter`: the last
    /// fence::after_thread_sync of its warp.
    [[nodiscard]] std::optional<TensorProblem> problemOf(const TensorOp& op, unsigned side,
                                                         std::uint64_t fencedAfter) const;
    /// Adds an operation in flight. An earlier one of the same thread with the same plan is forgotten.
    void add(const std::shared_ptr<TensorOp>& op, unsigned side, std::uint64_t fencedAfter);
    /// A wait found the commit of this thread at `moment`.
    void awaited(const CtaKey& issuer, unsigned warp, unsigned lane, std::uint64_t moment,
                 std::uint64_t now);
    /// Notes a tcgen05.wait of the warp.
    void waited(const CtaKey& issuer, unsigned warp, TensorOp::Kind kind, std::uint64_t now);
    /// Notes a fence::before_thread_sync of the warp.
    void fenced(const CtaKey& issuer, unsigned warp, std::uint64_t now);
    /// The time at which the ld and st in flight that use the same cells, one of them to write, are performed; 0: there are none.
    [[nodiscard]] Cycle movesBefore(const TensorOp& op) const;
    /// An mma or cp that will read these bytes of shared memory and has not been waited for.
    [[nodiscard]] const TensorOp* reading(std::uint32_t offset, std::uint32_t bytes) const;
    /// An operation in flight that uses these columns, or an mma, cp or shift that has not been waited for.
    [[nodiscard]] const TensorOp* user(unsigned column, unsigned columns) const;
    /// Forgets the users of freed columns.
    void forget(unsigned column, unsigned columns);

private:
    std::vector<Part> parts_;
};

}  // namespace gsu::exec
