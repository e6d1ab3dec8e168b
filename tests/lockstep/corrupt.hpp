/// A SyncPort that passes everything through and spoils one report: what the follower must catch.
#pragma once
#include <functional>
#include <vector>

#include "golden/forwarding_port.hpp"

namespace gsu::test {

/// One report of the device, whatever kind.
struct Report {
    enum class Kind : std::uint8_t {
        Commit,
        Response,
        Release,
        Free,
        Delivered,
        Grid,
        Cancel
    } kind{};
    Commit commit{};
    SyncResponse response{};
    Release release{};
    CtaFree free{};
    Delivered delivered{};
    GridEvent grid{};
    CancelQuery cancel{};
};

/// Sees each cycle's reports and may change, drop, repeat or reorder them before they are forwarded.
using Spoil = std::function<void(std::vector<Report>&)>;

class CorruptPort final : public ForwardingPort {
public:
    CorruptPort(SyncPort& device, Spoil spoil) : ForwardingPort(device), spoil_(std::move(spoil)) {}
    void step() override
    {
        inner_.step();
        spoil_(reports_);
        for (const Report& r : reports_) send(r);
        reports_.clear();
    }

private:
    void onGrid(const GridEvent& e) override
    {
        reports_.push_back({Report::Kind::Grid, {}, {}, {}, {}, {}, e});
    }
    void send(const Report& r)
    {
        switch (r.kind) {
            case Report::Kind::Commit: {
                Commit commit = r.commit;
                commit.seq = seq_++;
                sink_->onCommit(commit);
                break;
            }
            case Report::Kind::Response: sink_->onResponse(r.response); break;
            case Report::Kind::Release: sink_->onRelease(r.release); break;
            case Report::Kind::Free: sink_->onCtaFree(r.free); break;
            case Report::Kind::Delivered: sink_->onDelivered(r.delivered); break;
            case Report::Kind::Grid: sink_->onGrid(r.grid); break;
            case Report::Kind::Cancel: sink_->onCancel(r.cancel); break;
        }
    }
    void onResponse(const SyncResponse& r) override
    {
        reports_.push_back({Report::Kind::Response, {}, r, {}, {}, {}, {}});
    }
    void onRelease(const Release& r) override
    {
        reports_.push_back({Report::Kind::Release, {}, {}, r, {}, {}, {}});
    }
    void onCommit(const Commit& c) override
    {
        reports_.push_back({Report::Kind::Commit, c, {}, {}, {}, {}, {}});
    }
    void onDelivered(const Delivered& d) override
    {
        reports_.push_back({Report::Kind::Delivered, {}, {}, {}, {}, d, {}});
    }
    void onCtaFree(const CtaFree& f) override
    {
        reports_.push_back({Report::Kind::Free, {}, {}, {}, f, {}, {}});
    }

    void onCancel(const CancelQuery& q) override
    {
        reports_.push_back({Report::Kind::Cancel, {}, {}, {}, {}, {}, {}, q});
    }

    Spoil spoil_;
    std::vector<Report> reports_;
    std::uint64_t seq_{};
};

}  // namespace gsu::test
