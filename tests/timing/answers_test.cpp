// What follows the answers of the unit before a warp continues, and how waits look at mbarriers (exec.timing=hopper; the golden unit answers at once).
#include "timing/bench.hpp"

using namespace gsu;
using namespace gsu::timing::test;

namespace {

Bench plain(const char* name, std::string text, unsigned threads = 32)
{
    return {name,   0, 0, 0, "", "setp.eq.u32 %p1, %r1, 0; mov.u32 %r6, 1;", same(std::move(text)),
            threads};
}
/// Warp 1 sleeps and arrives; warp 0, or one lane of it, waits at the mbarrier: clocks of the wait.
std::uint64_t waited(const char* ns, bool part)
{
    const std::string wait = part ? "setp.ne.u32 %p2, %r1, 0; @%p2 bra WAITED;"
                                  : "setp.ge.u32 %p2, %r1, 32; "
                                    "@%p2 bra WAITED;";
    Bench b = plain("a wait", "", 64);
    b.before += "@%p1 mbarrier.init.shared.b64 [%r2], 1; bar.sync 0;";
    b.body = [&](unsigned) {
        return "setp.ne.u32 %p3, %r1, 32; @%p3 bra ARRIVED; nanosleep.u32 " + std::string(ns) +
               "; mbarrier.arrive.shared.b64 _, [%r2];\nARRIVED: " + wait +
               "\nAGAIN: mbarrier.try_wait.parity.shared.b64 %p4, [%r2], 0; @!%p4 bra "
               "AGAIN;\nWAITED:";
    };
    b.after = "bar.sync 0;";  // the other lanes do not end
    return clocks(b, 1);
}

}  // namespace

TEST_CASE("some answers are followed by more before the warp continues", "[timing]")
{
    const auto more = [](const char* longer, const char* shorter) {
        return slope(plain("longer", longer)) - slope(plain("shorter", shorter));
    };
    const char* const sync = "bar.cta.sync 1, 32;";
    CHECK(more("bar.cta.red.popc.u32 %r5, 1, 32, %p1;", sync) == 45);
    CHECK(more("bar.cta.sync %r6, 32;", sync) == 11);
    CHECK(more("fence.proxy.async.shared::cta;", "fence.acq_rel.cta;") == 5);
    CHECK(more("fence.sc.cta;", "fence.acq_rel.cta;") == 5);
    CHECK(more("fence.proxy.async;", "fence.proxy.async.shared::cta;") == 142 - 5);
    CHECK(more("match.any.sync.b32 %r5, %r1, -1;", "match.any.sync.b32 %r5, %r2, -1;") == 31 * 8);
    CHECK(more("nanosleep.u32 1000;", "nanosleep.u32 500;") == 1797 - 898);
    CHECK(more("nanosleep.u32 1024;", "nanosleep.u32 513;") == 0);
    CHECK(slope(plain("the least sleep", "nanosleep.u32 0;")) == 67);
}

TEST_CASE("a warp that waits is woken, a part of a warp looks from time to time", "[timing]")
{
    // The pauses are 512 and 1024 ns.
    CHECK(waited("1000", false) - waited("500", false) == 1797 - 898);
    const std::uint64_t early = waited("500", true), late = waited("1000", true);
    INFO(early << " and " << late << ", a whole warp " << waited("1000", false));
    CHECK(late > early);
    CHECK((late - early) % 148 == 0);
    CHECK(late >= waited("1000", false));
}
