/// The unit with one CTA of 4 KiB in slot 0, for tests of one instruction at a time.
#pragma once
#include "rtl/mbar_reference.hpp"

#include "catch.hpp"

namespace mbar {

inline constexpr std::uint32_t kBase = 0x1000;
inline constexpr Lanes kOne = 1;

struct Unit : Testbench {
    explicit Unit(raw::Cfg config = config0()) : Testbench(config) { launch(0, kBase, 0x1000); }
    /// One instruction alone; its commits.
    std::vector<Commit> play(const Instruction& i)
    {
        const std::size_t before = commits.size();
        give(i);
        settle();
        INFO(fault());
        REQUIRE(fault().empty());
        return {commits.begin() + std::ptrdiff_t(before), commits.end()};
    }
    Commit one(Op op, std::uint32_t offset, Word data = 1, Lanes lanes = kOne)
    {
        const auto made = play(instruction(op, lanes, offset, data));
        REQUIRE(made.size() == 1);
        return made[0];
    }
    [[nodiscard]] Object at(std::uint32_t offset) const { return decode(word(kBase + offset)); }
};

inline raw::Cfg writeBack()
{
    raw::Cfg config = Testbench::config0();
    config.mbar_policy = 1;
    return config;
}

}  // namespace mbar
