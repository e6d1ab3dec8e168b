#include "capi/network.hpp"

namespace gsu::capi {

Network::Network(unsigned base, UnitOptions parts, const Config& config, SyncSink& sink,
                 SharedMemory& memory)
    : base_(base), sink_(sink), memory_(memory)
{
    if (parts.onNote) {
        parts.onNote = [this, tell = std::move(parts.onNote)](const MbarNote& note) {
            MbarNote out = note;
            out.sm = outside(note.sm);
            tell(out);
        };
    }
    SharedMemory& own = *this;  // a private base: make_unique cannot convert to it
    unit_ = std::make_unique<SyncUnit>(parts, config, own);
    unit_->port().setSink(*this);
}

void Network::onResponse(const SyncResponse& response)
{
    if (base_ == 0) return sink_.onResponse(response);
    SyncResponse out = response;
    out.at.sm = outside(response.at.sm);
    sink_.onResponse(out);
}

void Network::onRelease(const Release& release)
{
    if (base_ == 0) return sink_.onRelease(release);
    Release out = release;
    out.sm = outside(release.sm);
    sink_.onRelease(out);
}

void Network::onCommit(const Commit& commit)
{
    if (base_ == 0) return sink_.onCommit(commit);
    Commit out = commit;
    out.at.sm = outside(commit.at.sm);
    out.srcSm = outside(commit.srcSm);
    sink_.onCommit(out);
}

void Network::onDelivered(const Delivered& delivered)
{
    Delivered out = delivered;
    out.sm = outside(delivered.sm);
    sink_.onDelivered(out);
}

void Network::onCancel(const CancelQuery& query)
{
    CancelQuery out = query;
    out.sm = outside(query.sm);
    sink_.onCancel(out);
}

void Network::onCtaFree(const CtaFree& free)
{
    sink_.onCtaFree({outside(free.sm), free.cta, free.cycle});
}

}  // namespace gsu::capi
