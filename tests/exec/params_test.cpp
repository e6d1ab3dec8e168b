// Parameters of the executor: what is gone says what took its place, what is unknown says what is near.
#include "catch.hpp"
#include "exec/settings/params.hpp"

using namespace gsu;

TEST_CASE("a parameter that is gone says what took its place", "[exec][params]")
{
    ExecParams params;
    CHECK(setExecParameter(params, "exec.reconverge_clocks=64")
              .ends_with("--set exec.reconverge_instructions=N"));
    CHECK(setExecParameter(params, "exec.aligned_instructions=64")
              .find("there is no exec.aligned_instructions any more: ") == 0);
    CHECK(params == ExecParams{});
    // Those that belong to the unit now are taken by their old names.
    Config config = configOf(Preset::Hopper);
    for (const char* old :
         {"exec.fence_cta_lat=9", "exec.fence_gpu_lat=9", "exec.fence_sys_lat=9"}) {
        CAPTURE(old);
        CHECK_FALSE(isExecParameter(old));
        CHECK(setParameter(config, old).empty());
    }
    CHECK(config.fence_sys_lat == 9);
}

TEST_CASE("an unknown parameter of the executor names a near one", "[exec][params]")
{
    ExecParams params;
    CHECK(
        setExecParameter(params, "exec.allu_lat=4") ==
        "unknown parameter 'exec.allu_lat', did you mean 'exec.alu_lat'? (gsu params lists them)");
    CHECK(setExecParameter(params, "exec.whatever_this_is=4") ==
          "unknown parameter 'exec.whatever_this_is' (gsu params lists them)");
}
