// Parts of the stand-in that need no program: memory, streams, captures, graphs, names of kernels, settings.
#include <algorithm>
#include <condition_variable>
#include <thread>

#include "base/input_error.hpp"
#include "catch.hpp"
#include "cuda/api/api.hpp"
#include "cuda/device/heap.hpp"
#include "cuda/report/reporter.hpp"
#include "cuda/streams/graphs.hpp"
#include "run/exec_settings.hpp"

using namespace gsu;
using namespace gsu::cuda;

TEST_CASE("allocations are found by any of their bytes, and not by the next one")
{
    Heap heap(1 << 20);
    const Allocation* a = heap.allocate(Allocation::Kind::Device, 400, "a");
    const Allocation* b = heap.allocate(Allocation::Kind::Device, 400, "b");
    REQUIRE(a != nullptr);
    REQUIRE(b != nullptr);
    const std::uint64_t at = a->address;
    CHECK(at % 256 == 0);
    CHECK(heap.find(at + 399) == a);
    CHECK(heap.find(at + 400) == nullptr);
    CHECK(heap.global().find(at + 396, 4) != nullptr);
    CHECK(heap.global().find(at + 397, 4) == nullptr);
    CHECK(heap.describe(at + 400) == "byte 400 of a, which has 400 bytes");
    CHECK(heap.used() == 800);
    CHECK(heap.allocate(Allocation::Kind::Device, 1 << 20, "too much") == nullptr);
    REQUIRE(heap.release(at));
    CHECK_FALSE(heap.release(at));
    CHECK(heap.used() == 400);
    CHECK(heap.find(at) == nullptr);
    CHECK(heap.freed(at) != nullptr);
    CHECK(heap.describe(at + 4) == "byte 4 of a, which has 400 bytes and is freed");
    CHECK(heap.global().find(at, 4) == nullptr);
    const Allocation* c = heap.allocate(Allocation::Kind::Device, 400, "c");
    CHECK(c->address >
          b->address);  // not where something was freed, as long as there are other addresses
}

TEST_CASE("who waits gives up all of the lock, however often he holds it")
{
    CallLock lock;
    const auto free = [&] {
        bool got = false;
        std::thread([&] {
            got = lock.try_lock();
            if (got) lock.unlock();
        }).join();
        return got;
    };
    for (int i = 0; i < 3; ++i) lock.lock();
    CHECK_FALSE(free());
    {
        const CallLock::Away away(lock);
        CHECK(free());
    }
    CHECK_FALSE(free());
    try {
        const CallLock::Away away(lock);
        throw 1;
    } catch (int) {
    }
    CHECK_FALSE(free());
    std::condition_variable_any ended;
    bool done = false;
    std::thread other([&] {
        const std::lock_guard held(lock);
        done = true;
        ended.notify_all();
    });
    CallLock::Whole whole(lock);
    ended.wait(whole, [&] { return done; });
    CHECK_FALSE(free());
    for (int i = 0; i < 3; ++i) lock.unlock();
    other.join();
    CHECK(free());
}

TEST_CASE("a call inside another leaves that one's default stream as it was")
{
    const int outer = 0, inner = 0;
    CHECK_FALSE(callOrigin.defaultIsPerThread);
    {
        const PerThreadDefault first(&outer);
        {
            const PerThreadDefault second(&inner);
            CHECK(PerThreadDefault::siteOr(nullptr) == &inner);
        }
        CHECK(callOrigin.defaultIsPerThread);
        CHECK(PerThreadDefault::siteOr(nullptr) == &outer);
    }
    CHECK_FALSE(callOrigin.defaultIsPerThread);
    CHECK(PerThreadDefault::siteOr(&inner) == &inner);
}

TEST_CASE("managed memory has one address for kernels and for the host")
{
    Heap heap(1 << 20);
    const Allocation* m = heap.allocate(Allocation::Kind::Managed, 5000, "m");
    REQUIRE(m != nullptr);
    auto* host = reinterpret_cast<volatile std::uint8_t*>(m->address);
    host[4999] = 7;
    CHECK(heap.global().find(m->address + 4999, 1)[0] == 7);
    std::uint8_t mine[64] = {};
    const Allocation* r = heap.adopt(mine, sizeof mine, "r");
    REQUIRE(r != nullptr);
    CHECK(heap.adopt(mine + 8, 8, "again") == nullptr);
    CHECK(heap.global().find(r->address + 8, 8) == mine + 8);
    const std::uint64_t start = r->address;
    REQUIRE(heap.release(start));
    CHECK(heap.adopt(mine, sizeof mine, "after") != nullptr);
    // Memory of the host comes back in other pieces: two that were unregistered lie in one that is registered.
    REQUIRE(heap.release(start));
    for (unsigned at : {8u, 40u}) {
        const Allocation* part = heap.adopt(mine + at, 16, "part");
        REQUIRE(part != nullptr);
        REQUIRE(heap.release(start + at));
    }
    REQUIRE(heap.adopt(mine, sizeof mine, "whole") != nullptr);
    CHECK(heap.global().find(start + 60, 4) == mine + 60);
    CHECK(heap.adopt(mine + 8, 8, "inside") == nullptr);
}

namespace {

Work noting(std::vector<int>& log, int what)
{
    return {Work::Kind::Kernel, [&log, what] {
                log.push_back(what);
                return Status::Success;
            }};
}

}  // namespace

TEST_CASE("a captured stream keeps its work, across streams that join by events")
{
    Streams streams;
    std::vector<int> log;
    Stream *a = streams.make(0, 0), *b = streams.make(0, 0);
    Event* event = streams.makeEvent(0);
    CHECK(streams.beginCapture(*streams.of(nullptr)) == Status::CaptureUnsupported);
    REQUIRE(streams.beginCapture(*a) == Status::Success);
    REQUIRE(streams.submit(*a, noting(log, 1)) == Status::Success);
    REQUIRE(streams.record(*event, *a) == Status::Success);
    REQUIRE(streams.wait(*b, *event) == Status::Success);
    REQUIRE(streams.submit(*b, noting(log, 2)) == Status::Success);
    REQUIRE(streams.submit(*a, noting(log, 3)) == Status::Success);
    std::shared_ptr<Graph> graph;
    SECTION("joined")
    {
        REQUIRE(streams.record(*event, *b) == Status::Success);
        REQUIRE(streams.wait(*a, *event) == Status::Success);
        REQUIRE(streams.submit(*a, noting(log, 4)) == Status::Success);
        REQUIRE(streams.endCapture(*a, graph) == Status::Success);
        CHECK(log.empty());
        CHECK(graph->nodes[3]->before.size() == 2);
        Graphs graphs;
        ReadyGraph* ready = graphs.instantiate(*graph);
        REQUIRE(ready != nullptr);
        CHECK(cuda::run(ready->order) == Status::Success);
        CHECK(log == std::vector<int>{1, 2, 3, 4});
        REQUIRE(streams.submit(*a, noting(log, 5)) == Status::Success);
        CHECK(log.back() == 5);
    }
    SECTION("not joined")
    {
        CHECK(streams.endCapture(*a, graph) == Status::CaptureUnjoined);
        CHECK(graph == nullptr);
    }
    SECTION("ended elsewhere") { CHECK(streams.endCapture(*b, graph) == Status::CaptureUnmatched); }
    SECTION("spoilt")
    {
        streams.spoil(*b);
        CHECK(streams.submit(*a, noting(log, 9)) == Status::CaptureInvalidated);
        CHECK(streams.endCapture(*a, graph) == Status::CaptureInvalidated);
        CHECK_FALSE(streams.capturing());
    }
}

TEST_CASE("a captured launch of a graph keeps the instance")
{
    Streams streams;
    Graphs graphs;
    std::vector<int> log;
    Graph* graph = graphs.make();
    static_cast<void>(graph->add(noting(log, 1), {}));
    ReadyGraph* ready = graphs.instantiate(*graph);
    Stream* s = streams.make(0, 0);
    REQUIRE(streams.beginCapture(*s) == Status::Success);
    REQUIRE(streams.submit(*s, graphs.readyOf(ready)) == Status::Success);
    std::shared_ptr<Graph> captured;
    REQUIRE(streams.endCapture(*s, captured) == Status::Success);
    REQUIRE(graphs.destroyReady(ready));
    REQUIRE(graphs.destroy(graph));
    CHECK(graphs.readyOf(ready) == nullptr);
    CHECK(cuda::run(*orderOf(*captured)) == Status::Success);
    CHECK(log == std::vector<int>{1});
}

TEST_CASE("a graph whose nodes wait in a circle is not instantiated; updates need the same shape")
{
    Graphs graphs;
    std::vector<int> log;
    Graph* graph = graphs.make();
    Node* first = graph->add(noting(log, 1), {});
    Node* second = graph->add(noting(log, 2), {first});
    ReadyGraph* ready = graphs.instantiate(*graph);
    REQUIRE(ready != nullptr);
    second->work = noting(log, 7);
    CHECK(graphs.update(*ready, *graph));
    CHECK(cuda::run(ready->order) == Status::Success);
    CHECK(log == std::vector<int>{1, 7});
    first->before.push_back(second);
    CHECK_FALSE(graphs.update(*ready, *graph));
    CHECK(graphs.instantiate(*graph) == nullptr);
}

TEST_CASE("error codes have the names of both sides")
{
    CHECK(std::string(find(700)->runtime) == "cudaErrorIllegalAddress");
    CHECK(std::string(find(700)->driver) == "CUDA_ERROR_ILLEGAL_ADDRESS");
    CHECK(std::string(find(716)->text) == "misaligned address");
    CHECK(find(77777) == nullptr);
    CHECK(sticky(Status::LaunchTimeout));
    CHECK_FALSE(sticky(Status::OutOfMemory));
}

TEST_CASE("kernels are named as people name them")
{
    CHECK(plainName(demangled("_Z2tkIiEvPT_")) == "tk");
    CHECK(plainName(demangled("_ZN5space4addsEPfi")) == "space::adds");
    CHECK(plainName(demangled("plain")) == "plain");
    // No library demangles CUTLASS's names: the name is the part before the arguments.
    CHECK(plainName(demangled("_ZN7cutlass13device_kernelINS_4gemm6kernelXX")) ==
          "cutlass::device_kernel");
    CHECK(plainName(demangled("_Z2tkXX")) == "tk");
    CHECK(plainName(demangled("_ZN99short")) == "_ZN99short");
}

TEST_CASE("settings come back from their text; the chosen launch is understood")
{
    run::ExecSettings s;
    s.kernel = "ns::k:3";
    s.common.seed = 9;
    s.common.maxCycles = 77;
    s.common.assignments = {"bar_interval=4"};
    const run::ExecSettings t = run::ExecSettings::of(s.text());
    CHECK(t.common.seed == 9);
    CHECK(t.common.maxCycles == 77);
    CHECK(t.common.assignments == s.common.assignments);
    CHECK(t.choice()->name == "ns::k");
    CHECK(t.choice()->n == 3);
    s.kernel = "ns::k";
    CHECK(s.choice()->name == "ns::k");
    CHECK_FALSE(s.choice()->n.has_value());
    s.kernel = "k:x";
    CHECK_THROWS_AS(s.choice(), InputError);
    CHECK_THROWS_AS(run::ExecSettings::of("{"), InputError);
}

TEST_CASE("a piece of work that fails says so to who waits, once")
{
    Streams streams(5);
    Stream* s = streams.make(0, 0);
    std::vector<int> log;
    for (int i = 0; i < 50; ++i) {
        REQUIRE(streams.submit(*s, {Work::Kind::Host, [&log, i] {
                                        log.push_back(i);
                                        return i == 20 ? Status::InvalidValue : Status::Success;
                                    }}) == Status::Success);
    }
    CHECK(streams.finish(*s) == Status::InvalidValue);
    CHECK(streams.finish() == Status::Success);
    REQUIRE(log.size() == 50);
    CHECK(std::is_sorted(log.begin(), log.end()));
}

TEST_CASE("what nobody has written is known byte by byte, and copies take it over")
{
    Heap heap(1 << 20, true);
    const std::uint64_t a = heap.allocate(Allocation::Kind::Device, 100, "a")->address,
                        b = heap.allocate(Allocation::Kind::Device, 100, "b")->address,
                        m = heap.allocate(Allocation::Kind::Managed, 100, "m")->address;
    const exec::WrittenBytes& written = *heap.global().watched();
    CHECK(written.unwritten(a, 4) == a);
    heap.wrote(a + 10, 20);
    CHECK_FALSE(written.unwritten(a + 10, 20).has_value());
    CHECK(written.unwritten(a + 10, 21) == a + 30);
    CHECK(written.unwritten(a + 9, 4) == a + 9);
    heap.copied(b, a + 20, 20);
    CHECK_FALSE(written.unwritten(b, 10).has_value());
    CHECK(written.unwritten(b, 11) == b + 10);
    heap.copied(b, 0x1000, 100);  // from the host
    CHECK_FALSE(written.unwritten(b, 100).has_value());
    heap.wrote(a + 90, 1000);  // not beyond its end
    CHECK_FALSE(written.unwritten(a + 90, 10).has_value());
    CHECK_FALSE(written.unwritten(m, 100).has_value());  // the host may have
    REQUIRE(heap.release(a));
    CHECK_FALSE(written.unwritten(a, 4).has_value());
    CHECK(Heap(1 << 20).global().watched() == nullptr);
}

TEST_CASE("a launch that takes long is told after 10 s, and then each time it has doubled")
{
    using std::chrono::milliseconds;
    const Patience::Clock::time_point start{};
    Patience patience(start);
    CHECK_FALSE(patience.due(start));
    CHECK_FALSE(patience.due(start + milliseconds(9'999)));
    CHECK(patience.due(start + milliseconds(10'400)) == 10);
    CHECK_FALSE(patience.due(start + milliseconds(19'999)));
    CHECK(patience.due(start + milliseconds(20'000)) == 20);
    CHECK(patience.due(start + milliseconds(170'000)) == 170);  // it was not asked at 40 and 80
    CHECK_FALSE(patience.due(start + milliseconds(319'999)));
    CHECK(patience.due(start + milliseconds(320'000)) == 320);
}
