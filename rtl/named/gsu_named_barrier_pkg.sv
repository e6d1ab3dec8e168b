// gsu_named_barrier_pkg: one step of named-barrier arithmetic as a pure function, proved alone; the C++ twin is written from the requirements.
// Rules: BAR-009, BAR-013, BAR-017..019, BAR-023..027, BAR-039, BAR-040, D-05..D-16.
// SPDX-License-Identifier: Apache-2.0
package gsu_named_barrier_pkg;
  import gsu_pkg::*;
  import gsu_join_pkg::*;

  typedef enum logic [1:0] {
    NbIdle     = 2'd0,
    NbExplicit = 2'd1,  // the opening arrival wrote a count: exits never change it (A-02)
    NbImplicit = 2'd2   // all warps of the CTA: exits shrink it
  } nb_mode_e;

  typedef logic [6:0] warps_t;
  localparam warps_t NbMaxWarps = 7'd127;  // a larger target can never be reached

  // One generation of one barrier. All zero is idle.
  typedef struct packed {
    nb_mode_e    mode;
    logic [26:0] count;    // effective count of the opening arrival in warps, in full width, so that any other count differs
    logic [6:0]  n;        // arrivals, saturating
    mask_t       arrived;
    mask_t       waiting;
    mask_t       partial;  // waiting warps of which only some lanes wait
    logic [10:0] popc;
    logic        all;
    logic        any;
    logic [2:0]  redops;   // {or, and, popc}
    logic        plain;    // a sync or arrive was counted
    logic        last;     // one arrival more completes the generation: known a commit ahead
  } nb_state_t;

  typedef struct packed {
    nb_state_t   state;    // with this arrival counted; the caller stores idle instead when `done`
    logic        done;     // the generation completes
    logic        refused;  // no arrival, no block (D-16)
    logic [15:0] errs;
  } nb_result_t;

  function automatic nb_word_t nbar_word(nb_state_t s);
    nbar_word = '{
        arrived: s.arrived,
        mode: s.mode,
        target: s.count > 27'(NbMaxWarps) ? NbMaxWarps : s.count[6:0],
        n: s.n,
        popc: s.popc,
        all: s.all,
        any: s.any,
        redops: s.redops
    };
  endfunction

  // D-06: is the generation complete with these warps alive?
  function automatic logic nbar_done(nb_state_t s, mask_t live);
    case (s.mode)
      NbExplicit: nbar_done = 27'(s.n) >= s.count;  // n saturates: a larger count is never reached
      NbImplicit: nbar_done = s.n >= warps_t'(count_of(live | s.arrived));
      default: nbar_done = 1'b0;
    endcase
  endfunction

  // Would one more arrival, of a live warp, complete the generation?
  function automatic logic nbar_last(nb_state_t s, mask_t live);
    case (s.mode)
      NbExplicit: nbar_last = s.count <= 27'(NbMaxWarps) && 8'(s.n) + 8'd1 >= 8'(s.count);
      NbImplicit: nbar_last = 8'(s.n) + 8'd1 >= 8'(count_of(live | s.arrived));
      default: nbar_last = 1'b0;
    endcase
  endfunction

  // Does the exit of `warp` complete the generation? An exit counts like an arrival, unless the warp had already arrived.
  function automatic logic nbar_left(nb_state_t s, logic [4:0] warp);
    nbar_left = s.mode == NbImplicit && s.last && !s.arrived[warp];
  endfunction

  // A live warp arrives at barrier state `s`; `live`, `warps` and `bars` (barriers) are those of its CTA.
  function automatic nb_result_t nbar_next(nb_state_t s, warp_arr_t a, mask_t live, logic [5:0] warps, logic [6:0] bars);
    logic [26:0] count;
    logic red, plain;
    count = a.arg1 == '0 ? 27'(warps) : a.arg1[31:5];
    red   = |a.redops;
    plain = a.has_sync || a.has_arrive;
    nbar_next = '{state: s, default: '0};
    nbar_next.errs[NbErrId]         = a.arg0 >= 32'(bars);
    nbar_next.errs[NbErrCount]      = |a.arg1[4:0];
    nbar_next.errs[NbErrArriveZero] = a.op == OpBarArrive && a.arg1 == '0;
    nbar_next.errs[NbErrDiverged]   = a.diverged;
    nbar_next.refused = nbar_next.errs[NbErrId] || nbar_next.errs[NbErrCount] || nbar_next.errs[NbErrArriveZero];
    if (!nbar_next.refused) begin
      if (s.mode == NbIdle) begin
        nbar_next.state = '{mode: a.arg1 == '0 ? NbImplicit : NbExplicit, count: count, all: 1'b1, default: '0};
      end else begin
        nbar_next.errs[NbErrCountsDiffer] = s.count != count;
        nbar_next.errs[NbErrRearrive]     = s.arrived[a.warp];
      end
      nbar_next.errs[NbErrMixed]  = (red || |nbar_next.state.redops) && (plain || nbar_next.state.plain);
      nbar_next.errs[NbErrRedOps] = red && $countones(nbar_next.state.redops | a.redops) > 1;
      if (nbar_next.state.n != NbMaxWarps) nbar_next.state.n = nbar_next.state.n + 7'd1;
      nbar_next.state.arrived[a.warp] = 1'b1;
      if (|a.wait_lanes) nbar_next.state.waiting[a.warp] = 1'b1;
      if (|a.wait_lanes && (a.diverged || a.wait_lanes != a.lanes)) nbar_next.state.partial[a.warp] = 1'b1;
      if (plain) nbar_next.state.plain = 1'b1;
      if (red) begin
        nbar_next.state.redops = nbar_next.state.redops | a.redops;
        nbar_next.state.popc   = nbar_next.state.popc + 11'(a.popc);
        nbar_next.state.all    = nbar_next.state.all && a.all;
        nbar_next.state.any    = nbar_next.state.any || a.any;
      end
      if (s.mode != NbIdle) nbar_next.done = s.last;
      else if (a.arg1 == '0) nbar_next.done = (live & ~(32'd1 << a.warp)) == '0;
      else nbar_next.done = count <= 27'd1;
      nbar_next.state.last = nbar_last(nbar_next.state, live);
    end
  endfunction

endpackage
