// griddepcontrol on the golden port: a CTA's first signal and its end count once; waits return when every prerequisite is complete.
#include "golden/golden_port.hpp"

namespace gsu {

/// Inputs of the driver since the last cycle count before anything of this cycle.
void GoldenPort::takeGrids()
{
    gridNews_ = false;
    for (const std::uint8_t grid : gridsOver_) {
        grids_.free(grid);
        if (sink_ != nullptr) sink_->onGrid({grid, true, now_});
    }
    gridsOver_.clear();
    for (; !gridStarts_.empty(); gridStarts_.pop_front()) takeGrid(gridStarts_.front());
}

void GoldenPort::takeGrid(const GridStart& start)
{
    const bool starts = !start.ended && !start.fewer;
    Commit commit = record(Unit::Network, starts ? Op::EvGridOpen : Op::EvGridEnd, {}, start.grid);
    if (start.ended) {
        grids_.endElsewhere(start.grid);
        commit.flip = true;
    } else if (start.fewer) {
        commit.oldWord = grids_.at(start.grid).word();
        if (!grids_.lessen(start.grid, start.ctas) && !fault_)
            fault_ = Fault{Fault::Kind::Protocol, now_, "fewer CTAs than the grid has left"};
        commit.newWord = grids_.at(start.grid).word();
        commit.flip = grids_.at(start.grid).quiet == 0;
    } else {
        grids_.open(start);
        commit.lanes = grids_.at(start.grid).waits;
        commit.newWord = grids_.at(start.grid).word();
    }
    emit(commit);
    if (start.fewer && commit.flip && sink_ != nullptr) sink_->onGrid({start.grid, false, now_});
    if (grids_.at(start.grid).over) gridOver(start.grid);
}

void GoldenPort::gridOver(std::uint8_t grid)
{
    gridsOver_.push_back(grid);
    gridNews_ = true;
}

/// Returns true if the wait is answered, false if the lanes wait.
bool GoldenPort::gridWait(const SyncRequest& request, Cause cause)
{
    const std::uint8_t grid = unit_.cta(request.at).launch.grid;
    if (!grids_.ready(grid)) return false;
    Commit commit = record(Unit::Grid, request.op, request.at, grid);
    commit.lanes = request.lanes;
    commit.tag = request.tag;
    commit.cause = cause;
    emit(commit);
    if (sink_ != nullptr)
        sink_->onResponse({.tag = request.tag,
                           .at = request.at,
                           .lanes = request.lanes,
                           .last = true,
                           .cause = cause,
                           .cycle = now_});
    return true;
}

void GoldenPort::commitGridSignal(const JoinGroup& group, Commit& commit)
{
    const std::uint8_t grid = unit_.cta(group.at).launch.grid;
    Sm& sm = sms_[group.at.sm];
    const Lanes own = Lanes{1} << group.at.cta;
    commit.object = grid;
    commit.oldWord = grid != 0 && (sm.signalled & own) != 0;
    commit.newWord = grid != 0;
    commit.flip = commit.oldWord != commit.newWord;
    emit(commit);
    if (commit.flip) {
        sm.signalled |= own;
        gridReports_.push_back({group.at, grid, true, false});
    }
    respond(group, group.lanes, commit.cause);
}

void GoldenPort::gridCtaEnds(const WarpRef& at)
{
    const std::uint8_t grid = unit_.cta(at).launch.grid;
    Sm& sm = sms_[at.sm];
    const Lanes own = Lanes{1} << at.cta;
    if (grid != 0) gridReports_.push_back({at, grid, (sm.signalled & own) == 0, true});
    sm.signalled &= ~own;
}

void GoldenPort::stepGrids()
{
    for (const GridReport& report : gridReports_) {
        Commit commit =
            record(Unit::Network, report.ends ? Op::EvGridEnd : Op::EvGridSignal, {}, report.grid);
        commit.at.cta = report.at.cta;
        commit.srcSm = report.at.sm;
        commit.src = Src::Network;
        commit.oldWord = grids_.at(report.grid).word();
        if (!grids_.count(report.grid, report.signals, report.ends)) {
            if (!fault_)
                fault_ = Fault{Fault::Kind::Protocol, now_, "more CTAs than the grid was given"};
            continue;
        }
        const GridTable::Grid& grid = grids_.at(report.grid);
        commit.newWord = grid.word();
        const bool all = report.signals && grid.quiet == 0;
        commit.flip = all || grid.over;
        emit(commit);
        if (all && sink_ != nullptr) sink_->onGrid({report.grid, false, now_});
        if (grid.over) gridOver(report.grid);
    }
    gridReports_.clear();
}

}  // namespace gsu
