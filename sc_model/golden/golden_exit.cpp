// Exits on the golden port: barriers that they complete, and arrivals that are left when a CTA ends (BAR-039, D-10, D-17).
#include "golden/golden_port.hpp"

namespace gsu {

void GoldenPort::takeExit(const Exit& exit)
{
    const Lanes before = unit_.live(exit.at);
    const bool warpGone = unit_.exit(exit.at, exit.lanes);
    Commit commit =
        record(Unit::Cta, warpGone ? Op::EvWarpExit : Op::EvLaneExit, exit.at, exit.at.cta);
    commit.lanes = exit.lanes;
    commit.src = Src::Exit;
    commit.oldWord = before;
    commit.newWord = unit_.live(exit.at);
    emit(commit);
    applyExit(exit, warpGone);
}

void GoldenPort::applyExit(const Exit& exit, bool warpGone)
{
    if (!warpGone) {
        commitReady(exit.at, Src::Exit);
        return;
    }
    Commit commit = record(Unit::Named, Op::EvWarpExit, exit.at, exit.at.cta);
    commit.src = Src::Exit;
    const BarMask due = unit_.namedExit(exit.at);
    emit(commit);
    const auto event = [&](std::uint8_t id) {
        Commit c = record(Unit::Named, Op::EvWarpExit, exit.at, id);
        c.src = Src::Exit;
        c.oldWord = wordOf(unit_.named(exit.at).at(id));
        return c;
    };
    forBits(due, [&](std::uint8_t id) {
        Commit flip = event(id);
        flip.flip = true;
        const NamedBarrier done = unit_.named(exit.at).complete(id);
        emit(flip);
        release(exit.at, id, done);
    });
    forBits(unit_.named(exit.at).left(), [&](std::uint8_t id) {
        Commit left = event(id);
        left.errs = 1u << kNbErrLeft;
        unit_.named(exit.at).complete(id);
        emit(left);
    });
    commit = record(Unit::Cluster, Op::EvWarpExit, exit.at, unit_.cta(exit.at).launch.cluster);
    commit.src = Src::Exit;
    commit.oldWord = unit_.part(exit.at).word();
    commit.errs = unit_.clusterExit(exit.at).errs;
    commit.newWord = unit_.part(exit.at).word();
    emit(commit);
    completeCluster(exit.at);
    if (!unit_.gone(exit.at)) return;
    ends_.push_back(exit.at);
}

}  // namespace gsu
