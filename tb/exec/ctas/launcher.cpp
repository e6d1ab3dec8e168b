#include "exec/ctas/launcher.hpp"

#include <algorithm>
#include <cassert>

namespace gsu::exec {

Launcher::Launcher(RunState& state, Residents& residents, SharedBytes& shared,
                   Schedulers& schedulers)
    : s_(state),
      residents_(residents),
      shared_(shared),
      schedulers_(schedulers),
      placed_(state.shape.sms),
      left_(state.part == nullptr ? state.shape.ctas : 0)
{
    if (state.part == nullptr) own_.emplace(state.shape, state.resources, state.ep.of);
}

/// A CTA in the memory of one that has ended, if there is one: to allocate warps takes longer than a short CTA runs.
std::unique_ptr<Cta> Launcher::newCta()
{
    if (ended_.empty()) return std::make_unique<Cta>();
    std::unique_ptr<Cta> cta = std::move(ended_.back());
    ended_.pop_back();
    cta->renew();
    return cta;
}

void Launcher::makeCta(Cluster& cluster, unsigned rank, const PlacedCluster::Place& place)
{
    const Shape& shape = s_.shape;
    auto cta = newCta();
    cta->cluster = &cluster;
    cta->serial = place.serial;
    cta->launch = place.launch;
    const auto& c = shape.cluster;
    const std::array<std::uint32_t, 3> in{rank % c[0], rank / c[0] % c[1], rank / (c[0] * c[1])};
    for (unsigned d = 0; d < 3; ++d) cta->id[d] = cluster.id[d] * c[d] + in[d];
    cta->linear = (cta->id[2] * shape.grid[1] + cta->id[1]) * shape.grid[0] + cta->id[0];
    cta->liveWarps = shape.warps;
    // Shared memory starts undefined; zeros keep runs repeatable. Peers may write it before the CTA's first instruction.
    if (shape.smem != 0) std::memset(shared_.at(place.launch.sm, place.launch.base), 0, shape.smem);
    cluster.ranks[rank] = cta.get();
    residents_.put(std::move(cta));
}

void Launcher::accept(const PlacedCluster& placed)
{
    const auto slot = static_cast<std::size_t>(
        std::find(clusters_.begin(), clusters_.end(), nullptr) - clusters_.begin());
    auto cluster = std::make_unique<Cluster>();
    cluster->slot = placed.slot;
    cluster->index = static_cast<std::uint32_t>(slot);
    cluster->ctas = static_cast<std::uint8_t>(s_.shape.clusterCtas);
    cluster->left = s_.shape.clusterCtas;
    cluster->era = placed.era;
    cluster->id = placed.id;
    for (unsigned rank = 0; rank < placed.ctas.size(); ++rank)
        makeCta(*cluster, rank, placed.ctas[rank]);
    for (const auto& [l, serial] : placed.ctas) {
        if (cluster->ctas > 1) s_.port.route({l.cluster, l.rank, l.sm, l.cta, l.ctas});
    }
    for (const auto& [l, serial] : placed.ctas) {
        tellPlace(*residents_.at(l.sm, l.cta));
        placed_[l.sm].push_back(l);
        launching_.add(l.sm);
    }
    if (slot == clusters_.size()) clusters_.emplace_back();
    clusters_[slot] = std::move(cluster);
    if (!own_) left_ += placed.ctas.size();
}

void Launcher::tellPlace(const Cta& cta) const
{
    CtaPlace place;
    place.linear = cta.linear;
    for (unsigned d = 0; d < 3; ++d) place.id[d] = cta.id[d];
    place.launch = cta.launch;
    for (ExecObserver* o : s_.observers) o->onPlaced(place);
}

/// Takes out this many clusters of the grid, which are not executed here.
void Launcher::without(std::uint64_t clusters)
{
    assert(left_ >= clusters * s_.shape.clusterCtas);
    left_ -= clusters * s_.shape.clusterCtas;
    for (; clusters != 0; --clusters) s_.grids.fewer(s_.shape.clusterCtas);
}

void Launcher::place()
{
    if (!own_ || own_->left() == 0) return;
    while (const std::optional<PlacedCluster> placed = own_->next(s_.grids.slot())) {
        without(own_->takePassed());
        accept(*placed);
    }
    without(own_->takePassed());
}

std::uint64_t Launcher::takeCluster()
{
    const std::uint64_t cluster = own_->take();
    if (cluster != ~std::uint64_t{0}) without(1);
    return cluster;
}

void Launcher::offer()
{
    launching_.each([&](unsigned sm) {
        std::vector<Launch>& placed = placed_[sm];
        while (!placed.empty()) {
            const Launch l = placed.front();
            if (!s_.port.launch(l)) break;
            placed.erase(placed.begin());
            start(*residents_.at(l.sm, l.cta));
        }
        if (placed.empty()) launching_.remove(sm);
    });
}

Warp& Launcher::startWarp(Cta& cta, unsigned index)
{
    const Code& code = s_.program.codes[s_.program.entry];
    Warp& w = cta.warps[index];
    w.cta = &cta;
    w.index = static_cast<std::uint8_t>(index);
    const std::uint32_t left = s_.shape.threads - index * 32;
    w.full = w.live = left >= 32 ? ~Lanes{0} : (1u << left) - 1;
    w.regs.grow(std::size_t{std::max(code.rows, 1u)} * 32);
    w.preds.resize(std::max(code.preds, 1u));
    w.localStride = code.frameBytes == 0 ? 0 : (code.frameBytes + 63) & ~63ull;
    w.local.resize(w.localStride * 32);
    Group& g = w.groups.emplace_back();
    g.lanes = w.live;
    g.code = s_.program.entry;
    g.readyAt = s_.timingAdapter != nullptr ? s_.timingAdapter->starts(s_.now())
                                            : s_.now() + s_.ep.launch_lat;
    if (s_.timingAdapter != nullptr) s_.timingAdapter->enter(w, g.readyAt);
    return w;
}

void Launcher::start(Cta& cta)
{
    cta.started = true;
    s_.progress.ctaMoved();
    cta.warps.resize(s_.shape.warps);
    for (unsigned i = 0; i < s_.shape.warps; ++i) {
        Warp& w = startWarp(cta, i);
        schedulers_.add(w);
        schedulers_.rouse(w, w.groups.front().readyAt);
    }
    s_.history.started(cta);
}

void Launcher::freed(const CtaFree& free)
{
    s_.progress.ctaMoved();
    Cta* cta = residents_.at(free.sm, free.cta);
    if (cta == nullptr) return;
    schedulers_.remove(*cta);
    s_.history.ended(*cta);
    Cluster* cluster = cta->cluster;
    cluster->ranks[cta->launch.rank] = nullptr;
    if (s_.timingAdapter != nullptr) s_.timingAdapter->ended(*cta);
    const Launch launch = cta->launch;
    ended_.push_back(residents_.take(*cta));
    assert(left_ != 0 && cluster->left != 0);
    --left_;
    const bool last = --cluster->left == 0;
    if (own_) {
        own_->freed(launch);
        if (last) own_->clusterFreed(free.sm, cluster->slot);
    } else {
        freed_.push_back({launch, last});
    }
    s_.progress.changed();
    if (!last) return;
    clusters_[cluster->index].reset();
}

}  // namespace gsu::exec
