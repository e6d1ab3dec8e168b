/// The parts of the executor put together by hand, without a kernel: a program of one empty function, and a port that only remembers.
#pragma once
#include <memory>
#include <vector>

#include "exec/async/async_engines.hpp"
#include "exec/client/sync_client.hpp"
#include "exec/ctas/launcher.hpp"
#include "exec/lanes/reconvergence.hpp"
#include "exec/memory/memory.hpp"
#include "exec/visibility/form.hpp"

namespace gsu::test {

/// Takes everything, at most one request per SM and cycle, and reports nothing by itself.
class SilentPort final : public SyncPort {
public:
    explicit SilentPort(unsigned sms) : sms_(sms), presented_(sms) {}
    unsigned sms() const override { return sms_; }
    Cycle now() const override { return cycle; }
    void setSink(SyncSink&) override {}
    bool canPresent(std::uint8_t sm) const override { return !presented_[sm]; }
    void present(const SyncRequest& r) override
    {
        requests.push_back(r);
        presented_[r.at.sm] = true;
    }
    bool canNotify(std::uint8_t) const override { return true; }
    void notify(const AsyncUpdate& u) override { updates.push_back(u); }
    void route(const ClusterRoute& r) override { routes.push_back(r); }
    bool launch(const Launch& l) override
    {
        if (!launchesTaken) return false;
        launches.push_back(l);
        return true;
    }
    void exit(const Exit&) override {}
    void stored(std::uint8_t, std::uint32_t addr, std::uint32_t bytes) override
    {
        stores.emplace_back(addr, bytes);
    }
    void step() override
    {
        ++cycle;
        presented_.assign(sms_, false);
    }
    Cycle quietUntil() const override { return kNever; }
    void skipTo(Cycle to) override { cycle = to; }
    std::optional<Fault> fault() const override { return std::nullopt; }

    Cycle cycle{};
    bool launchesTaken{true};
    std::vector<SyncRequest> requests;
    std::vector<AsyncUpdate> updates;
    std::vector<ClusterRoute> routes;
    std::vector<Launch> launches;
    std::vector<std::pair<std::uint32_t, std::uint32_t>> stores;

private:
    unsigned sms_;
    std::vector<bool> presented_;
};

/// Records the client's reports.
struct AnsweredList final : exec::SyncClient::Listener {
    void onAnswered(exec::Warp&, const SyncRequest& r) override { tags.push_back(r.tag); }
    void onPacketRefused(std::uint32_t name, Lanes) override { refused.push_back(name); }
    bool packetOpen(std::uint32_t name) const override { return name == packet; }
    void onSuspended(exec::Warp&) override { ++suspended; }
    std::vector<std::uint16_t> tags;
    std::vector<std::uint32_t> refused;
    std::uint32_t packet{0xffff};
    unsigned suspended{};
};

/// `ctas` CTAs with these numbers of threads and of bytes of shared memory, in clusters of `clusterCtas`, on `sms` SMs.
inline exec::Shape shapeOf(std::uint32_t threads, std::uint32_t smem, std::uint32_t ctas = 1,
                           std::uint32_t clusterCtas = 1, unsigned sms = 1)
{
    exec::Shape s;
    s.grid = {ctas, 1, 1};
    s.block = {threads, 1, 1};
    s.cluster = {clusterCtas, 1, 1};
    s.threads = threads;
    s.warps = (threads + 31) / 32;
    s.clusterCtas = clusterCtas;
    s.ctas = ctas;
    s.sms = sms;
    s.smem = s.totalSmem = smem;
    return s;
}
struct Parts {
    explicit Parts(exec::Shape s = shapeOf(64, 0),
                   visibility::Form form = visibility::Form::Default)
        : options(optionsWith(form)), shape(s)
    {
        state.port.attach(port, sink);
    }
    static RunOptions optionsWith(visibility::Form form)
    {
        RunOptions o;
        o.params.memory = static_cast<std::uint32_t>(form);
        return o;
    }
    static exec::Program emptyProgram()
    {
        exec::Program p;
        exec::Code& code = p.codes.emplace_back();
        code.rows = 4;
        code.preds = 2;
        code.frameBytes = 64;
        code.ops.resize(1);
        code.reconverge = {ptx::kNone};
        p.syncs.resize(1);
        return p;
    }
    /// Places and starts the next CTAs of the grid.
    void launch()
    {
        launcher.place();
        launcher.offer();
    }
    exec::Warp& warp(unsigned index, unsigned slot = 0, unsigned sm = 0)
    {
        return residents.at(sm, slot)->warps[index];
    }
    /// Time passes; events that are due happen.
    void to(Cycle cycle)
    {
        port.skipTo(cycle);
        state.progress.setNow(state.port.startTurn());
        state.events.deliver(cycle);
    }

    struct Ignored final : SyncSink {
        void onResponse(const SyncResponse&) override {}
        void onRelease(const Release&) override {}
        void onCommit(const Commit&) override {}
        void onDelivered(const Delivered&) override {}
        void onCtaFree(const CtaFree&) override {}
    } sink;
    RunOptions options;
    ptx::Module module;
    LaunchSpec spec;
    exec::Shape shape;
    exec::Program program{emptyProgram()};
    SilentPort port{shape.sms};
    AnsweredList answers;
    exec::DeviceMemory device{spec, module, 1u << 20};
    std::vector<std::uint8_t> params{std::vector<std::uint8_t>(16)};
    exec::RunState state{options, module, program, shape, nullptr};
    exec::Residents residents{shape.sms};
    exec::SharedBytes shared{shape.sms};
    exec::Memory memory{state, device, shared, params};
    exec::Schedulers schedulers{state};
    exec::SyncClient client{state, residents, answers};
    exec::LoopWatcher loops{state};
    exec::Reconvergence lanes{state, client, schedulers, loops};
    exec::Launcher launcher{state, residents, shared, schedulers};
    exec::AsyncEngines async{state, memory, client, residents, launcher, lanes};
};

}  // namespace gsu::test
