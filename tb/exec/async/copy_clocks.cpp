// Times at which copies are performed, under a timing model.
#include <algorithm>
#include <bit>

#include "exec/async/async_engines.hpp"

namespace gsu::exec {
namespace {

/// The bytes of global memory that a copy reads or writes, with neighbours merged.
std::vector<timing::Run> runsOf(const Copy& copy)
{
    std::vector<timing::Run> runs;
    if (copy.tile == nullptr) {
        const bool loads = copy.from.sm == kNoSm;
        const std::uint32_t bytes = loads ? copy.valid : copy.bytes;
        if (bytes != 0) runs.push_back({loads ? copy.source : copy.destination, bytes});
        return runs;
    }
    for (const TileRun& r : copy.tile->runs) {
        if (r.global == 0) continue;
        if (!runs.empty() && runs.back().address + runs.back().bytes == r.global)
            runs.back().bytes += r.bytes;
        else
            runs.push_back({r.global, r.bytes});
    }
    return runs;
}

}  // namespace

std::uint32_t AsyncEngines::sharersOf(const Cta& cta, std::uint64_t address, const TensorMap& map,
                                      const std::array<std::int32_t, 5>& origin)
{
    if (s_.timingAdapter == nullptr || s_.ep.of <= s_.shape.sms) return 1;
    TensorWalk& walk = walks_[{cta.serial, address}];
    walk.visit(origin, map, s_.shape.clusterCtas);
    const double ctas =
        static_cast<double>(s_.ep.of) * std::popcount(s_.resources.sm(cta.launch.sm).ctaSlots);
    const double sharers = std::min<double>(ctas / walk.boxes(map, ctas), s_.ep.of);
    return std::max(1u, static_cast<std::uint32_t>(sharers));
}

timing::CopyClocks AsyncEngines::clocksOf(const Copy& copy, std::span<const unsigned> sms)
{
    timing::TimingModel& model = s_.timingAdapter->model();
    const Cycle issued = s_.timingAdapter->issued();
    const bool fromGlobal = copy.from.sm == kNoSm, toGlobal = copy.to.sm == kNoSm;
    if (!fromGlobal && !toGlobal)
        return model.copyAcross(copy.from.sm, copy.to.sm, copy.bytes, issued);
    const std::vector<timing::Run> runs = runsOf(copy);
    timing::CopyRequest request;
    request.runs = runs;
    request.bytes = copy.bytes;
    request.cta = copy.issuer.serial;
    if (copy.tile != nullptr) {
        request.rows = copy.tile->rows;
        request.map = copy.tile->map;
        request.sharers = std::max(1u, copy.tile->sharers / static_cast<unsigned>(sms.size()));
    }
    if (!toGlobal) return model.copyIn(copy.issuer.sm, request, sms, issued);
    if (copy.tile == nullptr || runs.empty()) return model.copyOut(copy.issuer.sm, request, issued);
    // The machine's instruction is one for all lanes of a warp: CUTLASS lets each of them store the same box.
    const TileRun& first = copy.tile->runs.front();
    const BoxStore same{copy.issuer, copy.warp, issued, copy.tile->map, first.global, first.shared};
    if (same != lastStore_) {
        lastStore_ = same;
        lastStoreClocks_ = model.copyOut(copy.issuer.sm, request, issued);
    }
    return lastStoreClocks_;
}

/// Sets the times of a copy's pieces, which come one after the other; pieces of a store when they have been read.
void AsyncEngines::pace(Copy& copy, std::uint32_t slot)
{
    const unsigned to = copy.to.sm;
    const Cycle soon = s_.now() + 1;
    if (copy.generic) {
        return at(std::max(soon, s_.timingAdapter->copied()), Late::Piece, slot);
    }
    const bool known = copy.clocks.has_value();
    timing::CopyClocks clocks = known ? *copy.clocks : clocksOf(copy, {&to, 1});
    if (copy.completes) {  // the unit takes the rest of the time to the waiters
        const Cycle wake = s_.timingAdapter->params().tma_wake;
        clocks.first -= std::min(clocks.first, wake);
        clocks.last -= std::min(clocks.last, wake);
    }
    const bool store = copy.to.sm == kNoSm;
    if (store)
        copy.clocks = clocks;
    else
        copy.clocks.reset();
    for (std::uint32_t piece = 0; piece < copy.bytes || piece == 0; piece += kPieceBytes) {
        const std::uint32_t end = std::min(piece + kPieceBytes, copy.bytes);
        const Cycle when = end == copy.bytes ? (store ? clocks.read : clocks.last)
                           : store           ? clocks.read
                                             : clocks.piece(end, copy.bytes);
        at(std::max(soon, when), Late::Piece, slot, piece);
    }
}

}  // namespace gsu::exec
