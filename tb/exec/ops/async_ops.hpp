/// Asynchronous copies and clusterlaunchcontrol as micro-operations; private to tb/exec.
#pragma once
#include "exec/async/async_engines.hpp"
#include "exec/memory/copy_end.hpp"

namespace gsu::exec {

void cpAsyncOp(Ctx& x, const MicroOp& o, Lanes lanes);
void cpBulkOp(Ctx& x, const MicroOp& o, Lanes lanes);
void cpCommitOp(Ctx& x, const MicroOp& o, Lanes lanes);
void cpWaitOp(Ctx& x, const MicroOp& o, Lanes lanes);
void redReleaseOp(Ctx& x, const MicroOp& o, Lanes lanes);
void isCanceledOp(Ctx& x, const MicroOp& o, Lanes lanes);
void firstCtaidOp(Ctx& x, const MicroOp& o, Lanes lanes);
/// tensor_ops.cpp: cp.async.bulk.tensor, cp.reduce.async.bulk.tensor, tensormap.replace and tensormap.cp_fenceproxy.
void tensorCopyOp(Ctx& x, const MicroOp& o, Lanes lanes);
void tensorPrefetchOp(Ctx& x, const MicroOp& o, Lanes lanes);
void tensorReplaceOp(Ctx& x, const MicroOp& o, Lanes lanes);
void tensorPublishOp(Ctx& x, const MicroOp& o, Lanes lanes);

/// Starts `copy`, or one for every CTA of the mask of a multicast.
void startCopies(Ctx& x, unsigned lane, const Copy& copy, std::optional<std::uint64_t> mask,
                 std::optional<unsigned> pairBit = std::nullopt);
/// Reports FENCE-024 if ordinary stores wrote these bytes, which a bulk or tensor copy is about to read, and no proxy fence followed.
void checkSourceFenced(const Ctx& x, const MicroOp& o, unsigned lane, std::uint64_t offset,
                       std::uint32_t bytes);
/// Writes the issuer into `copy`: CTA, warp, lane and line.
void issueFrom(const Ctx& x, const MicroOp& o, unsigned lane, Copy& copy);

}  // namespace gsu::exec
