// prove: name=through engine=kind depth=2 flat=1 files=gsu_mbar_pkg,gsu_mbar_cache define=FV_THROUGH cover=14 skip=SnoopBeats|EvictsDirty|FlushesDirty
// prove: name=back engine=kind depth=2 flat=1 files=gsu_mbar_pkg,gsu_mbar_cache define=FV_BACK cover=16 skip=SnoopBeats|ReadsAgain
// Harness of gsu_mbar_cache: the cached value equals the program's value, for one symbolic word of a memory that answers after any time (MBAR-007, D-37; peers
// flip the phase of a neighbour in the same line). Two lines and eight words stand for any number; ordinary stores (write-through) come with their snoop. The
// bits of a word are independent, so bit 0 stands for all. No operation on another word changes this one.
`include "gsu_assert.svh"
`include "gsu_formal.svh"
module gsu_mbar_cache_fv
  import gsu_pkg::*;
(
    input logic        clk_i,
    input logic        rst_ni,
    input logic        access_i,
    input logic [4:0]  addr_i,
    input logic        write_i,
    input logic [63:0] wdata_i,
    input logic        drop_i,
    input logic        flush_i,
    input logic        store_i,      // an ordinary store hits the watched word
    input logic        store_data_i,
    input logic        other_snoop_i,
    input logic [4:0]  other_addr_i,
    input logic        answer_i,     // the memory answers in this clock
    input logic [63:0] other_data_i
);
  `FV_RESET
  logic [4:0] sym_q;  // any constant
  always_ff @(posedge clk_i) sym_q <= sym_q;

  logic hit_o, flushing_o, mem_req_valid_o, idle_o, snoop_valid, mem_rsp_valid;
  logic [63:0] word_o, mem_rdata;
  logic [4:0] snoop_addr;
  mem_req_t mem_req_o;
`ifdef FV_BACK
  localparam bit Back = 1'b1;
`else
  localparam bit Back = 1'b0;
`endif
  gsu_mbar_cache #(.Lines(2), .AddrW(5)) dut (
      .clk_i, .rst_ni, .write_back_i(Back), .access_i, .addr_i, .hit_o, .word_o,
      .write_i, .wdata_i, .drop_i, .flush_i, .flushing_o,
      .snoop_valid_i(snoop_valid), .snoop_addr_i(snoop_addr),
      .mem_req_valid_o, .mem_req_o, .mem_rsp_valid_i(mem_rsp_valid), .mem_rdata_i(mem_rdata), .idle_o
  );

  // The watched word: in memory, in a pending read, and its value for the program.
  logic mem_q, read_q, truth_q;
  logic reading_q, read_sym_q, snoop_q;
  logic sym_req, started, store;
  assign sym_req       = mem_req_valid_o && mem_req_o.addr[7:3] == sym_q;
  assign started       = mem_req_valid_o && !mem_req_o.we;
  assign store         = store_i && !Back;
  assign mem_rsp_valid = reading_q && answer_i;
  assign mem_rdata     = read_sym_q ? {other_data_i[63:1], read_q} : other_data_i;
  // A store of the last clock is announced in this clock: the memory has it, and the read of this clock sees it.
  assign snoop_valid   = snoop_q || (other_snoop_i && other_addr_i != sym_q);
  assign snoop_addr    = snoop_q ? sym_q : other_addr_i;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      reading_q  <= 1'b0;
      snoop_q    <= 1'b0;
      read_sym_q <= 1'b0;
    end else begin
      if (started) reading_q <= 1'b1;
      else if (mem_rsp_valid) reading_q <= 1'b0;
      if (started) read_sym_q <= sym_req;
      snoop_q <= store;
    end
  end
  // Memory takes requests of this clock, then the program's store.
  logic mem_now, mem_next;
  assign mem_now  = sym_req && mem_req_o.we ? mem_req_o.wdata[0] : mem_q;
  assign mem_next = store ? store_data_i : mem_now;
  always_ff @(posedge clk_i) begin
    mem_q <= mem_next;
    if (started && sym_req) read_q <= mem_q;
    if (!rst_ni) truth_q <= mem_next;
    else if (write_i && addr_i == sym_q) truth_q <= wdata_i[0];
    else if (store) truth_q <= store_data_i;
  end

  // The user of the cache: holds its address until the hit, updates on hits only, never while the program stores to the same word (UB-29).
  logic wait_q;
  logic [4:0] wait_addr_q;
  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) wait_q <= 1'b0;
    else wait_q <= access_i && !hit_o;
  end
  always_ff @(posedge clk_i) wait_addr_q <= addr_i;
  `ASSUME(Holds, !wait_q || (access_i && addr_i == wait_addr_q))
  `ASSUME(UsesHits, !(write_i || drop_i) || (access_i && hit_o))
  `ASSUME(OneUse, !(write_i && drop_i))
  `ASSUME(NoRace, !(store && write_i && addr_i == sym_q) && !(snoop_q && write_i && addr_i == sym_q) && !(store && sym_req))
  `ASSUME(AnswersOnlyReads, !mem_rsp_valid || !started)

  `ASSERT(HitIsTheTruth, !(access_i && hit_o && addr_i == sym_q && !snoop_q) || word_o[0] == truth_q)
`ifdef FV_THROUGH
  `ASSERT(MemoryIsTheTruth, mem_now == truth_q)
`endif

  // The place of the watched word, and the result of a pending read.
  logic [1:0] holds, dirty;
  logic kept, out_of_line;
  always_comb begin
    for (int l = 0; l < 2; l++) begin
      holds[l] = dut.valid_q[l][sym_q[1:0]] && dut.tag_q[l] == sym_q[4:2];
      dirty[l] = holds[l] && dut.dirty_q[l][sym_q[1:0]];
    end
    kept = dut.data_q[{holds[1], sym_q[1:0]}][0];
    out_of_line = holds == '0 || dirty == '0;
  end
  `ASSERT(OneLinePerTag, dut.valid_q[0] == '0 || dut.valid_q[1] == '0 || dut.tag_q[0] != dut.tag_q[1])
  `ASSERT(KeptIsTheTruth, holds == '0 || snoop_q || kept == truth_q)
  `ASSERT(CleanMemoryIsTheTruth, !out_of_line || mem_now == truth_q)
  `ASSERT(NoDirtyInThrough, Back || dut.dirty_q == '0)
  `ASSERT(ReadIsUnderWay, (dut.state_q == 2'd2) == (started || reading_q) && !(started && reading_q))
  `ASSERT(ReadWaits, dut.state_q != 2'd2 || (wait_q && dut.tag_q[dut.line_q] == wait_addr_q[4:2] && !dut.valid_q[dut.line_q][wait_addr_q[1:0]]))
  `ASSERT(ReadLineIsItsOwn, dut.state_q != 2'd2 || dut.valid_q[!dut.line_q] == '0 || dut.tag_q[!dut.line_q] != wait_addr_q[4:2])
  `ASSERT(ReadAddress, !started || mem_req_o.addr == 18'({wait_addr_q, 3'b0}))
  `ASSERT(ReadNamesTheWord, !reading_q || read_sym_q == (wait_addr_q == sym_q))
  `ASSERT(ReadBringsTheTruth, !(reading_q && read_sym_q) || snoop_q || dut.stale_q || (read_q == truth_q && dirty == '0))
  `ASSERT(NoSnoopInBack, !Back || (!snoop_q && !dut.stale_q))
  `ASSERT(DirtyIsValidHere, (dut.dirty_q & ~dut.valid_q) == '0)
  `ASSERT(EvictHasDirty, dut.state_q != 2'd1 || dut.dirty_q[dut.line_q] != '0)
  `ASSERT_NEXT(IdleHolds, idle_o && !write_i && !drop_i && !flush_i && !snoop_valid && !mem_rsp_valid,
               $stable(dut.state_q) && $stable(dut.valid_q) && $stable(dut.dirty_q) && $stable(dut.tag_q) && $stable(dut.line_q)
               && $stable(dut.victim_q) && $stable(dut.flush_q) && $stable(mem_req_valid_o))
  `COVER(Replaced, access_i && hit_o && addr_i == sym_q && !$past(hit_o))
endmodule
