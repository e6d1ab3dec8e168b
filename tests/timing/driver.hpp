/// Small instruction streams against the servers alone, called as the executor calls them.
#pragma once
#include <deque>
#include <functional>
#include <initializer_list>
#include <vector>

#include "exec/timing/timing_model.hpp"

namespace gsu::timing::test {

/// Lanes 0..count-1 access neighbouring elements from `address` on, `stride` bytes apart.
[[nodiscard]] LaneAccess lanesFrom(std::uint64_t address, unsigned bytes = 4, unsigned stride = 4,
                                   unsigned count = 32);

struct Step {
    enum class Kind : std::uint8_t {
        Plain,
        Load,
        Store,
        Product,
        WaitProducts,  ///< until so many are under way at most
        CopyIn,
        WaitCopies,
        CopyAsync,
        Drain
    } kind{Kind::Plain};
    InstructionClass cls{InstructionClass::Integer};
    std::vector<Register> reads, writes;
    Order order{Order::Free};
    Footprint footprint;
    std::uint32_t work{}, pending{};
    MemoryAccess access;
    Product product;
    CopyRequest copy;
    std::vector<unsigned> to;
};

/// The instructions of a warp.
class Stream {
public:
    Stream& op(InstructionClass cls, std::vector<Register> writes, std::vector<Register> reads);
    Stream& load(Register d, Register address, const MemoryAccess& access);
    Stream& store(Register data, Register address, const MemoryAccess& access);
    Stream& mma(Register d, std::vector<Register> reads, std::uint32_t work = 16 * 8 * 16);
    Stream& product(const Product& product);
    Stream& waitProducts(std::uint32_t pending = 0);
    Stream& copyIn(const CopyRequest& request, std::vector<unsigned> to = {});
    Stream& waitCopies();
    Stream& copyAsync(const LaneAccess& from, const LaneAccess& to);
    Stream& drain();
    Stream& fixed(InstructionClass cls);
    /// `count` times, the body ended by a branch back.
    Stream& loop(unsigned count, const std::function<void(Stream&, unsigned)>& body);

    [[nodiscard]] const std::vector<Step>& steps() const noexcept { return steps_; }

private:
    Step& add(Step::Kind kind, InstructionClass cls, Order order);
    std::vector<Step> steps_;
};

/// The outcome of a warp.
struct Trace {
    std::vector<Cycle> issued;   ///< of each step
    std::vector<Cycle> results;  ///< when it had its effect: data there, product done, wait over
    Cycle end{};                 ///< after its last step and all it started
};

class Driver {
public:
    explicit Driver(const TimingParams& params, unsigned sms = 1);

    /// Warp `index` of its SM: on scheduler index % 4, of warpgroup index / 4.
    void add(const Stream& stream, unsigned sm = 0, unsigned index = 0);
    /// Runs all warps to their ends.
    std::vector<Trace> run();
    [[nodiscard]] TimingModel& model() noexcept { return *model_; }
    [[nodiscard]] Cycle end() const noexcept { return end_; }

private:
    struct Warp {
        std::vector<Step> steps;
        WarpHandle handle{};
        unsigned sm{};
        std::size_t at{};
        Cycle next{};
        std::deque<Cycle> products;
        Cycle copies{};
        Trace trace;
    };
    void step(Warp& warp);
    Cycle effect(Warp& warp, const Step& s, const Instruction& i, Cycle issued);

    TimingParams p_;
    std::unique_ptr<TimingModel> model_;
    std::vector<Warp> warps_;
    Cycle end_{};
};

}  // namespace gsu::timing::test
