/// Checks the order of operations on tensor memory: keeps one record for each asynchronous operation of tcgen05 that is under way or has not been waited for,
/// and knows which wait or fence the next operation needs before it. It uses only the instructions of the kernel, not the times at which operations are
/// performed. So a missing wait is found at any latency.
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
    std::uint32_t line{};  ///< of the PTX
    CtaKey issuer;
    std::uint8_t warp{}, lane{};             ///< lane: of the thread that issued a mma, cp or shift
    std::shared_ptr<const tmem::Plan> plan;  ///< what it reads and writes, by CTA of its group
    /// Of a mma: two of them that have the same keep their order.
    std::array<std::uint32_t, 3> accumulator{};
    bool narrow{};   ///< cp.4x256b: the only copy that is kept in order behind a shift
    Cycle begins{};  ///< mma, cp, shift: the tensor core takes it; ld, st: it is issued
    Cycle performs{};
    Cycle busy{};  ///< clocks of the tensor cores of its group
    bool performed{};
    std::uint64_t issued{};
    std::uint64_t
        awaited{};  ///< mma, cp, shift: a wait found a commit behind it; ld, st: tcgen05.wait
    mutable Lanes
        told{};  ///< warps that have been told of a missing fence behind it: once is enough
    std::uint64_t fenced{};  ///< the first fence::before_thread_sync of its warp that counts for it
    /// Of other threads, and kept in order before it: when it is complete, they are.
    std::vector<std::shared_ptr<TensorOp>> before;

    [[nodiscard]] bool onCore() const noexcept
    {
        return kind == Kind::Multiply || kind == Kind::Copy || kind == Kind::Shift;
    }
    /// "tcgen05.mma"
    [[nodiscard]] const char* name() const noexcept;
};

/// A rule of tcgen05 that is broken: "TC5-080", and what is wrong.
struct TensorProblem {
    const char* rule;
    std::string text;
    const TensorOp* with;  ///< the operation in front
    bool fence{};          ///< only a fence is missing: told once for an operation and a warp
};

class TensorOrder {
public:
    /// An operation as one CTA of its group sees it.
    struct Part {
        std::shared_ptr<TensorOp> op;
        unsigned side{};                 ///< of plan->cells, plan->shared
        std::uint32_t low{~0u}, high{};  ///< the bytes of shared memory that it reads lie in here
    };

    /// What stands between the operation and those in front that use the same cells of this CTA. `fencedAfter`: the last
    /// fence::after_thread_sync of its warp.
    [[nodiscard]] std::optional<TensorProblem> problemOf(const TensorOp& op, unsigned side,
                                                         std::uint64_t fencedAfter) const;
    /// The operation is under way. One that was issued before by the same thread with the same plan is forgotten.
    void add(const std::shared_ptr<TensorOp>& op, unsigned side, std::uint64_t fencedAfter);
    /// A wait found the commit that this thread gave at `moment`.
    void awaited(const CtaKey& issuer, unsigned warp, unsigned lane, std::uint64_t moment,
                 std::uint64_t now);
    /// tcgen05.wait of the warp.
    void waited(const CtaKey& issuer, unsigned warp, TensorOp::Kind kind, std::uint64_t now);
    /// fence::before_thread_sync of the warp.
    void fenced(const CtaKey& issuer, unsigned warp, std::uint64_t now);
    /// When the ld and st that are under way and use the same cells, one of them to write, are performed; 0: there are none.
    [[nodiscard]] Cycle movesBefore(const TensorOp& op) const;
    /// An mma or cp that is to read these bytes of shared memory and that nobody has waited for.
    [[nodiscard]] const TensorOp* reading(std::uint32_t offset, std::uint32_t bytes) const;
    /// An operation that uses these columns and is under way, or an mma, cp or shift that nobody has waited for.
    [[nodiscard]] const TensorOp* user(unsigned column, unsigned columns) const;
    /// The columns are given back: what has used them does not matter any more.
    void forget(unsigned column, unsigned columns);

private:
    std::vector<Part> parts_;
};

}  // namespace gsu::exec
