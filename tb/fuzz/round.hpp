/// The tools of a pattern: the participating threads, the growing kernel, the values of the threads. A pattern first draws, then emits,
/// then computes: the computation sees nothing of GSU and no text.
#pragma once
#include <cstdint>
#include <functional>
#include <string>
#include <vector>

#include "fuzz/kernel.hpp"
#include "fuzz/plan.hpp"
#include "fuzz/random.hpp"

namespace gsu::fuzz {

/// Values of the program between rounds.
struct State {
    std::vector<std::uint32_t> acc;  ///< per thread of the grid
    std::vector<Lanes> live;         ///< per warp of a CTA: lanes that have not ended
    std::vector<std::uint32_t> aux,
        auxInit;                        ///< the buffer aux: its final and its initial words
    std::uint32_t inStart{}, inStep{};  ///< word i of the buffer in is start + i * step
    bool cooperative{};
    [[nodiscard]] std::uint32_t in(std::size_t i) const noexcept
    {
        return inStart + static_cast<std::uint32_t>(i) * inStep;
    }
};
inline constexpr unsigned kInWords = 4096;

struct Thread {
    unsigned cta, rank, tid, warp, lane;
    std::size_t gid;
};

/// acc = f(acc, value): the way in which a value becomes part of a thread's state.
struct Mix {
    unsigned kind{};
    std::uint32_t a{}, b{};
    [[nodiscard]] std::uint32_t operator()(std::uint32_t acc, std::uint32_t value) const noexcept;
};

/// One pass of a loop, unrolled (known >= 0) or not.
struct Iteration {
    std::string index, parity;  ///< register or number
    int known{-1};
    unsigned count{1};
};

/// Work of the first live thread of each CTA before the strands part.
struct Preamble {
    std::vector<std::string> instructions;
    std::vector<unsigned> objects;  ///< mbarriers, by offset
    bool cluster{};                 ///< other CTAs use these objects
};

class Round {
public:
    Round(Kernel& kernel, State& state, const ProgramPlan& program, std::uint64_t seed,
          std::vector<Lanes> lanes, Preamble& before);

    Random random;
    Kernel& k;
    State& s;
    const ProgramPlan& plan;
    const Shape& shape;

    [[nodiscard]] bool has(Feature f) const noexcept { return plan.features.has(f); }
    [[nodiscard]] bool sm90() const noexcept { return !plan.sm80; }
    [[nodiscard]] unsigned ranks() const noexcept { return shape.clusterSize; }
    /// Members of each CTA, ascending; never empty.
    [[nodiscard]] const std::vector<unsigned>& tids() const noexcept { return tids_; }
    [[nodiscard]] unsigned members() const noexcept { return static_cast<unsigned>(tids_.size()); }
    [[nodiscard]] unsigned warps() const noexcept { return warps_; }
    [[nodiscard]] Lanes lanes(unsigned warp) const { return lanes_[warp]; }
    [[nodiscard]] bool full() const noexcept
    {
        return full_;
    }  ///< every member's warp has 32 lanes
    [[nodiscard]] bool whole() const noexcept { return whole_; }  ///< all live threads are members
    [[nodiscard]] Thread thread(unsigned cta, unsigned tid) const;
    /// Visits every member of the grid, or only the members in `select` lanes.
    void each(const std::function<void(const Thread&)>& visit, Lanes select = ~Lanes{0}) const;
    /// Sets acc = mix(acc, value(thread)) for all members at once; the values are those from before.
    void apply(const Mix& mix, const std::function<std::uint32_t(const Thread&)>& value,
               Lanes select = ~Lanes{0});
    [[nodiscard]] unsigned anyTid() { return tids_[random.below(members())]; }
    /// A random permutation: for each tid another member (0 for threads that take no part).
    [[nodiscard]] std::vector<std::uint32_t> permutation();

    // Emitting.
    [[nodiscard]] Mix drawMix();
    void emitMix(const Mix& mix, const std::string& value);
    /// Loads values[tid] into a fresh register.
    [[nodiscard]] std::string lookUp(const std::vector<std::uint32_t>& values);
    [[nodiscard]] std::string number(std::uint32_t value);  ///< immediate or register
    [[nodiscard]] std::string isTid(unsigned tid);          ///< predicate
    [[nodiscard]] std::string isRank(unsigned rank);
    /// Emits code that only threads with the predicate execute (a branch around it).
    void only(const std::string& pred, const std::function<void()>& body, bool negate = false);
    /// Text of a shared memory address, for brackets.
    [[nodiscard]] std::string at(unsigned offset);
    /// Register with the shared address of element `index` from `offset`.
    [[nodiscard]] std::string cell(unsigned offset, const std::string& index, unsigned stride = 4);
    /// Register with the address of word `index` in global memory, counted from word `first` of %aux, %in or %out.
    [[nodiscard]] std::string word(const char* base, unsigned first, const std::string& index,
                                   unsigned stride = 4);
    /// Register with the same place in the CTA of another rank.
    [[nodiscard]] std::string mapa(const std::string& address, const std::string& rank);
    /// Register with the generic address of a shared one.
    [[nodiscard]] std::string generic(const std::string& address);
    /// Register with (rank + distance) % ranks.
    [[nodiscard]] std::string rankPlus(unsigned distance);
    /// Repeats `body` count times, as a loop or unrolled.
    void repeat(unsigned count, const std::function<void(const Iteration&)>& body);
    void unlessFirst(const Iteration& it, const std::function<void()>& body);
    void unlessLast(const Iteration& it, const std::function<void()>& body);
    /// Runs `body` for all lanes at once, or in turn for two drawn parts of each warp on two sides of a branch.
    void sides(const std::function<void(Lanes select)>& body);
    /// The live lanes of this warp that are in `select`, as an operand.
    [[nodiscard]] std::string mask(Lanes select);
    /// Emits delays and fences that change nothing.
    void noise();
    /// Emits a barrier of the members of the CTA; fresh ids are taken on first use.
    void sync();
    /// Emits one named barrier instruction "sync ID, COUNT" in a drawn spelling, diverged if drawn so.
    void barrier(const std::string& op, unsigned id, unsigned count);
    [[nodiscard]] unsigned takeIds(unsigned n);

    // memory that is set before the round
    [[nodiscard]] unsigned mbarrier(unsigned count, bool remote);
    void initShared(unsigned offset, std::uint32_t value, bool remote = false);
    /// Words of aux, with `init` for each. Returns the index of the first.
    [[nodiscard]] unsigned aux(const std::vector<std::uint32_t>& init);
    /// Emits a loop that waits until the phase of this parity is over.
    void wait(unsigned object, const std::string& parity, bool cluster);
    /// Emits a loop that waits for the phase of the state of an arrive.
    void waitState(unsigned object, const std::string& state);
    [[nodiscard]] const char* sharedSpace()
    {
        return random.chance(50) ? ".shared" : ".shared::cta";
    }

private:
    void waitLoop(const std::string& instruction, const std::string& pred);
    [[nodiscard]] std::string waitQualifiers(bool cluster);

    std::vector<Lanes> lanes_;
    std::vector<unsigned> tids_;
    unsigned warps_{};
    bool full_{}, whole_{};
    unsigned syncId_{};
    Preamble& before_;
};

/// Emits arrive, `between`, wait of the cluster barrier, in a drawn spelling. Pre: all live threads of the cluster come here.
void clusterBarrier(Round& r, const std::function<void()>& between);

}  // namespace gsu::fuzz
