/// The operational model of tb/exec/memory.md as a machine with small, copyable states: the possible steps, and the state after each.
/// Barriers are those of the golden model. It shares no code with the executor's memory: the two are compared by their outcomes.
#pragma once
#include <string>

#include "golden/mbarrier.hpp"
#include "golden/named_barrier.hpp"
#include "litmus/test.hpp"

namespace gsu::litmus {

/// Accesses that take time, as in exec.memory.
enum class MemoryForm : std::uint8_t { Immediate, Default, Weak };

/// Sets of threads, as bits.
using ThreadSet = std::uint32_t;

/// One value of a location's memory.
struct Version {
    std::int32_t value{};
    std::uint8_t address{}, proxy{}, cta{};  ///< how it was written: Location::address, proxy, CTA
};

/// A store or reduction that is not yet in memory.
struct Pending {
    std::uint8_t thread{}, cta{}, location{};
    Proxy proxy{};
    bool inCta{};    ///< the CTA sees it
    bool oneStep{};  ///< there is no step between the thread and everyone
    bool reduces{};
    Math math{};
    std::int32_t value{};
    ThreadSet own{},
        wide{};  ///< threads whose request waits until it is performed towards the CTA, towards everyone
};

/// A packet to another CTA's mbarrier, or an asynchronous operation, in flight.
struct InFlight {
    enum class What : std::uint8_t { Arrive, ExpectTx, Copy, Data } what{};
    std::uint8_t cta{};  ///< CTA of its source
    std::uint8_t mbarrier{}, location{}, from{};
    std::int32_t value{};  ///< bytes or data
    ThreadSet wide{};
};

struct ThreadState {
    enum class At : std::uint8_t {
        Runs,
        Waits,    ///< for stores and packets named by their own and wide
        Named,    ///< for the release of a named barrier
        Cluster,  ///< for the release of the cluster barrier
        Ended
    } at{};
    std::uint16_t pc{};
    std::vector<std::int32_t> registers;
};

struct State {
    std::vector<ThreadState> threads;
    /// by root location; the last version is the present one
    std::vector<std::vector<Version>> memory;
    std::vector<std::uint8_t> floors;  ///< by path (Machine::path): oldest version that can be read
    std::vector<Pending> pending;
    std::vector<InFlight> flights;  ///< packets of a CTA to another keep their order
    std::vector<std::array<NamedBarrier, 16>> named;  ///< by CTA
    std::vector<MbarState> mbarriers;                 ///< by location
    std::vector<ThreadSet> clusters;                  ///< arrivals, by Machine::clusterOf_
    bool forgets{};  ///< an earlier step dropped a version that a thread might have read
};

/// One possible next step.
struct Step {
    enum class What : std::uint8_t { Execute, ToCta, ToEveryone, Packet, Copy } what{};
    std::uint8_t index{};    ///< thread, or index in State::pending or flights
    std::uint8_t version{};  ///< version read by a load or a copy, if there are several
};

/// The values of Test::shown.
using Outcome = std::vector<std::int32_t>;

class Machine {
public:
    Machine(const Test& test, MemoryForm form);

    [[nodiscard]] State initial() const;
    /// All possible steps; empty: ended, or hung.
    [[nodiscard]] std::vector<Step> steps(const State& state) const;
    void take(State& state, const Step& step) const;
    [[nodiscard]] bool ended(const State& state) const;
    [[nodiscard]] Outcome outcome(const State& state) const;
    [[nodiscard]] bool holds(const State& state) const;
    /// The state as bytes, equal for equal states.
    [[nodiscard]] std::string key(const State& state) const;
    /// A step as one line for a witness. `state` is that before the step.
    [[nodiscard]] std::string describe(const State& state, const Step& step) const;
    [[nodiscard]] const Test& test() const noexcept { return test_; }
    /// An executed instruction: thread and place in its code.
    struct Executed {
        unsigned thread{}, pc{};
    };
    /// Notes executed instructions from now on, except branches; nullptr: no more.
    void traceTo(std::vector<Executed>* trace) noexcept { trace_ = trace; }

private:
    [[nodiscard]] std::string describeExecute(const State& state, const Step& step) const;
    // machine.cpp: possible steps
    void threadSteps(const State& s, unsigned thread, std::vector<Step>& to) const;
    [[nodiscard]] bool first(const State& s, std::size_t pending) const;
    [[nodiscard]] std::vector<std::uint8_t> readable(const State& s, unsigned cta, Proxy proxy,
                                                     unsigned location) const;
    [[nodiscard]] const Pending* forwarded(const State& s, unsigned thread, Proxy proxy,
                                           unsigned location) const;
    [[nodiscard]] unsigned floorOf(const State& s, unsigned cta, Proxy proxy,
                                   unsigned location) const;
    [[nodiscard]] std::size_t path(unsigned cta, Proxy proxy, unsigned location) const
    {
        return (std::size_t{cta} * 5 + static_cast<unsigned>(proxy)) * test_.locations.size() +
               test_.locations[location].address;
    }
    [[nodiscard]] bool delayed(unsigned thread, const Instruction& i) const;
    [[nodiscard]] bool twoSteps(unsigned location) const;
    [[nodiscard]] bool full(const State& s, unsigned thread, const Instruction& i) const;
    // machine_step.cpp: the state after a step
    void execute(State& s, unsigned thread, unsigned version) const;
    void accept(State& s, unsigned thread) const;
    void runLocal(State& s, unsigned thread) const;
    void advance(State& s, unsigned thread) const;
    void load(State& s, unsigned thread, const Instruction& i, unsigned version) const;
    void launch(State& s, unsigned thread, const Instruction& i) const;
    void store(State& s, unsigned thread, const Instruction& i, std::int32_t value) const;
    void atomic(State& s, unsigned thread, const Instruction& i) const;
    void write(State& s, unsigned location, Proxy proxy, unsigned cta, std::int32_t value) const;
    void perform(State& s, std::size_t pending, bool wholly) const;
    void settle(State& s, unsigned thread, Proxy proxy, unsigned location) const;
    void finishFlight(State& s, std::size_t flight, unsigned version) const;
    void signal(State& s, unsigned mbarrier, MbarOp op, std::uint32_t amount) const;
    void proxyFence(State& s, unsigned thread, Proxy proxy) const;
    void named(State& s, unsigned thread, const Instruction& i) const;
    void mbarrier(State& s, unsigned thread, const Instruction& i) const;
    void clusterFlip(State& s, unsigned cluster) const;
    void trim(State& s) const;
    [[nodiscard]] std::int32_t valueOf(const State& s, unsigned thread, const Value& v) const
    {
        return v.reg < 0 ? v.number : s.threads[thread].registers[static_cast<std::size_t>(v.reg)];
    }
    [[nodiscard]] const Instruction& next(const State& s, unsigned thread) const
    {
        return test_.threads[thread].code[s.threads[thread].pc];
    }

    const Test& test_;
    std::vector<Executed>* trace_{};
    MemoryForm form_;
    std::vector<bool> history_;         ///< roots with older versions that a thread may read
    std::vector<unsigned> clusterOf_;   ///< by CTA
    std::vector<ThreadSet> inCluster_;  ///< threads, by cluster
};

/// The operations that a request waits for before it takes effect (rtl/doc/ordering.md).
struct WaitsFor {
    bool own{}, wide{};
};
[[nodiscard]] WaitsFor waitsFor(const Instruction& i) noexcept;

}  // namespace gsu::litmus
