/// A sink that keeps everything as text, one line per event with its cycle, so that runs compare as a whole.
#pragma once
#include <string>
#include <vector>

#include "golden/port.hpp"

namespace gsu::test {

struct EventLog final : SyncSink {
    std::vector<std::string> lines;
    std::vector<Release> releases;
    std::vector<SyncResponse> responses;
    unsigned freed{};

    static std::string number(std::uint64_t value) { return " " + std::to_string(value); }
    void onResponse(const SyncResponse& r) override
    {
        responses.push_back(r);
        lines.push_back(number(r.cycle) + " rsp" + number(r.at.sm) + number(r.at.cta) +
                        number(r.at.warp) + number(r.lanes) + number(r.tag) + number(r.pred) +
                        number(r.value) + number(r.last) + " " + nameOf(r.cause));
    }
    void onRelease(const Release& r) override
    {
        releases.push_back(r);
        lines.push_back(number(r.cycle) + " rel" + number(r.sm) + number(r.cta) + number(r.warps) +
                        number(r.cluster) + number(r.id) + number(r.popc) + number(r.all) +
                        number(r.any));
    }
    void onCommit(const Commit& c) override
    {
        lines.push_back(number(c.cycle) + " " + nameOf(c.unit) + " " + nameOf(c.op) +
                        number(c.at.sm) + number(c.at.cta) + number(c.at.warp) + number(c.lanes) +
                        number(c.tag) + number(c.object) + number(c.oldWord) + number(c.newWord) +
                        number(c.flip) + number(c.refused) + number(c.errs));
    }
    void onDelivered(const Delivered& d) override
    {
        lines.push_back(number(d.cycle) + " dlv" + number(d.sm) + number(d.tag));
    }
    void onCtaFree(const CtaFree& f) override
    {
        ++freed;
        lines.push_back(number(f.cycle) + " free" + number(f.sm) + number(f.cta));
    }
};

}  // namespace gsu::test
