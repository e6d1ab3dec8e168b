/// The unit with one CTA of 4 KiB in slot 2, rank 1 of a cluster of four, for tests of what crosses the network.
#pragma once
#include "rtl/mbar_unit.hpp"

namespace mbar {

inline constexpr std::uint32_t kClusterBase = 0x4000;

struct ClusterUnit : Testbench {
    explicit ClusterUnit(raw::Cfg config = config0()) : Testbench(config)
    {
        launch(2, kClusterBase, 0x1000, 1, 4, 9);
    }
    void play(Instruction i)
    {
        i.req.cta = 2;
        i.req.warp = 7;
        give(i);
        settle();
        INFO(fault());
        REQUIRE(fault().empty());
    }
    static Instruction remote(Op op, Lanes lanes, std::uint32_t addr, Word data = 1)
    {
        Instruction i = instruction(op, lanes, addr, data);
        i.req.remote = true;
        return i;
    }
    static raw::Pkt packet(PktKind kind, std::uint32_t offset, std::uint32_t amount)
    {
        raw::Pkt p;
        p.kind = kind;
        p.src_sm = 11;
        p.src_cta = 21;
        p.src_warp = 5;
        p.clus = 9;
        p.rank = 1;
        p.dst_cta = 2;
        p.offset = offset;
        p.amount = amount;
        p.tag = 77;
        return p;
    }
    void come(raw::Pkt p, unsigned lane = 0, unsigned more = 0)
    {
        p.lane = std::uint8_t(lane);
        p.more = std::uint8_t(more);
        give(p);
        settle();
        REQUIRE(fault().empty());
    }
    [[nodiscard]] Object at(std::uint32_t offset) const
    {
        return decode(word(kClusterBase + offset));
    }
};

}  // namespace mbar
