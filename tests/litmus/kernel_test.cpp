// The kernel that repeats a witness: which of its lines are stores that are performed late, and when.
#include <sstream>

#include "catch.hpp"
#include "litmus/kernel.hpp"

using namespace gsu;
using namespace gsu::litmus;

namespace {

const char* const kStores =
    "PTX W\n{ x = 0; y = 0; }\n P0@cta 0,gpu 0 | P1@cta 1,gpu 0 ;\n mov r5, 3 | ld.weak r0, y ;\n"
    " st.weak x, 1 | ld.weak r1, x ;\n st.weak y, 2 | ;\nexists (P1:r0 == 2 /\\ P1:r1 == 0)\n";

std::string lineOf(const std::string& text, std::uint32_t line)
{
    std::istringstream in(text);
    std::string found;
    for (std::uint32_t i = 0; i < line && std::getline(in, found); ++i) {
    }
    return found;
}

}  // namespace

TEST_CASE("stores of a witness are performed when it says, towards the CTA before everyone",
          "[D-69]")
{
    const Test test = parseTest(kStores, "w");
    const Machine machine(test, MemoryForm::Weak);
    unsigned witnesses = 0;
    for (const Seen& seen : explore(machine, {}).seen) {
        if (!seen.named) continue;
        ++witnesses;
        const Pace pace{10'000, 100};
        const Kernel k = kernelOf(test, MemoryForm::Weak, seen.steps, pace, "w.ptx");
        REQUIRE(k.why == "");
        REQUIRE(k.late.size() == 2);  // of the instructions only the stores
        for (const Kernel::Late& l : k.late) {
            CHECK(lineOf(k.ptx, l.line).find("st.") != std::string::npos);
            CHECK(l.cta > pace.start);
            CHECK(l.cta <= l.everyone);
            CHECK(l.everyone <= k.end);
        }
        CHECK(k.late[0].line < k.late[1].line);
        // The reader saw y and not x: y is there first, x as late as it may be.
        CHECK(k.late[1].everyone < k.late[0].everyone);
    }
    CHECK(witnesses == 1);
}

TEST_CASE("a kernel that runs a test many times, and a test that cannot be one", "[D-69]")
{
    const ManyKernel k = manyKernelOf(parseTest(kStores, "w"));
    CHECK(k.why == "");
    CHECK(k.ptx.find("st.") != std::string::npos);
    CHECK(k.ctas == 2);
    const ManyKernel loop = manyKernelOf(
        parseTest("PTX L\n{ x = 0; }\n P0@cta 0,gpu 0 ;\n L: st.weak x, 1 ;\n goto L ;\n"
                  "exists (x == 1)\n",
                  "l"));
    CHECK(loop.why == "it branches");
    const ManyKernel alias = manyKernelOf(
        parseTest("PTX A\n{ x = 0; y @ generic aliases x; }\n P0@cta 0,gpu 0 ;\n st.weak y, 1 ;\n"
                  "exists (x == 1)\n",
                  "a"));
    CHECK(alias.why == "its locations have aliases");
    CHECK(alias.ptx == "");
}
