// Arrivals at another CTA's mbarrier, by their scope.
#include "race_case.hpp"

using namespace gsu;
using namespace racetests;

namespace {

const std::vector<Case> kCases{
    {"an arrival at another CTA that names no scope, behind a store",
     "race-read-write",
     {"release"},
     "cluster",
     R"(
@%p1 mbarrier.init.shared::cta.b64 [%r8], 64;
barrier.cluster.arrive; barrier.cluster.wait;
mapa.shared::cluster.u32 %r9, %r4, 1; mapa.shared::cluster.u32 %r10, %r8, 1;
@!%p2 bra R;
st.shared::cluster.u32 [%r9], %r6; //A
BAD mbarrier.arrive.shared::cluster.b64 _, [%r10];
GOOD mbarrier.arrive.release.cluster.shared::cluster.b64 _, [%r10];
bra E;
R: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p4, [%r8], 0; @!%p4 bra R;
xor.b32 %r11, %r4, 4; ld.shared.u32 %r12, [%r11]; //B
E: barrier.cluster.arrive; barrier.cluster.wait;
)",
     64,
     2,
     2},
    {"the same gives back what was read, and no more",
     "race-write-write",
     {"release"},
     "cluster",
     R"(
@%p1 mbarrier.init.shared::cta.b64 [%r8], 64;
barrier.cluster.arrive; barrier.cluster.wait;
mapa.shared::cluster.u32 %r9, %r4, 1; mapa.shared::cluster.u32 %r10, %r8, 1;
@!%p2 bra R;
GOOD ld.shared::cluster.u32 %r11, [%r9];
BAD st.shared::cluster.u32 [%r9], %r6; //A
mbarrier.arrive.shared::cluster.b64 _, [%r10];
bra E;
R: mbarrier.try_wait.parity.acquire.cluster.shared::cta.b64 %p4, [%r8], 0; @!%p4 bra R;
xor.b32 %r12, %r4, 4; st.shared.u32 [%r12], %r7; //B
E: barrier.cluster.arrive; barrier.cluster.wait;
)",
     64,
     2,
     2},
};

}  // namespace

TEST_CASE("an arrival that names no scope gives back what was read, and orders no store",
          "[races][GEN-004][MBARR-013]")
{
    for (const Case& c : kCases) checkCase(c);
}
