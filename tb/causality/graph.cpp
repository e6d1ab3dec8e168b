#include "causality/graph.hpp"

namespace gsu::causality {

void Graph::mark(Node node, bool fenced, std::uint8_t shows)
{
    if (epochs_[node] != epoch_) {
        epochs_[node] = epoch_;
        marks_[node] = 0;
    }
    const bool now = fenced || (nodes_[node].shows & shows) != 0;
    const std::uint8_t bit = now ? 2 : 1;
    if ((marks_[node] & bit) != 0 || marks_[node] >= 2)
        return;  // a mark with a fence is as good as one without
    marks_[node] |= bit;
    if (targets_[node] == epoch_ && (bit & wanted_) != 0) {
        targets_[node] = 0;
        --left_;
    }
    open_.emplace_back(node, now);
}

void Graph::search(Node from, Need need, const std::vector<Node>& targets)
{
    marks_.resize(nodes_.size());
    epochs_.resize(nodes_.size());
    targets_.resize(nodes_.size());
    ++epoch_;
    left_ = 0;
    for (const Node target : targets) {
        if (target == kNone || targets_[target] == epoch_) continue;
        targets_[target] = epoch_;
        ++left_;
    }
    const std::uint8_t shows = need == Need::ProxyShared   ? kShowsShared
                               : need == Need::ProxyGlobal ? kShowsGlobal
                               : need == Need::Init        ? kShowsInits
                                                           : 0;
    wanted_ = need == Need::ProxyShared || need == Need::ProxyGlobal ? 2 : 3;
    if (from == kNone) return;
    open_.clear();
    mark(from, false, shows);
    for (std::size_t next = 0; next < open_.size() && left_ != 0; ++next) {
        const auto [node, fenced] = open_[next];
        steps_ += 1 + nodes_[node].out.size();
        for (const Out& out : nodes_[node].out) {
            const bool passes = out.kind == Edge::Orders || need == Need::Any ||
                                (out.kind == Edge::Relaxed && need == Need::Init && fenced);
            if (passes) mark(out.to, fenced, shows);
        }
    }
}

}  // namespace gsu::causality
