// Gates of single forms and what is said where one does not pass: version and target of the boundary, and the words that name the form.
#include "ptx/check.hpp"
#include "support.hpp"

using namespace gsu::ptx;

namespace {

std::string said(const std::string& text, const std::string& target, const std::string& version,
                 Dialect dialect = Dialect::Text)
{
    const CheckResult r =
        checkModule(ptxtest::parse(ptxtest::around(text, target, version)), dialect);
    return r.accepted ? "accept" : r.diagnostics.front().message;
}

const std::string kRedux = "redux.sync.min.f32 %f1, %f2, 0xffffffff;";
const std::string kMulticast = "clusterlaunchcontrol.try_cancel.async.mbarrier::complete_tx::bytes."
                               "multicast::cluster::all.b128 "
                               "[smem], [mb];";

}  // namespace

TEST_CASE("redux of f32: sm_100a from 8.6, its family from 8.8", "[ptx][REDUX-012][REDUX-014]")
{
    const std::string refused = "'redux.sync.op{.abs}{.NaN}.f32' needs .target sm_100a, or the "
                                "sm_100f family from PTX 8.8";
    CHECK(said(kRedux, "sm_100a", "8.5").find("needs .version 8.6") != std::string::npos);
    CHECK(said(kRedux, "sm_100a", "8.6") == "accept");
    CHECK(said(kRedux, "sm_101a", "8.7") == refused);
    CHECK(said(kRedux, "sm_101a", "8.8") == "accept");
    CHECK(said(kRedux, "sm_103a", "8.8") == "accept");
    CHECK(said(kRedux, "sm_100f", "8.8") == "accept");
    CHECK(said(kRedux, "sm_120a", "8.8") == refused);
    CHECK(said(kRedux, "sm_100", "8.8") == refused);
}

TEST_CASE("multicast of try_cancel: targets with a, their families from 8.8", "[ptx][CLC-015]")
{
    const std::string refused = "'.multicast::cluster::all' needs .target sm_100a, sm_101a, "
                                "sm_110a or sm_120a, or their families from PTX 8.8";
    CHECK(said(kMulticast, "sm_100a", "8.6") == "accept");
    CHECK(said(kMulticast, "sm_120a", "8.7") == "accept");
    CHECK(said(kMulticast, "sm_121a", "8.8") == refused);
    CHECK(said(kMulticast, "sm_121a", "8.8", Dialect::Ptxas) == "accept");
    CHECK(said(kMulticast, "sm_121f", "8.8") == "accept");
    CHECK(said(kMulticast, "sm_100", "8.8") == refused);
}

TEST_CASE("the thread count of a barrier is a multiple of 32 that is not negative",
          "[ptx][BAR-006]")
{
    CHECK(said("bar.sync 0, 64;", "sm_90", "8.0") == "accept");
    CHECK(said("bar.sync 0, 33;", "sm_90", "8.0") ==
          "thread count 33 is not a multiple of the warp size 32");
    CHECK(said("bar.sync 0, -32;", "sm_90", "8.0") ==
          "thread count -32 is not a multiple of the warp size 32");
    CHECK(said("bar.sync 0, -32;", "sm_90", "8.0", Dialect::Ptxas) == "accept");
}

TEST_CASE("of a long .target that does not exist 80 characters are shown", "[ptx][GEN-006]")
{
    const std::string name = "sm_" + std::string(200, '9');
    CHECK(said("", name, "8.0") == "there is no .target " + name.substr(0, 80));
}

TEST_CASE("a gate names the part of the instruction that it is about", "[ptx][GEN-006]")
{
    CHECK(said("mbarrier.arrive.shared.b64 _, [mb];", "sm_80", "7.0") ==
          "'_' as result needs .version 7.1");
    CHECK(said("mbarrier.arrive.shared.b64 %rd1, [mb], 2;", "sm_80", "7.0") ==
          "operand count needs .version 7.8");
    CHECK(said("mbarrier.arrive.shared.b64 %rd1, [mb], 2;", "sm_80", "7.8") ==
          "operand count needs .target sm_90 or higher");
    CHECK(said("bar.cta.sync 1;", "sm_70", "7.7") == "'.cta' needs .version 7.8");
    CHECK(said("atom.add.u32 %r1, [%rd1], 1;", "sm_11", "1.4") ==
          "an address without a state space needs .version 2.0");
    CHECK(said("barrier.cluster.wait;", "sm_80", "8.0") ==
          "'barrier.cluster.wait{.sem}{.aligned}' needs .target sm_90 or higher");
}
