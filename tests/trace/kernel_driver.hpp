/// A random but correct kernel on a port: warps in two halves that meet at the same barriers, clusters, relaunches.
#pragma once
#include "support.hpp"

namespace support {

struct KernelShape {
    unsigned sms{1}, ctas{1}, warps{2}, length{20}, launches{2};
    bool cluster{};  ///< the CTAs of one wave form a cluster
};

class KernelDriver final : private gsu::SyncSink {
public:
    KernelDriver(gsu::SyncPort& port, const KernelShape& shape, unsigned seed)
        : port_(port), shape_(shape), random_(seed), open_(shape.sms)
    {
        port_.setSink(*this);
        for (unsigned i = 0; i < shape.length; ++i) program_.push_back(randomOp());
    }

    /// Runs to the end; false when nothing moves any more.
    bool run()
    {
        for (unsigned wave = 0; wave < shape_.launches; ++wave) {
            if (!runWave(wave)) return false;
        }
        return true;
    }
    [[nodiscard]] std::uint64_t answers() const { return answers_; }

private:
    struct Part {
        gsu::WarpRef at;
        gsu::Lanes lanes{};
        unsigned next{};
        gsu::Cycle ready{};
        bool open{}, gone{};
    };

    gsu::SyncRequest randomOp()
    {
        using gsu::Op;
        gsu::SyncRequest r;
        const unsigned what = unsigned(random_() % (shape_.cluster ? 6 : 5));
        r.source = unsigned(random_() % 100);
        r.arg0 = unsigned(random_() % 16);
        if (what == 0)
            r.op = Op::BarSync;
        else if (what == 1)
            r.op = Op::BarRedPopc, r.wantValue = true;
        else if (what == 2)
            r.op = Op::BarSync, r.arg1 = shape_.warps * 32;
        else if (what == 3)
            r.op = Op::BarRedOr, r.wantValue = true;
        else if (what == 4)
            r.op = Op::WarpSync, r.arg0 = ~0u;
        else
            r.op = Op::ClusterArrive, r.arg0 = 0, r.sem = gsu::Sem::Release;
        return r;
    }
    void launch(unsigned wave)
    {
        parts_.clear();
        for (unsigned cta = 0; cta < shape_.ctas; ++cta) {
            gsu::Launch l;
            l.sm = std::uint8_t(cta % shape_.sms), l.cta = std::uint8_t(cta / shape_.sms);
            l.wbase = std::uint8_t(l.cta * shape_.warps);
            l.threads = std::uint16_t(shape_.warps * 32);
            l.base = l.cta * 1024u, l.size = 1024;
            if (shape_.cluster)
                l.cluster = std::uint8_t(wave % 4), l.rank = std::uint8_t(cta),
                l.ctas = std::uint8_t(shape_.ctas);
            if (shape_.cluster && cta == 0) {
                for (unsigned rank = 0; rank < shape_.ctas; ++rank) {
                    port_.route({l.cluster, std::uint8_t(rank), std::uint8_t(rank % shape_.sms),
                                 std::uint8_t(rank / shape_.sms), l.ctas});
                }
            }
            while (!port_.launch(l)) port_.step();
            for (unsigned w = 0; w < shape_.warps; ++w) {
                for (const gsu::Lanes lanes : {0x0000ffffu, 0xffff0000u}) {
                    parts_.push_back({{l.sm, l.cta, std::uint8_t(w)},
                                      lanes,
                                      0,
                                      port_.now() + 1 + random_() % 30,
                                      false,
                                      false});
                }
            }
        }
        free_ = 0;
    }
    bool runWave(unsigned wave)
    {
        launch(wave);
        for (unsigned idle = 0; idle < 100'000; ++idle) {
            for (Part& part : parts_) act(part);
            port_.step();
            if (free_ == shape_.ctas) return true;
        }
        return false;
    }
    void act(Part& part)
    {
        if (part.open || part.gone || port_.now() < part.ready) return;
        if (part.next == program_.size()) {
            port_.exit({part.at, part.lanes, false});
            part.gone = true;
            return;
        }
        if (!port_.canPresent(part.at.sm)) return;
        gsu::SyncRequest r = program_[part.next];
        if (r.op == gsu::Op::ClusterArrive && arrived(part)) {
            r.op = gsu::Op::ClusterWait;
            r.sem = gsu::Sem::Acquire;
        }
        r.at = part.at;
        r.lanes = part.lanes;
        r.tag = tag_ = std::uint16_t((tag_ + 1) % 4096);
        r.pred = gsu::Lanes(random_());
        port_.present(r);
        open_.present(r, port_.now());
        part.open = true;
    }
    /// A cluster arrive is followed by its wait before the program continues.
    bool arrived(const Part& part) { return waits_[index(part)]; }
    std::size_t index(const Part& part) const
    {
        return static_cast<std::size_t>(&part - parts_.data());
    }
    void answered(gsu::WarpRef at, const gsu::OpenPart& open, gsu::Lanes lanes, gsu::Cycle cycle)
    {
        ++answers_;
        for (Part& part : parts_) {
            if (!(part.at == at) || (part.lanes & lanes) == 0) continue;
            part.open = false;
            part.ready = cycle + 1 + random_() % 12;
            waits_[index(part)] = open.op == gsu::Op::ClusterArrive;
            if (open.op != gsu::Op::ClusterArrive) ++part.next;
        }
    }
    void onResponse(const gsu::SyncResponse& r) override
    {
        open_.response(r, [&](gsu::WarpRef at, const gsu::OpenPart& p, gsu::Lanes l, bool) {
            answered(at, p, l, r.cycle);
        });
    }
    void onRelease(const gsu::Release& r) override
    {
        open_.release(r, [&](gsu::WarpRef at, const gsu::OpenPart& p, gsu::Lanes l, bool) {
            answered(at, p, l, r.cycle);
        });
    }
    void onCommit(const gsu::Commit&) override {}
    void onDelivered(const gsu::Delivered&) override {}
    void onCtaFree(const gsu::CtaFree&) override { ++free_; }

    gsu::SyncPort& port_;
    KernelShape shape_;
    std::mt19937 random_;
    gsu::OpenTable open_;
    std::vector<gsu::SyncRequest> program_;
    std::vector<Part> parts_;
    std::unordered_map<std::size_t, bool> waits_;
    unsigned free_{};
    std::uint16_t tag_{};
    std::uint64_t answers_{};
};

/// Records a random kernel on a fresh golden port; the path of the trace.
inline std::string recordKernel(const Folder& folder, const KernelShape& shape, unsigned seed,
                                std::uint64_t* answers = nullptr)
{
    const std::string path = folder / ("kernel" + std::to_string(seed) + ".gsut");
    gsu::trace::Writer writer(path, header(shape.sms));
    gsu::trace::Recorder recorder(writer, shape.sms);
    gsu::GoldenPort golden(shape.sms);
    gsu::TapPort tap(golden);
    tap.add(recorder);
    KernelDriver driver(tap, shape, seed);
    REQUIRE(driver.run());
    if (answers != nullptr) *answers = driver.answers();
    tap.finish();
    writer.close();
    return path;
}

}  // namespace support
