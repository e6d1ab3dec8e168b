// Paths in graphs of a few events, each with what it needs.
#include "catch.hpp"
#include "causality/graph.hpp"

using namespace gsu::causality;

namespace {

bool leads(Graph& graph, Node from, Node to, Need need)
{
    graph.search(from, need, {to});
    return graph.reached(to);
}

}  // namespace

TEST_CASE("an event is before those to which edges lead, and before no other", "[causality]")
{
    Graph graph;
    const Node a = graph.add(), b = graph.add(), c = graph.add(), beside = graph.add();
    graph.edge(a, b);
    graph.edge(b, c);
    graph.edge(a, beside);
    graph.edge(c, kNone);
    CHECK(leads(graph, a, c, Need::Order));
    CHECK(leads(graph, a, a, Need::Order));
    CHECK_FALSE(leads(graph, c, a, Need::Order));
    CHECK_FALSE(leads(graph, beside, c, Need::Order));
    CHECK_FALSE(leads(graph, kNone, c, Need::Order));
    graph.search(a, Need::Order, {c, beside, kNone});
    CHECK(graph.reached(c));
    CHECK(graph.reached(beside));
    CHECK_FALSE(graph.reached(kNone));
}

TEST_CASE("another proxy needs a fence of its memory on the path", "[causality]")
{
    Graph graph;
    const Node write = graph.add(), plain = graph.add(), shared = graph.add(kShowsShared);
    const Node global = graph.add(kShowsGlobal), copy = graph.add(), other = graph.add();
    graph.edge(write, plain);
    graph.edge(plain, copy);
    CHECK(leads(graph, write, copy, Need::Order));
    CHECK_FALSE(leads(graph, write, copy, Need::ProxyShared));
    // The path with the fence is longer, and is found behind the one without.
    graph.edge(write, shared);
    graph.edge(shared, other);
    graph.edge(other, copy);
    CHECK(leads(graph, write, copy, Need::ProxyShared));
    CHECK_FALSE(leads(graph, write, copy, Need::ProxyGlobal));
    graph.edge(plain, global);
    graph.edge(global, copy);
    CHECK(leads(graph, write, copy, Need::ProxyGlobal));
}

TEST_CASE(
    "an arrival that releases nothing passes published inits, and what was seen orders nothing",
    "[causality]")
{
    Graph graph;
    const Node init = graph.add(), fence = graph.add(kShowsInits);
    const Node unfenced = graph.add(), waits = graph.add(), sees = graph.add();
    graph.edge(init, fence);
    graph.edge(fence, waits, Edge::Relaxed);
    CHECK(leads(graph, init, waits, Need::Init));
    CHECK_FALSE(leads(graph, init, waits, Need::Order));
    graph.edge(unfenced, waits, Edge::Relaxed);
    CHECK_FALSE(leads(graph, unfenced, waits, Need::Init));
    graph.edge(waits, sees, Edge::Seen);
    CHECK_FALSE(leads(graph, init, sees, Need::Init));
    CHECK_FALSE(leads(graph, waits, sees, Need::Order));
    CHECK(leads(graph, init, sees, Need::Any));
}
