// gsu_order_pkg: defines for each request which outstanding operations of its warp and CTA it waits for, and its least time.
// Rules: BAR-014, BWS-006, CLU-016, CLU-021, CLU-022, FENCE-004..008, FENCE-021, FENCE-023..029, FENCE-036, MBARR-014, MBDROP-014, D-40, D-54, D-69;
// rtl/doc/ordering.md.
// SPDX-License-Identifier: Apache-2.0
package gsu_order_pkg;
  import gsu_pkg::*;

  typedef enum logic [1:0] {
    FloorNone = 2'd0,
    FloorCta  = 2'd1,
    FloorGpu  = 2'd2,  // scope cluster as well
    FloorSys  = 2'd3
  } floor_e;

  // The operations that a request waits for, and the least time that it takes.
  typedef struct packed {
    logic   own;   // accesses of its warp, towards the CTA
    logic   wide;  // accesses and packets of its CTA, towards everyone
    floor_e least;
  } order_need_t;

  // The reasons for which a request waits in a gsu_order_wait_queue. At least one of gate, own, wide, timed is set.
  typedef struct packed {
    logic       gate;   // for the entry gate of its cluster
    logic       own;    // for the epoch of its warp slot
    logic       wide;   // for the epoch of its CTA
    logic       timed;  // until due
    logic [4:0] cta;
    logic [5:0] slot;
    cycle_t     due;
  } order_hold_t;

  function automatic logic order_is_fence(op_e op);
    order_is_fence = op inside {OpFence, OpFenceMbarrierInit, OpFenceProxy, OpMembar, OpTensormapCpFence};
  endfunction

  function automatic floor_e order_floor(scope_e scope);
    case (scope)
      ScopeCluster, ScopeGpu: order_floor = FloorGpu;
      ScopeSys: order_floor = FloorSys;
      default: order_floor = FloorCta;
    endcase
  endfunction

  // Packets are already in order towards their own CTA (D-38).
  function automatic order_need_t order_need(sync_req_t r);
    logic release_sem, beyond;
    release_sem = r.sem inside {SemRelease, SemAcqRel};
    beyond      = r.scope inside {ScopeCluster, ScopeGpu, ScopeSys};
    order_need  = '{own: 1'b0, wide: 1'b0, least: FloorNone};
    case (r.op)
      OpBarSync, OpBarArrive, OpBarRedPopc, OpBarRedAnd, OpBarRedOr, OpWarpSync: order_need.own = 1'b1;
      OpClusterArrive, OpMbarArrive, OpMbarArriveExpectTx, OpMbarArriveDrop, OpMbarDropExpectTx: begin
        if (release_sem) begin
          order_need.own = beyond || r.scope == ScopeCta;
          if (beyond) begin
            order_need.wide  = 1'b1;
            order_need.least = order_floor(r.scope);
          end
        end
      end
      OpFence, OpMembar: begin
        order_need.own   = release_sem || r.op == OpMembar;
        order_need.wide  = order_need.own && beyond;
        order_need.least = order_floor(r.scope);
      end
      OpFenceMbarrierInit: order_need.least = FloorCta;
      OpFenceProxy: begin
        order_need.own   = r.sem != SemAcquire && r.kind != 8'(FenceGeneric);
        order_need.wide  = order_need.own;
        order_need.least = FloorCta;
      end
      OpTensormapCpFence: begin
        order_need.own   = 1'b1;
        order_need.wide  = beyond;
        order_need.least = order_floor(r.scope);
      end
      default: ;
    endcase
  endfunction

  // Clocks until a request is due. A fence is answered its least time after its request, the clocks of the wait queue included. A release leaves the wait queue
  // when its relaxed form would be presented after the answer of its fence.
  function automatic logic [31:0] order_clocks(op_e op, floor_e least, cfg_t cfg);
    logic [31:0] clocks, room;
    clocks = '0;
    room   = order_is_fence(op) ? 32'd3 : 32'd1;
    case (least)
      FloorCta: clocks = cfg.fence_cta_lat;
      FloorGpu: clocks = cfg.fence_gpu_lat;
      FloorSys: clocks = cfg.fence_sys_lat;
      default: ;
    endcase
    order_clocks = clocks > room ? clocks - room : '0;
  endfunction
endpackage
