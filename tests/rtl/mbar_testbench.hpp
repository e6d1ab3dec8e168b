/// gsu_mbar_unit alone at its ports: memory, stimulus queues and everything it says with its cycle. Cycles are RTL clocks.
#pragma once
#include <array>
#include <cstdint>
#include <deque>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "golden/layout.gen.hpp"

class VerilatedContext;
class Vgsu_mbar_unit;

namespace mbar {

using namespace gsu;
using Word = std::uint64_t;
using Lanes = std::uint32_t;
inline constexpr Lanes kAll = ~Lanes{0};

/// Bits of tap errs; as written in rtl/mbar/gsu_mbar_pkg.sv.
enum Err : unsigned {
    Align,
    Window,
    Count,
    Pending,
    Tx,
    NoComplete,
    DropZero,
    Drop,
    Retired,
    Parity,
    Local = Parity,  ///< of arrivals and drops
    Locked,
    Undeliverable,
    Killed,
    CpaMax,
    RemoteForm,
    Self
};

/// One instruction; operands of lane i at index i.
struct Instruction {
    raw::SyncReq req;
    std::array<std::uint32_t, 32> addr{};
    std::array<Word, 32> data{};
    std::array<std::uint32_t, 32> limit{};
};
/// All lanes with the same operand on the same object.
[[nodiscard]] Instruction instruction(Op op, Lanes lanes, std::uint32_t addr, Word data = 1);

struct Commit {
    std::uint64_t cycle{};
    raw::Tap tap;
    std::uint8_t srcSm{}, srcCta{};  ///< origin of a remote update
    bool operator==(const Commit&) const = default;
    [[nodiscard]] bool err(Err bit) const { return tap.errs >> bit & 1; }
};
struct Answer {
    std::uint64_t cycle{};
    raw::SyncRsp rsp;
    bool operator==(const Answer&) const = default;
};
struct Packet {
    std::uint64_t cycle{};
    raw::Pkt pkt;
    bool operator==(const Packet&) const = default;
};

/// An acknowledgement: to the source of a packet, or of an own packet that came back.
struct Ack {
    std::uint64_t cycle{};
    raw::Ack ack;
    bool returned{};
    bool operator==(const Ack&) const = default;
};

class Testbench {
public:
    explicit Testbench(raw::Cfg config = config0());
    ~Testbench();

    /// Small latencies, write-through, 32 wait slots.
    static raw::Cfg config0();
    void launch(unsigned cta, std::uint32_t base, std::uint32_t size, unsigned rank = 0,
                unsigned ctas = 1, unsigned clus = 0);
    void end(unsigned cta);
    /// Queues; returns the tag.
    std::uint16_t give(Instruction instruction);
    void give(const raw::Async& async) { asyncs_.push_back(async); }
    void give(const raw::Pkt& pkt);
    /// An acknowledgement from the owner of an object elsewhere, in one of the next clocks.
    void give(const raw::Ack& ack) { backs_.push_back(ack); }
    void snoop(std::uint32_t addr) { snoops_.push_back(addr); }
    /// An ordinary store by the program, with its snoop.
    void store(std::uint32_t addr, Word value);
    /// Runs until all queues are empty and nothing moves any more, or `limit` cycles.
    void settle(unsigned limit = 100'000);
    void run(unsigned cycles);
    void runTo(std::uint64_t cycle);
    [[nodiscard]] Word word(std::uint32_t addr) const { return memory_[addr >> 3]; }
    void setWord(std::uint32_t addr, Word value) { memory_[addr >> 3] = value; }
    [[nodiscard]] std::uint32_t quiet() const;
    /// Text of a failed assertion of the RTL, empty if none.
    [[nodiscard]] std::string fault() const { return fault_; }

    std::vector<Commit> commits;
    std::vector<Answer> answers;
    std::vector<Ack> acks;
    std::vector<Packet> packets;
    std::vector<raw::Deliver> told;  ///< data of packets, to the driver
    std::uint64_t now{1};
    std::uint64_t evaluated{};
    bool skipping{};                 ///< leave out cycles the unit calls idle
    unsigned txStall{}, rspStall{};  ///< refuse 1 in n offers, 0: never
    std::uint32_t open{kAll};
    std::uint32_t left{};  ///< CTAs whose last warp has exited
    std::uint64_t readsMade{}, writesMade{};

private:
    void cycle();
    void drive();
    void sample();
    [[nodiscard]] bool inputs() const;
    [[nodiscard]] bool refuse(unsigned oneIn);

    raw::Cfg config_;
    std::unique_ptr<VerilatedContext> context_;
    std::unique_ptr<Vgsu_mbar_unit> dut_;
    std::vector<Word> memory_;
    struct Read {
        std::uint64_t due{};
        Word data{};
    };
    std::deque<Read> reads_;
    struct Offer {
        raw::SyncReq req;
        std::uint64_t beats{};  ///< beats given up to and including its own
    };
    std::deque<Offer> requests_;
    std::deque<raw::OpndBeat> beats_;
    std::deque<raw::Async> asyncs_;
    std::deque<Packet> rx_;
    std::deque<raw::Ack> backs_;
    std::deque<std::uint32_t> snoops_;
    std::deque<raw::Launch> launches_;
    std::deque<unsigned> ends_;
    std::uint64_t beatsQueued_{}, beatsTaken_{};
    std::uint64_t stop_{};  ///< cycle that skipping must not pass, 0: none left out
    std::uint32_t random_{12345};
    std::uint16_t nextTag_{1};
    std::string fault_;
};

}  // namespace mbar
