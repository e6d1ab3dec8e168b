/// tcgen05 in the executor: tensor memory of the SMs, allocation of its columns, and the asynchronous operations of each CTA at times of
/// their own. Operations read and write when they are performed. tensor_order.hpp checks the waits and fences between them. Findings
/// TC5-nnn.
#pragma once
#include <map>
#include <unordered_map>
#include <variant>

#include "exec/async/matrix_engine.hpp"
#include "exec/client/sync_client.hpp"
#include "exec/lanes/reconvergence.hpp"
#include "exec/result/tensor_observer.hpp"
#include "exec/state/tensor_memory_of_sm.hpp"
#include "exec/tcgen05/tensor_order.hpp"
#include "exec/tmem/collector.hpp"
#include "exec/tmem/product.hpp"

namespace gsu::exec {

class TensorCores final : public WindowWatcher, private Timed {
public:
    /// All arguments must outlive it. `matrix` also observes windows, and knows the bytes that no proxy fence has followed.
    TensorCores(RunState& state, Memory& memory, SyncClient& client, const Residents& residents,
                Reconvergence& lanes, MatrixEngine& matrix)
        : s_(state),
          memory_(memory),
          client_(client),
          residents_(residents),
          lanes_(lanes),
          matrix_(matrix)
    {
    }
    TensorCores(const TensorCores&) = delete;
    TensorCores& operator=(const TensorCores&) = delete;
    /// Sets an observer, which must outlive the run.
    void watch(TensorObserver& observer) noexcept { observer_ = &observer; }

    // Instructions of a warp.
    void alloc(Ctx& x, const MicroOp& op, Lanes lanes);
    void dealloc(Ctx& x, const MicroOp& op, Lanes lanes);
    void relinquish(Ctx& x, const MicroOp& op, Lanes lanes);
    void load(Ctx& x, const MicroOp& op, Lanes lanes);
    void store(Ctx& x, const MicroOp& op, Lanes lanes);
    /// tcgen05.wait::ld or ::st.
    void wait(Ctx& x, const MicroOp& op, Lanes lanes, TensorOp::Kind kind);
    // Instructions of a thread.
    void multiply(Ctx& x, const MicroOp& op, unsigned lane);
    void copy(Ctx& x, const MicroOp& op, unsigned lane);
    void shift(Ctx& x, const MicroOp& op, unsigned lane);
    void commit(Ctx& x, const MicroOp& op, unsigned lane);
    void fence(const Ctx& x, bool before);

    /// The cycle in which the registers that the instruction names are loaded; 0: now. Pre: Warp::loading is not 0.
    [[nodiscard]] Cycle heldUntil(const Ctx& x);
    /// A wait of these lanes on an mbarrier has found its phase complete.
    void waited(const SyncRequest& request, Lanes lanes);
    /// The line of the last commit that arrived at this mbarrier; 0: none.
    [[nodiscard]] std::uint32_t lineOf(const Commit& commit) const;
    /// Call before the last warp of the CTA ends.
    void ended(const Cta& cta);
    /// Retries waiting allocs, if columns were freed.
    void retry()
    {
        if (!waiters_.empty() && s_.resources.columnsFreed != retriedAt_) serveWaiters();
    }

    void overwritten(const Cta& owner, std::uint32_t offset, std::uint32_t bytes) override;
    void stored(const Cta& owner, std::uint32_t offset, std::uint32_t bytes) override;
    void arrived(const Cta& owner, std::uint32_t offset, std::uint32_t bytes) override;
    void performed(std::uint8_t sm, std::uint64_t by, std::uint32_t address,
                   std::uint32_t bytes) override;

private:
    using OpPtr = std::shared_ptr<TensorOp>;
    using PlanPtr = std::shared_ptr<const tmem::Plan>;
    /// The CTAs of an instruction, the even one first.
    struct Group {
        std::array<Cta*, 2> ctas{};
        unsigned count{};
    };
    struct WarpSide {
        std::uint64_t fencedAfter{};        ///< time of the last fence::after_thread_sync
        Cycle lastLoad{}, lastStore{};      ///< time at which the youngest is performed
        std::vector<Cycle> registersReady;  ///< by row of Warp::regs
    };
    struct Given {
        std::uint32_t address{};
        unsigned columns{};
        friend bool operator==(const Given&, const Given&) = default;
    };
    /// Columns of the CTA, for observers.
    struct Held {
        std::uint8_t warp{};
        unsigned column{}, columns{}, taken{};
        bool waited{};
        Cycle from{};
    };
    struct CtaSide {
        CtaKey key;
        TensorOrder order;
        tmem::Collectors collectors;  ///< of a pair in its even CTA
        std::vector<WarpSide> warps;
        std::map<unsigned, Cycle>
            lastOf;  ///< by thread: time at which its youngest mma, cp or shift is performed
        std::vector<Given> givenBack;  ///< columns freed by deallocs of cta_group::2
        std::vector<Held> held;
        std::uint32_t line{};  ///< line of the last alloc
        bool reads{};          ///< its window has been read: writes there are reported
    };
    /// A warp that waits for columns, or for the other CTA of its pair to ask.
    struct Waiter {
        CtaKey cta;
        std::uint8_t warp{};
        Lanes lanes{};
        unsigned group{}, columns{};
        std::uint32_t destination{};  ///< in its CTA's window
        std::uint32_t line{};
        Cycle since{};
    };
    /// A mma that can be done, or the reason why not.
    struct Known {
        tmem::Verdict problem;
        tmem::Instruction instruction;
        PlanPtr plan;
    };
    struct Multiply {
        std::array<CtaKey, 2> ctas;
        tmem::Instruction instruction;
        tmem::Operands operands;
    };
    struct CopyIn {
        std::array<CtaKey, 2> ctas;
        unsigned count{};
        tmem::Copy copy;
        std::uint64_t descriptor{};
        std::uint32_t to{};
    };
    struct ShiftDown {
        std::array<CtaKey, 2> ctas;
        unsigned count{};
        tmem::Shift shift;
    };
    struct Move {  ///< ld, st
        tmem::Transfer transfer;
        unsigned lane{}, column{};
        const Row* rows{};
        std::uint32_t regBase{};
        Lanes lanes{};
        std::vector<std::array<std::uint32_t, 32>> values;  ///< of st
    };
    /// A tcgen05.commit in flight to the mbarriers at one offset.
    struct Arrival {
        CtaKey issuer;
        std::uint8_t warp{}, lane{};
        std::uint32_t ranks{};  ///< a bit for each CTA of the cluster
        std::uint32_t offset{}, line{};
        std::uint64_t issued{};
        std::uint64_t name{};  ///< AsyncOp::name of the arrival at rank 0; those of others follow
    };
    struct Flight {
        OpPtr op;
        std::variant<Multiply, CopyIn, ShiftDown, Move, Arrival> what;
    };
    using MultiplyKey = std::array<std::uint64_t, 12>;
    using MoveKey = std::array<std::uint32_t, 7>;

    // tensor_cores.cpp
    [[nodiscard]] TensorMemoryOfSm& tensorMemory(unsigned sm);
    [[nodiscard]] CtaSide& sideOf(const Cta& cta);
    [[nodiscard]] WarpSide& warpOf(const Ctx& x);
    [[nodiscard]] std::uint64_t tick() noexcept { return ++moment_; }
    [[nodiscard]] Cycle jittered(const Cta& cta, Cycle time, std::uint32_t percent);
    /// The time at which a move of this CTA is performed: not before `last` of its warp and kind; becomes the new `last`.
    Cycle performsAfter(const Ctx& x, Cycle& last, const TensorOp& op, const Move& move);
    void report(const Ctx& x, std::uint32_t line, const char* rule, std::string text,
                Severity severity = Severity::Error);
    void report(const Ctx& x, std::uint32_t line, const tmem::Refusal& refusal,
                Severity severity = Severity::Error);
    /// Refuses the instruction: a fault of the lanes or, if the form is not modelled, the end of the run.
    void refuse(Ctx& x, const MicroOp& op, Lanes lanes, const tmem::Refusal& refusal);
    /// Checks that the whole warp executes it, with one value for all threads.
    void checkWarp(const Ctx& x, const MicroOp& op, Lanes lanes, const char* what,
                   std::initializer_list<Row> same);
    [[nodiscard]] Group groupOf(Ctx& x, const MicroOp& op, Lanes lanes, unsigned ctas);
    void checkColumns(const Ctx& x, const MicroOp& op, const Group& group, const tmem::Plan& plan);
    [[nodiscard]] bool checkShared(Ctx& x, const MicroOp& op, unsigned lane, const Group& group,
                                   const tmem::Plan& plan);
    void checkLanded(const Ctx& x, const MicroOp& op, unsigned lane, Cta& cta, unsigned side,
                     const tmem::Plan& plan);
    void checkProxy(const Ctx& x, const MicroOp& op, const Cta& cta, unsigned side,
                    const tmem::Plan& plan);
    void watchReaders(const Cta& owner, std::uint32_t offset, std::uint32_t bytes);
    void tell(const Ctx& x, std::uint32_t line, const TensorProblem& problem);
    void issue(const Ctx& x, const OpPtr& op, const Group& group, Flight flight);
    [[nodiscard]] OpPtr operation(const Ctx& x, const MicroOp& op, TensorOp::Kind kind,
                                  unsigned lane, PlanPtr plan);
    void due(std::uint64_t token) override;
    void send(Cycle when, Flight flight);

    // tensor_columns.cpp
    [[nodiscard]] bool serve(const Waiter& waiter, bool now);
    [[nodiscard]] bool servePair(const Waiter& waiter, bool now);
    void grant(const Waiter& waiter, const tmem::Grant& grant, bool now);
    void serveWaiters();

    // tensor_multiply.cpp
    [[nodiscard]] tmem::Operands operandsOf(const Ctx& x, const MicroOp& op, unsigned lane) const;
    [[nodiscard]] const Known& known(const Tcgen05Info& info, std::uint32_t instruction,
                                     const tmem::Operands& operands);
    void timeOnCore(TensorOp& op, const Group& group, Cycle interval, Cycle latency);
    void timeOfServers(const Ctx& x, TensorOp& op, const Group& group, const tmem::Instruction& i);
    template <class What>
    void begin(const Ctx& x, unsigned lane, const Group& group, const OpPtr& made, What what);
    void perform(const TensorOp& op, const Multiply& what);
    void perform(const TensorOp& op, const CopyIn& what);
    void perform(const TensorOp& op, const ShiftDown& what);
    void clear(const TensorOp& op, const Multiply& what);

    // tensor_moves.cpp
    [[nodiscard]] bool moveOf(Ctx& x, const MicroOp& op, Lanes lanes, Move& move, PlanPtr& plan);
    void perform(const TensorOp& op, const Move& what);

    // tensor_events.cpp
    void tell(const Flight& flight);
    void tellCommit(const Ctx& x, const MicroOp& op);
    void tellColumns(TensorActivity::Kind kind, const Cta& cta, const Held& held) const;
    void hold(const Cta& cta, const Waiter& waiter, unsigned column, bool now);
    void release(const Cta& cta, unsigned column);
    void releaseAll(const Cta& cta);

    // tensor_commit.cpp
    [[nodiscard]] Place placeOfCommit(const Ctx& x, const MicroOp& op, std::uint64_t address,
                                      unsigned lane);
    [[nodiscard]] std::optional<Arrival> arrivalOf(Ctx& x, const MicroOp& op, unsigned lane);
    void tell(const Ctx& x, Arrival& arrival);
    void complete(const Arrival& arrival);

    RunState& s_;
    Memory& memory_;
    SyncClient& client_;
    const Residents& residents_;
    Reconvergence& lanes_;
    MatrixEngine& matrix_;
    TensorObserver* observer_{};                       ///< nullptr: no observer
    std::unordered_map<std::uint64_t, CtaSide> ctas_;  ///< by serial number
    std::vector<Waiter> waiters_;                      ///< in the order in which they asked
    std::uint64_t retriedAt_{};
    std::uint64_t moment_{};
    /// names of arrivals, distinct from those of copies
    std::uint64_t names_{std::uint64_t{1} << 62};
    std::vector<Flight> flights_;
    std::vector<std::uint32_t> freeFlights_;
    std::map<MultiplyKey, Known> multiplies_;
    std::map<std::array<std::uint64_t, 3>, PlanPtr> copies_;
    std::map<MoveKey, PlanPtr> moves_;
    /// Commits whose arrive has been given to the port and that were not waited for, by CTA and offset of the mbarrier.
    std::map<std::array<std::uint64_t, 2>, std::vector<Arrival>> commits_;
    std::map<std::array<std::uint64_t, 2>, std::uint32_t> lines_;
    tmem::Scratch scratch_;
};

}  // namespace gsu::exec
