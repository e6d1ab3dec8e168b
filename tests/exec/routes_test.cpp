// The promise that no cluster comes any more: SyncPort::noMoreRoutes(), after which a port may evaluate the network early.
#include "catch.hpp"
#include "golden/forwarding_port.hpp"
#include "harness.hpp"

using namespace gsu;
using namespace gsu::test;

namespace {

/// Counts routes, grids and promises.
class RoutesPort final : public ForwardingPort {
public:
    using ForwardingPort::ForwardingPort;
    void route(const ClusterRoute& r) override
    {
        ++routes;
        late += promises;
        ForwardingPort::route(r);
    }
    void grid(const GridStart& g) override
    {
        ++grids;
        late += promises;
        ForwardingPort::grid(g);
    }
    void noMoreRoutes() override { ++promises; }
    void step() override
    {
        if (promises != 0) ++after;
        ForwardingPort::step();
    }
    unsigned routes{}, grids{}, promises{}, after{};
    unsigned late{};  ///< routes and grids after the promise
};

struct Counts {
    unsigned routes, grids, promises, after, late;
};

Counts countsOf(const std::string& body, std::uint32_t ctas, std::uint32_t cluster)
{
    const ptx::Module module =
        ptx::parseModule(Kernel{.params = "", .body = body}.text(), "test.ptx");
    REQUIRE(module.ok());
    LaunchSpec spec;
    spec.file = "test.launch.json";
    spec.block = {1024, 1, 1};
    spec.grid = {ctas, 1, 1};
    spec.cluster = {cluster, 1, 1};
    spec.sms = 4;
    Executor executor(spec, module, RunOptions{});
    GoldenPort golden(executor.sms());
    RoutesPort port(golden);
    CHECK(executor.run(port).verdict == Verdict::Pass);
    return {port.routes, port.grids, port.promises, port.after, port.late};
}

const std::string kMeet = "barrier.cluster.arrive.aligned;\nbarrier.cluster.wait.aligned;\n"
                          "bar.sync 0;\nbar.sync 0;\nbar.sync 0;\nret;";

}  // namespace

TEST_CASE("the port hears that no route follows, after the last one")
{
    const Counts once = countsOf(kMeet, 4, 2);  // all clusters have places
    CHECK((once.routes == 4 && once.promises == 1 && once.late == 0));
    CHECK(once.after > 20);
    const Counts waves = countsOf(kMeet, 40, 2);  // four SMs have places for eight CTAs
    CHECK((waves.routes == 40 && waves.promises == 1 && waves.late == 0));
    CHECK(waves.after > 20);
    const Counts single = countsOf("bar.sync 0;\nret;", 40, 1);  // no route ever
    CHECK((single.routes == 0 && single.promises == 1));
    CHECK(single.after > 100);
}

TEST_CASE("a port of a launch with griddepcontrol gets no such promise")
{
    const Counts grid = countsOf("griddepcontrol.launch_dependents;\nbar.sync 0;\nret;", 4, 2);
    CHECK((grid.grids > 0 && grid.promises == 0));
}
