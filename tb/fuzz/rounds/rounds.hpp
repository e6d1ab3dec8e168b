/// The functions behind the table of patterns; see pattern.hpp.
#pragma once
#include "fuzz/round.hpp"

namespace gsu::fuzz {

void roundShuffle(Round& r);
void roundVote(Round& r);
void roundMatch(Round& r);
void roundRedux(Round& r);
void roundElect(Round& r);
void roundActive(Round& r);
void roundWarpSync(Round& r);

void roundNamed(Round& r);
void roundNamedRed(Round& r);
void roundProducer(Round& r);
void roundFlag(Round& r);

void roundCluster(Round& r);
void roundClusterPush(Round& r);
void roundClusterAtomics(Round& r);
void roundPosted(Round& r);

void roundMbarrier(Round& r);
void roundMbarrierDrop(Round& r);
void roundMbarrierTx(Round& r);
void roundMbarrierPending(Round& r);
void roundRemoteRing(Round& r);
void roundRemoteMixed(Round& r);

void roundStAsync(Round& r);
void roundRedAsync(Round& r);

void roundCpAsync(Round& r);
void roundBulkIn(Round& r);
void roundBulkMulticast(Round& r);
void roundBulkCluster(Round& r);
void roundBulkOut(Round& r);
void roundBulkReduceOut(Round& r);
void roundBulkReduceCluster(Round& r);

void roundTensorMoves(Round& r);
void roundTensorProduct(Round& r);
void roundTensorCopy(Round& r);

void roundGlobalAtomics(Round& r);
void roundSharedAtomics(Round& r);
void roundOwnAtomics(Round& r);
void roundLastBlock(Round& r);
void roundGrid(Round& r);
void roundLock(Round& r);

}  // namespace gsu::fuzz
