// gsu_order_pkg: which requests wait for what their CTA has outstanding. Rules: CLU-016, CLU-021, CLU-022, MBARR-014, MBDROP-014, D-40, D-54; rtl/doc/ordering.md.
// SPDX-License-Identifier: Apache-2.0
package gsu_order_pkg;
  import gsu_pkg::*;

  // A release towards everyone: not before the older posted operations of its CTA. At CTA scope packets are in order already (D-38).
  function automatic logic order_waits(sync_req_t r);
    order_waits = r.op inside {OpClusterArrive, OpMbarArrive, OpMbarArriveExpectTx, OpMbarArriveDrop, OpMbarDropExpectTx}
                  && r.sem inside {SemRelease, SemAcqRel} && r.scope inside {ScopeCluster, ScopeGpu, ScopeSys};
  endfunction

  // What a waiting room keeps of a request: none of those that wait has a predicate, a barrier id, a count or a mask.
  localparam int unsigned OrderReqW = $bits(sync_req_t) - 96;
endpackage
