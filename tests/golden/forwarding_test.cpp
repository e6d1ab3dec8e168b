// ForwardingPort: every call reaches the wrapped port, every report the sink, and every answer comes back.
#include "catch.hpp"
#include "golden/forwarding_port.hpp"

using namespace gsu;

namespace {

/// Notes the names of its calls; its answers are none that a default would give.
class NotingPort final : public SyncPort {
public:
    [[nodiscard]] unsigned sms() const override { return note("sms"), 7; }
    [[nodiscard]] Cycle now() const override { return note("now"), 11; }
    void setSink(SyncSink& to) override { sink = &to; }
    [[nodiscard]] bool canPresent(std::uint8_t) const override { return note("canPresent"), true; }
    void present(const SyncRequest&) override { note("present"); }
    [[nodiscard]] bool canNotify(std::uint8_t) const override { return note("canNotify"), true; }
    void notify(const AsyncUpdate&) override { note("notify"); }
    void route(const ClusterRoute&) override { note("route"); }
    void noMoreRoutes() override { note("noMoreRoutes"); }
    bool launch(const Launch&) override { return note("launch"), true; }
    void exit(const Exit&) override { note("exit"); }
    void stored(std::uint8_t, std::uint32_t, std::uint32_t) override { note("stored"); }
    [[nodiscard]] std::uint8_t epoch(const WarpRef&, Reach) const override
    {
        return note("epoch"), 1;
    }
    void announce(const Accesses&) override { note("announce"); }
    void performed(const Accesses&) override { note("performed"); }
    void step() override { note("step"); }
    [[nodiscard]] Cycle quietUntil() const override { return note("quietUntil"), 13; }
    void skipTo(Cycle) override { note("skipTo"); }
    [[nodiscard]] std::optional<Fault> fault() const override
    {
        note("fault");
        return Fault{Fault::Kind::Protocol, 17, "text"};
    }

    SyncSink* sink{};
    mutable std::string calls;

private:
    void note(const char* name) const { (calls += name) += ' '; }
};

class NotingSink final : public SyncSink {
public:
    void onResponse(const SyncResponse&) override { calls += "response "; }
    void onRelease(const Release&) override { calls += "release "; }
    void onCommit(const Commit&) override { calls += "commit "; }
    void onDelivered(const Delivered&) override { calls += "delivered "; }
    void onCtaFree(const CtaFree&) override { calls += "free "; }
    std::string calls;
};

}  // namespace

TEST_CASE("a forwarding port forgets no call, no answer and no report")
{
    NotingPort inner;
    ForwardingPort port(inner);
    REQUIRE(inner.sink != nullptr);
    CHECK(port.sms() == 7);
    CHECK(port.now() == 11);
    CHECK(port.canPresent(0));
    port.present({});
    CHECK(port.canNotify(0));
    port.notify({});
    port.route({});
    port.noMoreRoutes();
    CHECK(port.launch({}));
    port.exit({});
    port.stored(0, 0, 4);
    CHECK(port.epoch({}, Reach::Cta) == 1);
    port.announce({});
    port.performed({});
    port.step();
    CHECK(port.quietUntil() == 13);
    port.skipTo(13);
    REQUIRE(port.fault());
    CHECK(port.fault()->cycle == 17);
    CHECK(inner.calls ==
          "sms now canPresent present canNotify notify route noMoreRoutes launch exit stored epoch "
          "announce performed step quietUntil skipTo fault fault ");
    inner.sink->onCommit({});  // nobody listens yet: it is lost
    NotingSink sink;
    port.setSink(sink);
    inner.sink->onResponse({});
    inner.sink->onRelease({});
    inner.sink->onCommit({});
    inner.sink->onDelivered({});
    inner.sink->onCtaFree({});
    CHECK(sink.calls == "response release commit delivered free ");
}
