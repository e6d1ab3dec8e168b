// The table of patterns.
#include <algorithm>
#include <array>

#include "fuzz/pattern.hpp"
#include "fuzz/rounds/rounds.hpp"

namespace gsu::fuzz {
namespace {

using F = Feature;

// name, features, weight, whole CTA, warps, sm_80 too, function
const std::array kPatterns{
    Pattern{"shuffle", {F::Warp}, 4, false, 1, true, roundShuffle},
    Pattern{"vote", {F::Warp}, 4, false, 1, true, roundVote},
    Pattern{"match", {F::Warp}, 3, false, 1, true, roundMatch},
    Pattern{"redux", {F::Warp}, 3, false, 1, true, roundRedux},
    Pattern{"elect", {F::Warp}, 2, false, 1, false, roundElect},
    Pattern{"activemask", {F::Warp, F::Divergence}, 1, false, 1, true, roundActive},
    Pattern{"warp-sync", {F::Warp}, 4, false, 1, true, roundWarpSync},
    Pattern{"named", {F::Named}, 6, false, 1, true, roundNamed},
    Pattern{"named-red", {F::Named}, 6, false, 1, true, roundNamedRed},
    Pattern{"named-producer", {F::Named}, 6, false, 2, true, roundProducer},
    Pattern{"flag", {F::Delays}, 2, false, 1, true, roundFlag},
    Pattern{"cluster-pull", {F::Cluster}, 6, true, 1, false, roundCluster},
    Pattern{"cluster-push", {F::Cluster}, 6, true, 1, false, roundClusterPush},
    Pattern{"cluster-atomics", {F::Cluster, F::Atomics}, 5, true, 1, false, roundClusterAtomics},
    Pattern{
        "posted-order", {F::Cluster, F::Mbarrier, F::PostedOrder}, 4, true, 1, false, roundPosted},
    Pattern{"mbarrier", {F::Mbarrier}, 7, false, 1, true, roundMbarrier},
    Pattern{"mbarrier-drop", {F::Mbarrier}, 4, false, 1, true, roundMbarrierDrop},
    Pattern{"mbarrier-tx", {F::Mbarrier}, 4, false, 1, false, roundMbarrierTx},
    Pattern{"mbarrier-pending", {F::Mbarrier}, 2, false, 1, true, roundMbarrierPending},
    Pattern{"remote-ring", {F::Mbarrier, F::Cluster}, 6, false, 1, false, roundRemoteRing},
    Pattern{"remote-mixed", {F::Mbarrier, F::Cluster}, 5, false, 1, false, roundRemoteMixed},
    Pattern{"st-async", {F::Mbarrier, F::Cluster, F::Async}, 6, false, 1, false, roundStAsync, 2},
    Pattern{"red-async", {F::Mbarrier, F::Cluster, F::Async}, 5, false, 1, false, roundRedAsync, 2},
    Pattern{"cp-async", {F::Copies, F::Named}, 6, false, 1, true, roundCpAsync},
    Pattern{"bulk-in", {F::Copies, F::Mbarrier, F::Named}, 6, false, 1, false, roundBulkIn},
    Pattern{"bulk-multicast",
            {F::Copies, F::Mbarrier, F::Cluster},
            5,
            false,
            1,
            false,
            roundBulkMulticast},
    Pattern{"bulk-cluster",
            {F::Copies, F::Mbarrier, F::Cluster, F::Named},
            5,
            false,
            1,
            false,
            roundBulkCluster,
            2},
    Pattern{"bulk-out", {F::Copies, F::Named}, 4, false, 1, false, roundBulkOut},
    Pattern{"bulk-reduce-out", {F::Copies, F::Named}, 4, false, 1, false, roundBulkReduceOut},
    Pattern{"bulk-reduce-cluster",
            {F::Copies, F::Mbarrier, F::Cluster, F::Named},
            5,
            false,
            1,
            false,
            roundBulkReduceCluster,
            2},
    Pattern{"tensor-moves", {F::Tensor, F::Named}, 4, true, 1, false, roundTensorMoves},
    Pattern{"tensor-product",
            {F::Tensor, F::Mbarrier, F::Named},
            3,
            true,
            1,
            false,
            roundTensorProduct},
    Pattern{"tensor-copy", {F::Tensor, F::Mbarrier, F::Named}, 3, true, 1, false, roundTensorCopy},
    Pattern{"global-atomics", {F::Atomics}, 4, false, 1, true, roundGlobalAtomics},
    Pattern{"shared-atomics", {F::Atomics, F::Named}, 4, false, 1, true, roundSharedAtomics},
    Pattern{"own-atomics", {F::Atomics}, 3, false, 1, true, roundOwnAtomics},
    Pattern{"last-block", {F::Atomics, F::Named}, 3, false, 1, true, roundLastBlock},
    Pattern{"grid", {F::Atomics, F::Named, F::Grid}, 2, false, 1, true, roundGrid},
    Pattern{"lock", {F::Atomics, F::Named}, 2, false, 1, true, roundLock},
};

}  // namespace

std::span<const Pattern> patterns() { return kPatterns; }

const Pattern* patternOf(std::string_view name)
{
    const auto found = std::find_if(kPatterns.begin(), kPatterns.end(),
                                    [&](const Pattern& p) { return name == p.name; });
    return found == kPatterns.end() ? nullptr : &*found;
}

}  // namespace gsu::fuzz
