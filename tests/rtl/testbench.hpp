/// One Verilated SM with an RtlPort, and records of all its reports, for directed tests. Cycles are RTL clocks.
#pragma once
#include <vector>

#include "catch.hpp"
#include "verilated/rtl_port.hpp"

namespace testbench {

using namespace gsu;
inline constexpr Lanes kAll = ~Lanes{0};

struct Recorder final : SyncSink {
    std::vector<SyncResponse> responses;
    std::vector<Release> releases;
    std::vector<Commit> commits;
    std::vector<Delivered> delivered;
    std::vector<CtaFree> frees;
    void onResponse(const SyncResponse& response) override { responses.push_back(response); }
    void onRelease(const Release& release) override { releases.push_back(release); }
    void onCommit(const Commit& commit) override { commits.push_back(commit); }
    void onDelivered(const Delivered& data) override { delivered.push_back(data); }
    void onCtaFree(const CtaFree& free) override { frees.push_back(free); }

    /// Commits of one unit, in order.
    [[nodiscard]] std::vector<Commit> of(Unit unit) const
    {
        std::vector<Commit> found;
        for (const Commit& commit : commits) {
            if (commit.unit == unit) {
                found.push_back(commit);
            }
        }
        return found;
    }
    void clear() { *this = Recorder{}; }
};

class Testbench {
public:
    explicit Testbench(Config config = configOf(Preset::Hopper)) : port(1, config, true)
    {
        port.setSink(seen);
    }

    /// Starts a CTA in slot 0; a cluster of its own.
    void launch(std::uint16_t threads, std::uint8_t cta = 0, std::uint8_t wbase = 0)
    {
        Launch start;
        start.cta = cta;
        start.wbase = wbase;
        start.threads = threads;
        start.size = 1024;
        while (!port.launch(start)) {
            run(1);
        }
        run(1);
    }
    /// Presents as soon as the port takes it; the tag counts up. Does not wait for the answer.
    std::uint16_t present(Op op, unsigned warp, Lanes lanes, std::uint32_t arg0 = 0,
                          std::uint32_t arg1 = 0, bool aligned = false, Lanes pred = 0)
    {
        SyncRequest request;
        request.op = op;
        request.at = {0, 0, std::uint8_t(warp)};
        request.lanes = lanes;
        request.arg0 = arg0;
        request.arg1 = arg1;
        request.aligned = aligned;
        request.pred = pred;
        request.tag = nextTag_++ % 4096;
        return present(request);
    }
    std::uint16_t present(const SyncRequest& request)
    {
        for (unsigned clocks = 0; !port.canPresent(0); ++clocks) {
            REQUIRE(clocks < 10'000);
            run(1);
        }
        port.present(request);
        run(1);
        return request.tag;
    }
    void exit(unsigned warp, Lanes lanes, unsigned cta = 0)
    {
        port.exit({{0, std::uint8_t(cta), std::uint8_t(warp)}, lanes, false});
    }
    void run(unsigned cycles = 200)
    {
        for (unsigned i = 0; i < cycles; ++i) {
            port.step();
        }
        const auto fault = port.fault();
        INFO((fault ? fault->message : std::string{}));
        REQUIRE_FALSE(fault.has_value());
    }

    RtlPort port;
    Recorder seen;

private:
    unsigned nextTag_{1};
};

}  // namespace testbench
