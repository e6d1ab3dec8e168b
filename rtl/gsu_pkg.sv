// gsu_pkg: operations, requests, responses, taps and configuration of the GPU Sync Unit: the contract of every port.
// The C++ twins are sc_model/golden/{types.hpp,layout.gen.hpp}; scripts/gen_from_pkg.py generates the bit layout from this file.
// Rules: GEN-001 (lane i = mask bit i), D-01 (commit records), D-03 (error records), D-66 (cluster addresses).
// Every port struct is a whole number of 32-bit words with 32-bit fields on word boundaries, so that packing in C++ is a store per word.
// SPDX-License-Identifier: Apache-2.0
package gsu_pkg;

  localparam int unsigned MaxCtas = 32;  // CTA slots per SM
  localparam int unsigned MaxWarpSlots = 64;  // warp slots per SM
  localparam int unsigned MaxWarps = 32;  // warps per CTA: 1024 threads
  localparam int unsigned Lanes = 32;
  localparam int unsigned BarsPerCta = 16;  // BAR-004; the default of gsu_sm
  localparam int unsigned MaxBars = 64, MaxWaits = 128;  // limits of the fields of release_t and cfg_t
  localparam int unsigned MaxSms = 18;  // SMs of one network; their ids have 5 bits
  localparam int unsigned MaxClusters = 64;  // cluster slots of the network
  localparam int unsigned MaxRanks = 16;  // CTAs of one cluster
  localparam int unsigned MaxGrids = 16;  // slots of the grid table; slot 0 stands for a grid without dependents and prerequisites
  localparam int unsigned TimeW = 48;
  // A simulator skips idle clocks up to the earliest deadline (next_event_o). Hardware skips none: with GSU_HARDWARE defined, next_event_o is 0 while there is
  // a deadline and all ones while there is none, and no tree of comparators is built. Some functions and memories have another form there, and unused values
  // are computed all the same. All other outputs are the same; gsu_forms and gsu_rams.same prove it for the functions and memories.
`ifdef GSU_HARDWARE
  localparam bit Events = 1'b0;
`else
  localparam bit Events = 1'b1;
`endif
  // A simulator asks first whether a value is used, and computes it only then. Hardware asks no such question where the answer comes too late.
  localparam bit Eager = !Events;

  // One value per operation of PTX chapter 9.7.13, then the events that appear in taps only.
  typedef enum logic [6:0] {
    OpNone                 = 7'd0,
    OpBarSync              = 7'd1,
    OpBarArrive            = 7'd2,
    OpBarRedPopc           = 7'd3,
    OpBarRedAnd            = 7'd4,
    OpBarRedOr             = 7'd5,
    OpWarpSync             = 7'd6,
    OpClusterArrive        = 7'd7,
    OpClusterWait          = 7'd8,
    OpFence                = 7'd9,
    OpFenceMbarrierInit    = 7'd10,
    OpFenceProxy           = 7'd11,
    OpMembar               = 7'd12,
    OpAtom                 = 7'd13,
    OpRed                  = 7'd14,
    OpRedAsync             = 7'd15,
    OpStAsync              = 7'd16,
    OpVote                 = 7'd17,
    OpVoteSync             = 7'd18,
    OpMatchAny             = 7'd19,
    OpMatchAll             = 7'd20,
    OpActiveMask           = 7'd21,
    OpRedux                = 7'd22,
    OpElect                = 7'd23,
    OpGdcLaunchDependents  = 7'd24,
    OpGdcWait              = 7'd25,
    OpMbarInit             = 7'd26,
    OpMbarInval            = 7'd27,
    OpMbarExpectTx         = 7'd28,
    OpMbarCompleteTx       = 7'd29,
    OpMbarArrive           = 7'd30,
    OpMbarArriveExpectTx   = 7'd31,
    OpMbarArriveDrop       = 7'd32,
    OpMbarDropExpectTx     = 7'd33,
    OpMbarTestWait         = 7'd34,
    OpMbarTestWaitParity   = 7'd35,
    OpMbarTryWait          = 7'd36,
    OpMbarTryWaitParity    = 7'd37,
    OpMbarPendingCount     = 7'd38,
    OpCpAsyncArrive        = 7'd39,
    OpCpAsyncArriveNoinc   = 7'd40,
    OpTensormapCpFence     = 7'd41,
    OpClcTryCancel         = 7'd42,
    OpClcQueryCancel       = 7'd43,
    // Events of taps, never requested.
    OpEvLaunch             = 7'd64,
    OpEvLaneExit           = 7'd65,
    OpEvWarpExit           = 7'd66,
    OpEvCtaFree            = 7'd67,
    OpEvClusterOpen        = 7'd68,
    OpEvClusterFlip        = 7'd69,
    OpEvAsyncCompleteTx    = 7'd70,
    OpEvAsyncArrive        = 7'd71,
    OpEvTimeout            = 7'd72,
    OpEvDelivered          = 7'd73,
    OpEvAck                = 7'd74,
    OpEvAgentArrive        = 7'd75,
    OpEvGridOpen           = 7'd80,
    OpEvGridSignal         = 7'd81,
    OpEvGridEnd            = 7'd82
  } op_e;
  typedef enum logic [1:0] {SemRelaxed = 2'd0, SemAcquire = 2'd1, SemRelease = 2'd2, SemAcqRel = 2'd3} sem_e;
  typedef enum logic [2:0] {ScopeNone = 3'd0, ScopeCta = 3'd1, ScopeCluster = 3'd2, ScopeGpu = 3'd3, ScopeSys = 3'd4} scope_e;

  typedef enum logic [2:0] {  // reason of a response
    CauseDone        = 3'd0,  // performed
    CauseAlreadyTrue = 3'd1,  // wait whose phase had completed
    CauseFlip        = 3'd2,  // parked wait woken by the flip
    CauseTimeout     = 3'd3,  // parked wait whose limit expired
    CauseCamFull     = 3'd4,  // wait answered false because no wait slot was free
    CauseDiverged    = 3'd5,  // wait answered false because the warp was diverged
    CauseKilled      = 3'd6,  // object invalidated or re-initialised during the wait
    CauseRefused     = 3'd7   // refused (D-03): dummy result
  } cause_e;
  typedef enum logic [3:0] {  // source of a commit
    SrcLocal = 4'd0, SrcCpAsync = 4'd1, SrcAsyncCopy = 4'd2, SrcRemote = 4'd3, SrcExit = 4'd4, SrcTimer = 4'd5, SrcNetwork = 4'd6,
    SrcAgent = 4'd7  // an agent that is not a thread: tcgen05.commit
  } src_e;

  // Bits of tap_t.errs, per unit. C++ maps (unit, bit) to UB-nn and rule id.
  localparam int unsigned NbErrId = 0;  // UB-01 no such barrier (id above 15): refused
  localparam int unsigned NbErrCount = 1;  // UB-02 count not a multiple of 32: refused
  localparam int unsigned NbErrArriveZero = 2;  // UB-03 arrive with count 0: refused
  localparam int unsigned NbErrCountsDiffer = 3;  // UB-04 applied
  localparam int unsigned NbErrMixed = 4;  // UB-05 red mixed with sync or arrive: applied
  localparam int unsigned NbErrRearrive = 5;  // UB-06 applied
  localparam int unsigned NbErrDiverged = 6;  // UB-07 aligned form by a part of the warp: applied
  localparam int unsigned NbErrRedOps = 7;  // UB-58 two red operators: applied
  localparam int unsigned NbErrLeft = 8;  // the CTA has ended, arrivals are discarded (D-17): warning
  localparam int unsigned WsErrOutside = 0;  // UB-10, UB-24 lane outside its own mask: refused
  localparam int unsigned WsErrExited = 1;  // UB-12 mask of a warp sync or elect names an exited lane: applied
  localparam int unsigned CbErrDouble = 0;  // UB-13 second arrive of one generation: ignored
  localparam int unsigned CbErrNoArrive = 1;  // UB-14 wait without arrive: returns at once
  localparam int unsigned CbErrUnwaited = 2;  // UB-15 arrive never waited for (exit, or re-arrival after completion): warning
  localparam int unsigned CbErrDiverged = 3;  // UB-16 aligned form by a part of the warp: refused
  // sync_req_t.kind of fence.proxy.
  localparam int unsigned FenceAlias = 0;
  localparam int unsigned FenceAsync = 1;
  localparam int unsigned FenceAsyncGlobal = 2;  // async.global
  localparam int unsigned FenceAsyncCta = 3;  // async.shared::cta
  localparam int unsigned FenceAsyncCluster = 4;  // async.shared::cluster
  localparam int unsigned FenceTensormap = 5;  // tensormap::generic
  localparam int unsigned FenceGeneric = 6;  // async::generic: barrier state only
  // sync_req_t.kind of votes, match, redux.
  localparam int unsigned VoteAll = 0, VoteAny = 1, VoteUni = 2, VoteBallot = 3;
  localparam int unsigned MatchB32 = 0, MatchB64 = 1;
  localparam int unsigned ReduxAdd = 0, ReduxAnd = 1, ReduxOr = 2, ReduxXor = 3;  // bits 3:0
  localparam int unsigned ReduxMinU = 4, ReduxMinS = 5, ReduxMaxU = 6, ReduxMaxS = 7, ReduxMinF = 8, ReduxMaxF = 9;
  localparam int unsigned ReduxAbs = 16;  // bit 4: magnitudes of f32
  localparam int unsigned ReduxNan = 32;  // bit 5: a NaN makes the result NaN
  localparam int unsigned NullErrNoUnit = 0;  // operation that has no hardware unit yet: refused

  typedef logic [TimeW-1:0] cycle_t;
  typedef logic [31:0] mask_t;
  // One executed instruction of one lane group. 192 bits.
  typedef struct packed {
    mask_t       pred;         // per-lane predicate: red and vote source after negation
    logic [31:0] arg1;         // barrier count, all 32 bits (D-16)
    logic [31:0] arg0;         // barrier id, all 32 bits | member mask
    mask_t       lanes;        // lanes that execute the instruction together; never 0
    logic [12:0] rsvd1;
    logic        bcast;        // operand beat 0 holds for all lanes
    logic        remote;       // shared::cluster form
    logic        diverged;     // other lanes of the warp could run meanwhile: a wait must not park (D-34)
    logic        want_value;   // a destination other than _
    logic        no_complete;
    logic        aligned;
    scope_e      scope;
    sem_e        sem;
    logic [7:0]  kind;         // reduction op, vote mode, proxy kind: per op
    logic [2:0]  rsvd0;
    logic [11:0] tag;          // free among this SM's open requests; comes back in response and tap
    logic [4:0]  warp;         // index in the CTA
    logic [4:0]  cta;          // CTA slot of this SM
    op_e         op;
  } sync_req_t;

  typedef struct packed {
    logic [63:0] data;
    logic [31:0] addr;         // {rank[7:0], offset[23:0]} (D-66)
  } lane_opnd_t;

  // Operands of four lanes; up to 8 beats (16 with second operands) before their request. 416 bits.
  typedef struct packed {
    lane_opnd_t [3:0] lane;
    logic [21:0]      rsvd;
    logic             warp;    // 1: beat of match or redux, values in data; 0: of an mbarrier operation
    logic [3:0]       mask;    // lanes of this quad that carry operands
    logic             half;    // 1: second operand (time limit in ticks)
    logic             last;
    logic [2:0]       quad;
  } opnd_beat_t;
  // Lanes of a warp may continue. 192 bits.
  typedef struct packed {
    logic [63:0] value;
    logic [11:0] rsvd1;
    logic [19:0] stride;       // value of the k-th lane of `lanes` is `value` stepped k times (D-23)
    mask_t       pred;
    mask_t       lanes;
    logic [5:0]  rsvd0;
    cause_e      cause;
    logic        last;         // last response of the request `tag`
    logic [11:0] tag;          // that of the request that completed the group
    logic [4:0]  warp;
    logic [4:0]  cta;
  } sync_rsp_t;

  // Waiters of one generation: one record for all warps of which every live lane waits, then one for each other warp (D-12, D-13). 96 bits.
  typedef struct packed {
    mask_t       lanes;        // the lanes of these warps that continue; all ones: every lane
    mask_t       warps;        // never 0
    logic [6:0]  rsvd;
    logic [1:0]  id_hi;        // upper bits of the id: 0 with 16 barriers per CTA
    logic        any;          // red.or result
    logic        all;          // red.and result
    logic [10:0] popc;         // red.popc result
    logic [3:0]  id;           // lower bits of the id
    logic        cluster;      // 1: cluster barrier, id and results are 0
    logic [4:0]  cta;
  } release_t;
  // Data of a packet have reached their CTA, or never will; data of atom and red are performed now, in one step. 32 bits.
  typedef struct packed {
    logic [4:0]  more;         // lanes of the packet less one: contiguous from `lane`
    logic [4:0]  lane;
    logic        refused;      // the packet was refused, or has come back: its data are dropped
    logic [15:0] tag;          // under which the driver stores the data
    logic [4:0]  cta;          // slot that the data have reached; of a returned packet: slot that sent them
  } deliver_t;

  // A lane of try_cancel asks the driver for a cluster that has not started (CLC-003). 32 bits.
  typedef struct packed {
    logic [3:0]  rsvd;
    logic        multicast;    // every CTA of the cluster gets the response
    logic [4:0]  lane;
    logic [11:0] tag;          // of the request
    logic [4:0]  slot;         // names the query until it is answered
    logic [4:0]  cta;
  } clc_req_t;
  // The driver's answer to a query. The driver keeps the bytes that say whether a cluster was cancelled, and which. 32 bits.
  typedef struct packed {
    logic [26:0] rsvd;
    logic [4:0]  slot;         // of a query that is not answered
  } clc_rsp_t;

  // Word access to the SM's shared memory; byte address, 8-aligned. 96 bits.
  typedef struct packed {
    logic [63:0] wdata;
    logic [4:0]  rsvd;
    logic [7:0]  be;
    logic        we;
    logic [17:0] addr;
  } mem_req_t;
  typedef enum logic [1:0] {
    AsyncCompleteTx = 2'd0,    // bytes of a copy performed
    AsyncArriveOn   = 2'd1,    // earlier cp.async of a thread performed
    AsyncAgentArrive = 2'd2    // an agent that is not a thread has finished (tcgen05.commit): one arrival at the object of each CTA of a mask
  } async_e;
  // Completion of an asynchronous operation whose data are performed (D-45). 96 bits.
  typedef struct packed {
    logic [31:0] amount;       // bytes | arrivals | a bit for each rank of the cluster
    logic [31:0] addr;         // {rank, offset} of the mbarrier
    logic [7:0]  era;          // that of its launch: it changes nothing of a later launch of the slot
    logic [11:0] tag;
    logic [4:0]  warp;
    logic [4:0]  cta;
    async_e      kind;
  } async_t;

  typedef enum logic [4:0] {
    PktArrive = 5'd0, PktDrop = 5'd1, PktExpectTx = 5'd2, PktCompleteTx = 5'd3, PktArriveExpectTx = 5'd4, PktDropExpectTx = 5'd5,
    PktData           = 5'd6,  // bytes named by tag, then complete_tx of amount (st.async, red.async)
    PktError          = 5'd7,  // undeliverable, back at the source
    PktAtom           = 5'd8, PktRed = 5'd9,  // atom, red: performed by the driver at the owner's commit; its acknowledgement answers an atom
    PktCancel         = 5'd10, // response of try_cancel: bytes named by tag and lane, then complete_tx of amount
    PktAgentArrive    = 5'd11  // one arrival of an agent that is not a thread
  } pkt_e;
  // One packet of the cluster network to the CTA {clus, rank} of era `era`; data bytes stay with the driver under `tag`. 160 bits.
  typedef struct packed {
    logic        own;          // PktCancel to its own CTA: it bypasses the network, and its acknowledgement goes to this SM's count
    logic [7:0]  mode;         // of PktCancel 1: multicast; else 0: the driver knows what an atomic does, under `tag`
    pkt_e        was;          // the kind at the source, kept when the network turns the packet into PktError
    logic [4:0]  more;         // lanes of the group less one: contiguous from `lane`
    logic [4:0]  lane;
    logic [7:0]  era;          // that of the launch that sent it: the target CTA has the same
    logic [31:0] amount;
    logic [5:0]  rsvd2;
    logic [4:0]  src_warp;
    logic [4:0]  dst_cta;      // written by the network
    logic [15:0] tag;
    logic [2:0]  rsvd1;
    logic [4:0]  src_cta;
    logic [23:0] offset;
    logic [1:0]  rsvd0;
    logic        epoch;        // epoch of its CTA in which it is counted
    logic        async;        // asynchronous: no release waits for it (CLU-017), only the end of its CTA
    logic        err;
    logic        first;        // first packet of its request
    logic [4:0]  rank;         // of the target CTA
    logic [5:0]  clus;
    logic [4:0]  dst_sm;       // written by the network
    logic [4:0]  src_sm;       // written by the network
    pkt_e        kind;
  } pkt_t;
  // Acknowledgement: the owner has committed or refused a packet. `sm` is the target on the way, and the source at the target. 32 bits.
  typedef struct packed {
    logic        rsvd;
    logic        refused;      // with reply: the packet was dropped, or came back
    logic        reply;        // acknowledges a packet of an atom: the last one answers the atom
    logic [11:0] tag;          // that of the request
    logic        async;
    logic        epoch;
    logic [4:0]  lane;         // highest lane of the packet
    logic [4:0]  cta;
    logic [4:0]  sm;
  } ack_t;

  // A CTA starts in slot `cta`; its warps take slots wbase .. wbase + ceil(threads/32) - 1. 128 bits.
  typedef struct packed {
    logic [31:0] size;         // bytes of its shared memory window
    logic [31:0] base;         // byte offset of that window in the SM's shared memory
    logic [3:0]  rsvd1;
    logic [3:0]  grid;         // slot of the grid table, 0: no dependents, no prerequisites
    logic [7:0]  era;          // tells launches of one slot apart, by the driver's choice; the same for all CTAs of a cluster
    logic [15:0] threads;      // 1..1024
    logic [4:0]  rsvd0;
    logic [4:0]  ctas;         // CTAs of its cluster, 1..16; 1: no network
    logic [4:0]  rank;
    logic [5:0]  clus;
    logic [5:0]  wbase;
    logic [4:0]  cta;
  } launch_t;
  // Lanes of a warp exit. 64 bits.
  typedef struct packed {
    mask_t       lanes;
    logic [20:0] rsvd;
    logic        trap;
    logic [4:0]  warp;
    logic [4:0]  cta;
  } exit_t;
  // Ordinary accesses of a warp that are outstanding, or are performed now. 32 bits.
  typedef struct packed {
    logic [2:0]  rsvd;
    logic        performed;    // 0: announced
    logic        everyone;     // towards everyone, counted per CTA; 0: towards their own CTA, per warp
    logic        epoch;        // epoch_wide_o or epoch_own_o when they were announced
    logic [15:0] count;        // how many; not 0
    logic [4:0]  warp;
    logic [4:0]  cta;
  } wr_t;

  typedef enum logic [1:0] {
    CbUpLaunch = 2'd0,         // the CTA's slot is live
    CbUpArrive = 2'd1,         // all its live warps have arrived
    CbUpGone   = 2'd2          // its last warp has exited
  } cb_up_e;
  typedef struct packed {      // CTA to network. 16 bits
    logic [2:0] rsvd;
    cb_up_e     kind;
    logic [4:0] rank;
    logic [5:0] clus;
  } cb_up_t;
  typedef enum logic [1:0] {
    CbDnOpen = 2'd0,           // all CTAs launched: entry gate
    CbDnFlip = 2'd1,           // generation complete
    CbDnFree = 2'd2            // all CTAs gone: exit gate
  } cb_dn_e;
  typedef struct packed {      // network to the SMs that hold CTAs of the cluster. 8 bits
    cb_dn_e     kind;
    logic [5:0] clus;
  } cb_dn_t;
  // One routing entry; all ranks of a cluster are written before its first launch. 32 bits.
  typedef struct packed {
    logic [5:0] rsvd;
    logic [4:0] ctas;
    logic [4:0] cta;
    logic [4:0] sm;
    logic [4:0] rank;
    logic [5:0] clus;
  } clus_cfg_t;
  // A grid starts in a free slot of the grid table, before its first launch; or a grid that runs elsewhere has ended. 64 bits.
  typedef struct packed {
    logic [31:0] ctas;         // CTAs of the grid; 0: it runs elsewhere, no CTA of it is launched here
    logic [15:0] prereqs;      // bit per slot: griddepcontrol.wait of this grid waits for the named grids that are in flight now
    logic [9:0]  rsvd;
    logic        fewer;        // not a start: `ctas` CTAs of the grid will not be launched (clusterlaunchcontrol)
    logic        ended;        // not a start: this grid, which runs elsewhere, has completed
    logic [3:0]  grid;         // slot, 1..15
  } grid_t;
  typedef struct packed {      // CTA to grid table. 16 bits
    logic       signals;       // the CTA has signalled: its first launch_dependents, or its end without one
    logic       ends;          // the CTA's slot is free: all its operations are performed
    logic [3:0] grid;
    logic [4:0] cta;
    logic [4:0] sm;            // written by the network
  } grid_up_t;
  typedef struct packed {      // grid table to every SM. 8 bits
    logic [2:0] rsvd;
    logic       go;            // 1: the prerequisites of the grid are complete; 0: its slot is free again
    logic [3:0] grid;
  } grid_dn_t;
  // Retire tap: one record per commit. `old_w` and `new_w` are the packed object state before and after it. 256 bits.
  typedef struct packed {
    logic [63:0] new_w;
    logic [63:0] old_w;
    logic [31:0] obj;          // barrier id | member mask | {rank, offset} | cluster slot
    mask_t       lanes;
    logic [4:0]  src_sm;       // with SrcRemote: SM that sent it; with OpEvAck: SM that acknowledges
    logic [1:0]  src_cta_lo;   // and its CTA slot, in two parts so that no field crosses a 32-bit word
    logic        refused;
    logic        flip;         // a phase or generation completed
    src_e        src;
    cause_e      cause;
    logic [15:0] errs;         // error bits of the unit (NbErr*, WsErr*, CbErr*, ...)
    logic [2:0]  src_cta_hi;
    logic [11:0] tag;
    logic [4:0]  warp;
    logic [4:0]  cta;
    op_e         op;
  } tap_t;

  typedef struct packed {      // packed state of a named barrier in tap_t
    mask_t       arrived;      // warps counted in this generation
    logic [1:0]  mode;         // nb_mode_e
    logic [6:0]  target;       // warps; saturates at 127 (D-16)
    logic [6:0]  n;            // arrivals
    logic [10:0] popc;
    logic        all;
    logic        any;
    logic [2:0]  redops;       // red operators seen: {or, and, popc}
  } nb_word_t;
  typedef struct packed {      // packed state of one CTA's part of the cluster barrier in tap_t
    mask_t       live;         // warps not exited
    mask_t       arrived;      // warps counted in this generation
  } cb_word_t;

  // Quasi-static configuration; changes only while every unit is idle. All latencies in clocks. 480 bits.
  typedef struct packed {
    logic [15:0] grid_down_lat;      // grid table to SM
    logic [15:0] grid_up_lat;        // SM to grid table
    logic [15:0] vote_lat;           // vote, elect, activemask: last lane to response
    logic [15:0] match_lat;          // match: last lane to response
    logic [15:0] redux_minmax_lat;   // redux.min, redux.max: last lane to response
    logic [15:0] redux_lat;          // other redux: last lane to response
    logic [31:0] trywait_limit;      // default suspension of try_wait
    logic [15:0] trywait_lat;        // wait issue to predicate
    logic [15:0] mbar_lat;           // other mbarrier responses
    logic [15:0] net_bytes;          // bytes a link moves per clock, 0: unlimited
    logic [15:0] dsm_hop;            // one way SM to SM
    logic [15:0] cbar_down_lat;      // network to SM
    logic [15:0] cbar_up_lat;        // SM to network
    logic [15:0] cbar_wait_lat;      // flip at the SM to release of its waiters
    logic [15:0] warp_sync_lat;      // last lane to response
    logic [15:0] bar_arrive_lat;     // arrival to response of bar.arrive
    logic [15:0] bar_release_lat;    // completing arrival to release
    logic [15:0] bar_interval;       // clocks between two arrivals of one SM, at least 1
    logic [15:0] mbar_interval;      // clocks between two mbarrier updates, at least 1
    logic [15:0] smem_lat;           // memory port read latency, at least 1
    logic [15:0] null_lat;           // answer of an operation without a unit
    logic [7:0]  mbar_policy;        // bit 0: write-back cache, bit 1: lock on error, bit 2: sm_80 profile
    logic [7:0]  trywait_slots;      // usable wait slots, at most parameter Waits of gsu_sm
    logic [15:0] mbar_remote_lat;    // packet at the owner to its update
    logic [31:0] fence_sys_lat;      // fence of scope sys, and the additional time of a release of that scope
    logic [31:0] fence_gpu_lat;      // the same for scope gpu or cluster
    logic [31:0] fence_cta_lat;      // fence of scope cta, proxy fences
  } cfg_t;


  // The earlier of two deadlines; all ones is none.
  function automatic cycle_t earlier(cycle_t a, cycle_t b);
    if (Events) earlier = b < a ? b : a;
    else earlier = a & b;  // 0 or none
  endfunction

  // Number of set bits: sums of neighbours, in as many steps as the index has bits.
  function automatic logic [5:0] count_of(mask_t set);
    mask_t pairs, fours;
    logic [3:0][7:0] eights;
    pairs    = (set & 32'h5555_5555) + ((set >> 1) & 32'h5555_5555);
    fours    = (pairs & 32'h3333_3333) + ((pairs >> 2) & 32'h3333_3333);
    eights   = (fours & 32'h0f0f_0f0f) + ((fours >> 4) & 32'h0f0f_0f0f);
    count_of = (6'(eights[0]) + 6'(eights[1])) + (6'(eights[2]) + 6'(eights[3]));
  endfunction

  // The functions from here on have two forms: few steps for a simulator, a tree for hardware. gsu_forms_fv shows that both are the same.
  // Is a <= b, for example a deadline and the time? The tree joins neighbouring groups of bits, with two flags for each: b greater, and b not less.
  function automatic logic at_most(cycle_t a, cycle_t b);
    at_most = Events ? a <= b : at_most_tree(a, b);
  endfunction
  function automatic logic at_most_tree(cycle_t a, cycle_t b);
    logic [63:0] more, same;  // same: or more
    more = 64'(b) & ~64'(a);
    same = 64'(b) | ~64'(a);
    for (int size = 32; size >= 1; size = size / 2) begin
      for (int i = 0; i < size; i++) begin
        {more[i], same[i]} = {more[2*i+1] || (same[2*i+1] && more[2*i]), more[2*i+1] || (same[2*i+1] && same[2*i])};
      end
    end
    at_most_tree = same[0];
  endfunction

  // One less. The tree computes for each bit whether a lower bit is set.
  function automatic logic [31:0] one_less(logic [31:0] count);
    one_less = Events ? count - 32'd1 : one_less_tree(count);
  endfunction
  function automatic logic [31:0] one_less_tree(logic [31:0] count);
    logic [31:0] below;
    below = count << 1;
    for (int size = 1; size < 32; size = 2 * size) below = below | (below << size);
    one_less_tree = ~(count ^ below);
  endfunction

  // Index of the lowest set bit, 0 if none. The caller extends narrower sets.
  function automatic logic [5:0] lowest_of(logic [63:0] set);
    lowest_of = Events ? lowest_steps(set) : lowest_tree(set);
  endfunction
  // Round robin: the lowest of `set` in `after`, else the lowest of all; hardware searches for both in parallel.
  function automatic logic [5:0] turn_of(logic [63:0] set, logic [63:0] after);
    turn_of = Events ? turn_steps(set, after) : turn_tree(set, after);
  endfunction
  function automatic logic [5:0] turn_tree(logic [63:0] set, logic [63:0] after);
    turn_tree = |(set & after) ? lowest_tree(set & after) : lowest_tree(set);
  endfunction
  function automatic logic [5:0] turn_steps(logic [63:0] set, logic [63:0] after);
    turn_steps = lowest_steps(|(set & after) ? set & after : set);
  endfunction
  function automatic logic [5:0] lowest_tree(logic [63:0] set);
    logic [63:0] some;
    logic [63:0][5:0] at;
    some = set;
    at   = '0;
    for (int level = 0; level < 6; level++) begin
      for (int i = 0; i < 32 >> level; i++) begin
        at[i]   = some[2*i] ? at[2*i] : at[2*i+1] | 6'(1 << level);
        some[i] = some[2*i] || some[2*i+1];
      end
    end
    lowest_tree = some[0] ? at[0] : '0;
  endfunction
  function automatic logic [5:0] lowest_steps(logic [63:0] set);
    logic [31:0] h;
    logic [15:0] q;
    logic [7:0]  e;
    logic [3:0]  n;
    logic [1:0]  p;
    lowest_steps[5] = set[31:0] == '0 && set[63:32] != '0;
    h            = lowest_steps[5] ? set[63:32] : set[31:0];
    lowest_steps[4] = h[15:0] == '0 && h[31:16] != '0;
    q            = lowest_steps[4] ? h[31:16] : h[15:0];
    lowest_steps[3] = q[7:0] == '0 && q[15:8] != '0;
    e            = lowest_steps[3] ? q[15:8] : q[7:0];
    lowest_steps[2] = e[3:0] == '0 && e[7:4] != '0;
    n            = lowest_steps[2] ? e[7:4] : e[3:0];
    lowest_steps[1] = n[1:0] == '0 && n[3:2] != '0;
    p            = lowest_steps[1] ? n[3:2] : n[1:0];
    lowest_steps[0] = p == 2'b10;
  endfunction
endpackage
