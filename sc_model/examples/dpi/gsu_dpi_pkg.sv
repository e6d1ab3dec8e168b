// gsu_dpi_pkg: GSU's C library (gsu.h) for SystemVerilog test benches, over DPI-C; gsu_dpi.c is the other half. Needs gsu_pkg.sv of the RTL, whose
// operations, causes and scopes have the library's numbers. The text of gsu.h about a call holds here as well: results below 0 are errors, and
// gsu_last_error() returns their message; gsu_must() ends the simulation with it.
// Licence: Apache-2.0.
package gsu_dpi_pkg;
  import gsu_pkg::*;

  typedef enum int {
    EvResponse  = 1,
    EvRelease   = 2,
    EvCommit    = 3,
    EvDelivered = 4,
    EvCtaFree   = 5,
    EvFinding   = 6,
    EvDropped   = 7,
    EvGrid      = 8,
    EvCancel    = 9   // a lane of try_cancel asks: gsu_dpi_answer_cancel under its slot, which is in `object`; `cluster`: multicast
  } gsu_event_e;
  localparam longint unsigned GsuNever = 64'hFFFF_FFFF_FFFF_FFFF;  // no cycle: nothing will happen without input
  localparam int GridStarts = 0, GridEnded = 1, GridFewer = 2;
  localparam int AsyncKindCompleteTx = 0, AsyncKindArriveOn = 1, AsyncKindAgentArrive = 2;

  // One instruction of one group of lanes; gsu_request_new() gives one with everything else 0.
  typedef struct {
    op_e             op;
    int              sm, cta, warp, tag;
    int unsigned     lanes, arg0, arg1, pred;
    sem_e            sem;
    scope_e          scope;
    int              kind;
    bit              aligned, no_complete, want_value, diverged, remote;
    bit [31:0][31:0] addr;       // {rank, byte offset} of an mbarrier, per lane
    bit [31:0][63:0] data;       // count, bytes, state, parity, value, per lane
    bit [31:0][31:0] limit;      // of try_wait with kind 1: clocks
  } gsu_request_t;

  // An event. Members that its kind does not have are 0.
  typedef struct {
    gsu_event_e      kind;
    longint unsigned cycle;
    int              sm, cta, warp, tag;
    int unsigned     warps;   // releases: bit per warp; else 1 << warp
    int unsigned     lanes;   // who
    int              op;      // of commits and findings
    int unsigned     object;  // barrier id, member mask or mbarrier of commits and findings; id of releases; slot of grids
    cause_e          cause;
    bit              last, flip, refused, cluster, all, any;  // last: of grids: over, else signalled
    int unsigned     pred;    // per lane
    longint unsigned value;   // responses: value; commits: the new word; releases: popc
    string           text;    // findings: rule and message
  } gsu_event_t;

  // A named barrier between cycles (gsu_barrier_state). Masks have a bit per warp, counts are in threads.
  typedef struct {
    int unsigned     arrived, waiting, missing, arrived_count, expected;
    longint unsigned generations;
  } gsu_barrier_t;

  import "DPI-C" function chandle gsu_dpi_create(input string unit, input string preset, input string settings, input int sms, input int assertions);
  import "DPI-C" function int gsu_dpi_destroy(input chandle unit);
  import "DPI-C" function string gsu_dpi_last_error();
  import "DPI-C" function int gsu_dpi_step(input chandle unit);
  import "DPI-C" function longint unsigned gsu_dpi_now(input chandle unit);
  import "DPI-C" function longint unsigned gsu_dpi_quiet_until(input chandle unit);
  import "DPI-C" function int gsu_dpi_skip_to(input chandle unit, input longint unsigned cycle);
  import "DPI-C" function int gsu_dpi_launch(input chandle unit, input int sm, input int cta, input int warp_base, input int threads,
                                             input int unsigned smem_base, input int unsigned smem_size, input int cluster, input int rank, input int ctas,
                                             input int grid);
  import "DPI-C" function int gsu_dpi_grid(input chandle unit, input int grid, input int what, input int unsigned ctas, input int prereqs);
  import "DPI-C" function int gsu_dpi_route(input chandle unit, input int cluster, input int rank, input int sm, input int cta, input int ctas);
  import "DPI-C" function int gsu_dpi_exit(input chandle unit, input int sm, input int cta, input int warp, input int unsigned lanes);
  import "DPI-C" function int gsu_dpi_can_present(input chandle unit, input int sm);
  import "DPI-C" function int gsu_dpi_present(input chandle unit, input int op, input int sm, input int cta, input int warp, input int tag,
                                              input int unsigned lanes, input int unsigned arg0, input int unsigned arg1, input int unsigned pred,
                                              input int sem, input int scope, input int kind, input int flags,
                                              input int unsigned addr[32], input longint unsigned data[32], input int unsigned limit[32]);
  import "DPI-C" function int gsu_dpi_notify(input chandle unit, input int kind, input int sm, input int cta, input int warp,
                                             input int unsigned addr, input int unsigned amount, input int tag);
  import "DPI-C" function int gsu_dpi_answer_cancel(input chandle unit, input int sm, input int slot, input int canceled,
                                                    input int unsigned x, input int unsigned y, input int unsigned z);
  import "DPI-C" function int gsu_dpi_read_word(input chandle unit, input int sm, input int unsigned addr, output longint unsigned word);
  import "DPI-C" function int gsu_dpi_stored(input chandle unit, input int sm, input int unsigned addr, input int unsigned bytes);
  import "DPI-C" function int gsu_dpi_barrier(input chandle unit, input int sm, input int cta, input int id, output int unsigned arrived,
                                              output int unsigned waiting, output int unsigned missing, output int unsigned arrived_count,
                                              output int unsigned expected, output longint unsigned generations);
  import "DPI-C" function string gsu_dpi_explain(input chandle unit);
  import "DPI-C" function string gsu_dpi_fault(input chandle unit);
  import "DPI-C" function int gsu_dpi_next_event(input chandle unit, output int kind, output longint unsigned cycle, output int sm, output int cta,
                                                 output int warp, output int tag, output int unsigned warps, output int unsigned lanes, output int op,
                                                 output int unsigned object, output int cause, output int flags, output int unsigned pred,
                                                 output longint unsigned value);
  import "DPI-C" function string gsu_dpi_event_text(input chandle unit);

  // Ends the simulation if a call failed; otherwise returns its result.
  function automatic int gsu_must(int status, string what);
    if (status < 0) $fatal(1, "%s: %s", what, gsu_dpi_last_error());
    return status;
  endfunction

  function automatic gsu_request_t gsu_request_new(op_e op, int warp, int unsigned lanes = '1);
    gsu_request_t r;
    r.op          = op;
    r.sm          = 0;
    r.cta         = 0;
    r.warp        = warp;
    r.tag         = warp;
    r.lanes       = lanes;
    r.arg0        = 0;
    r.arg1        = 0;
    r.pred        = 0;
    r.sem         = SemRelaxed;
    r.scope       = ScopeNone;
    r.kind        = 0;
    r.aligned     = 0;
    r.no_complete = 0;
    r.want_value  = 0;
    r.diverged    = 0;
    r.remote      = 0;
    r.addr        = '0;
    r.data        = '0;
    r.limit       = '0;
    return r;
  endfunction

  // An mbarrier instruction whose lanes all name the same object and the same operand.
  function automatic gsu_request_t gsu_mbarrier_new(op_e op, int warp, int unsigned lanes, int unsigned addr, longint unsigned data);
    gsu_request_t r;
    r = gsu_request_new(op, warp, lanes);
    r.addr = {32{addr}};
    r.data = {32{data}};
    return r;
  endfunction

  function automatic int gsu_present(chandle unit, gsu_request_t r);
    int unsigned addr[32], limit[32];
    longint unsigned data[32];
    for (int i = 0; i < 32; i++) begin
      addr[i]  = r.addr[i];
      data[i]  = r.data[i];
      limit[i] = r.limit[i];
    end
    return gsu_dpi_present(unit, int'(r.op), r.sm, r.cta, r.warp, r.tag, r.lanes, r.arg0, r.arg1, r.pred, int'(r.sem), int'(r.scope), r.kind,
                           {27'b0, r.remote, r.diverged, r.want_value, r.no_complete, r.aligned}, addr, data, limit);
  endfunction

  // Reads the oldest event that was not read: 1, or 0 if there is none.
  function automatic int gsu_next_event(chandle unit, output gsu_event_t e);
    int kind, cause, flags;
    gsu_next_event = gsu_dpi_next_event(unit, kind, e.cycle, e.sm, e.cta, e.warp, e.tag, e.warps, e.lanes, e.op, e.object, cause, flags, e.pred, e.value);
    e.kind  = gsu_event_e'(kind);
    e.cause = cause_e'(cause);
    {e.any, e.all, e.cluster, e.refused, e.flip, e.last} = flags[5:0];
    e.text  = gsu_next_event == 1 && e.kind == EvFinding ? gsu_dpi_event_text(unit) : "";
  endfunction

  function automatic gsu_barrier_t gsu_barrier(chandle unit, int sm, int cta, int id);
    gsu_barrier_t b;
    int status;
    status = gsu_dpi_barrier(unit, sm, cta, id, b.arrived, b.waiting, b.missing, b.arrived_count, b.expected, b.generations);
    if (gsu_must(status, "gsu_barrier") == 0) return b;
  endfunction
endpackage
