/// Structures under which lockstep is tested: small, large, odd numbers, eight barriers per CTA. The slower tier builds the RTL of these.
#pragma once
#include <string>
#include <vector>

#include "catch.hpp"
#include "golden/structure.hpp"

namespace gsu::test {

// One a line: scripts read them.
// clang-format off
inline const std::vector<std::string> kStructures{
    "Ctas=4,WarpSlots=16,Bars=8,Waits=2,Lines=2,PerClock=1,Releases=2,Answers=2,MbarAnswers=2,WaitAnswers=2,Sends=2,Receives=2,Operands=4,Replies=2,Cancels=2,Matches=2,Packets=2",
    "Bars=64,Waits=128,Lines=64,PerClock=32,Releases=256,Answers=256,MbarAnswers=256,WaitAnswers=256,Sends=256,Receives=256,Replies=64,Cancels=32,Matches=256,Packets=1024",
    "Ctas=5,WarpSlots=47,Bars=13,Waits=7,Lines=3,PerClock=8,Releases=4,MbarAnswers=8,Sends=4,Receives=16,Operands=8,Replies=4,Cancels=4,Matches=8,Packets=64",
    "Bars=8,Waits=64,Lines=8"};
// clang-format on

inline Structure structureOf(const std::string& with)
{
    Structure structure;
    REQUIRE(setStructure(structure, with) == "");
    return structure;
}

}  // namespace gsu::test
