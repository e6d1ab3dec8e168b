// gsu_mbar_cache: a small fully associative cache of mbarrier words in front of the SM's shared memory. The words of a line are fetched one by one.
// Write-through: each update is written at once, and an ordinary store to a word drops the word. Write-back: a word is written when its line is replaced,
// invalidated or flushed, and ordinary stores are not seen. Rules: D-37 (inval writes back and drops), MBAR-007, MBAR-016.
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_mbar_cache
  import gsu_pkg::*;
  import gsu_mbar_pkg::*;
#(
    parameter int unsigned Lines = 4,  /// lines of four words
    parameter int unsigned AddrW = 15  /// bits of a word address; proofs use fewer
) (
    input  logic             clk_i,
    input  logic             rst_ni,
    input  logic             write_back_i,    // changes only while idle_o
    input  logic             access_i,        // the word at addr_i is needed; holds until hit_o
    input  logic [AddrW-1:0] addr_i,          // holds while access_i and not hit_o
    output logic             hit_o,
    output logic [63:0]      word_o,
    input  logic             write_i,         // only with hit_o: replaces the word
    input  logic [63:0]      wdata_i,
    input  logic             drop_i,          // only with hit_o, not with write_i: the object was invalidated
    input  logic             flush_i,         // pulse: write back and drop everything
    output logic             flushing_o,
    input  logic             snoop_valid_i,
    input  logic [AddrW-1:0] snoop_addr_i,
    output logic             mem_req_valid_o, // from flops
    output mem_req_t         mem_req_o,
    input  logic             mem_rsp_valid_i, // answers reads in order
    input  logic [63:0]      mem_rdata_i,
    output logic             idle_o           // nothing changes without an input
);
  localparam int unsigned LineW = $clog2(Lines);
  localparam int unsigned TagW = AddrW - 2;
  typedef logic [LineW-1:0] line_t;
  typedef enum logic [1:0] {StIdle, StEvict, StRead} state_e;

  state_e                     state_q, state_d;
  logic [Lines-1:0][TagW-1:0] tag_q;
  logic [Lines-1:0][3:0]      valid_q, valid_d, dirty_q, dirty_d;
  logic [63:0]                data_q[4*Lines];
  line_t                      line_q, line_d;      // the line that is evicted or filled
  line_t                      victim_q, victim_d, victim_next;  // the line to be replaced next
  logic                       stale_q, stale_d;    // an ordinary store has hit the word that is being read
  logic                       flush_q, flush_d;
  logic                       req_valid_q, req_valid_d;
  mem_req_t                   req_q, req_d;

  ////// Look-up //////
  logic [1:0] word;
  logic line_hit, ready, hit;
  line_t hit_line;
  assign word  = addr_i[1:0];
  assign ready = state_q == StIdle && !flush_q;
  always_comb begin
    line_hit   = 1'b0;
    hit_line   = '0;
    if (access_i) begin
      for (int unsigned l = 0; l < Lines; l++) begin
        if (valid_q[l] != '0 && tag_q[l] == addr_i[AddrW-1:2]) begin
          line_hit = 1'b1;
          hit_line = line_t'(l);
        end
      end
    end
  end
  assign hit        = ready && line_hit && valid_q[hit_line][word];
  assign hit_o      = hit;
  assign word_o     = data_q[{hit_line, word}];
  assign flushing_o = flush_q;

  assign victim_next = victim_q == line_t'(Lines - 1) ? '0 : victim_q + line_t'(1);

  ////// Next state: hits first; then one line is written back or one word is fetched //////
  line_t place, dirty_line;
  logic any_free, any_dirty;
  logic [1:0] out_word;
  logic put;
  always_comb begin
    place      = victim_q;
    any_free   = 1'b0;
    dirty_line = '0;
    any_dirty  = 1'b0;
    out_word   = '0;
    if (!hit && (access_i || flush_q)) begin
      for (int l = int'(Lines) - 1; l >= 0; l--) begin
        if (valid_q[l] == '0) begin
          place    = line_t'(l);
          any_free = 1'b1;
        end
        if (dirty_q[l] != '0) begin
          dirty_line = line_t'(l);
          any_dirty  = 1'b1;
        end
      end
      if (line_hit) place = hit_line;
    end
    if (state_q == StEvict) begin
      for (int w = 3; w >= 0; w--) if (dirty_q[line_q][w]) out_word = 2'(w);
    end
  end

  logic start_read;
  always_comb begin
    state_d     = state_q;
    valid_d     = valid_q;
    dirty_d     = dirty_q;
    line_d      = line_q;
    victim_d    = victim_q;
    stale_d     = stale_q;
    flush_d     = flush_q || flush_i;
    req_valid_d = 1'b0;
    req_d       = req_q;
    put         = 1'b0;
    start_read  = 1'b0;
    case (state_q)
      StIdle: begin
        if (flush_q) begin
          if (any_dirty) begin
            line_d  = dirty_line;
            state_d = StEvict;
          end else begin
            valid_d = '0;
            flush_d = flush_i;
          end
        end else if (hit) begin
          put = write_i;
          if ((write_i && !write_back_i) || (drop_i && dirty_q[hit_line][word])) begin
            req_valid_d = 1'b1;
            req_d       = '{addr: 18'({addr_i, 3'b0}), we: 1'b1, be: '1, wdata: drop_i ? word_o : wdata_i, default: '0};
          end
          if (write_i && write_back_i) dirty_d[hit_line][word] = 1'b1;
          if (drop_i) begin
            valid_d[hit_line][word] = 1'b0;
            dirty_d[hit_line][word] = 1'b0;
          end
        end else if (access_i) begin
          line_d = place;
          if (!line_hit && dirty_q[place] != '0) begin
            victim_d = victim_next;
            state_d  = StEvict;
          end else begin
            if (!line_hit) begin
              valid_d[place] = '0;
              if (!any_free) victim_d = victim_next;
            end
            start_read = 1'b1;
          end
        end
      end
      StEvict: begin  // one dirty word a clock; the last one empties the line
        req_valid_d = 1'b1;
        req_d = '{
            addr: 18'({tag_q[line_q], out_word, 3'b0}),
            we: 1'b1,
            be: '1,
            wdata: data_q[{line_q, out_word}],
            default: '0
        };
        dirty_d[line_q][out_word] = 1'b0;
        if (dirty_d[line_q] == '0) begin
          valid_d[line_q] = '0;
          state_d         = StIdle;
        end
      end
      default: ;  // StRead ends with the answer
    endcase
    if (start_read) begin
      state_d     = StRead;
      stale_d     = 1'b0;
      req_valid_d = 1'b1;
      req_d       = '{addr: 18'({addr_i, 3'b0}), default: '0};
    end
  end

  ////// Inputs from outside act at the flops only, so that nothing above depends on a port of the SM in the same clock //////
  logic stale, fill;  // an ordinary store hits the word that is being read
  assign stale = stale_q || (snoop_valid_i && !write_back_i && snoop_addr_i == addr_i);
  assign fill  = mem_rsp_valid_i && state_q == StRead && !stale;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      state_q     <= StIdle;
      valid_q     <= '0;
      dirty_q     <= '0;
      line_q      <= '0;
      victim_q    <= '0;
      stale_q     <= 1'b0;
      flush_q     <= 1'b0;
      req_valid_q <= 1'b0;
      req_q       <= '0;
    end else begin
      state_q     <= state_d;
      valid_q     <= valid_d;
      dirty_q     <= dirty_d;
      line_q      <= line_d;
      victim_q    <= victim_d;
      stale_q     <= stale_d;
      flush_q     <= flush_d;
      req_valid_q <= req_valid_d;
      req_q       <= req_d;
      if (state_q == StRead) begin
        stale_q <= stale && !mem_rsp_valid_i;
        if (fill) begin
          valid_q[line_q][word] <= 1'b1;
          state_q               <= StIdle;
        end else if (mem_rsp_valid_i) begin
          req_valid_q <= 1'b1;  // read the word again
          req_q       <= '{addr: 18'({addr_i, 3'b0}), default: '0};
        end
      end
      // An ordinary store to a word overrides the effect of this clock on that word.
      if (snoop_valid_i && !write_back_i) begin
        for (int unsigned l = 0; l < Lines; l++) begin
          if (valid_q[l][snoop_addr_i[1:0]] && !dirty_q[l][snoop_addr_i[1:0]] && tag_q[l] == snoop_addr_i[AddrW-1:2])
            valid_q[l][snoop_addr_i[1:0]] <= 1'b0;
        end
      end
    end
  end
  always_ff @(posedge clk_i) begin
    if (start_read) tag_q[place] <= addr_i[AddrW-1:2];
    if (put) data_q[{hit_line, word}] <= wdata_i;
    if (fill) data_q[{line_q, word}] <= mem_rdata_i;
  end

  assign mem_req_valid_o = req_valid_q;
  assign mem_req_o       = req_q;
  assign idle_o          = !req_valid_q && !flush_q && (state_q == StRead || (state_q == StIdle && (!access_i || hit)));

  ////// For readers of waves: the words as numbers. Nothing else reads them //////
  // Scopes, not an array of structs, because arrays of structs have other names in the dumps of newer Verilators.
  for (genvar i = 0; i < 4 * Lines; i++) begin : g_shown
    logic        valid;
    logic        dirty;
    logic [17:0] address;  // byte of the SM's shared memory
    mbar_obj_t   object;   // 0 while not valid
    assign valid   = valid_q[i/4][i%4];
    assign dirty   = dirty_q[i/4][i%4];
    assign address = 18'({tag_q[i/4], 2'(i), 3'b0});
    assign object  = valid ? mbar_unpack(data_q[i]) : '0;
    logic unused;
    assign unused = &{1'b0, valid, dirty, address, object};
  end

  `REQUIRE(UseOnHit, !(write_i || drop_i) || hit_o)
  `REQUIRE(NotBoth, !(write_i && drop_i))
  `REQUIRE(AnswerWanted, !mem_rsp_valid_i || state_q == StRead)
  `ASSERT(DirtyIsValid, (dirty_q & ~valid_q) == '0)
  `COVER(EvictsDirty, state_q == StEvict && !flush_q)
  `COVER(FlushesDirty, state_q == StEvict && flush_q)
  `COVER(ReadsAgain, state_q == StRead && mem_rsp_valid_i && stale)
  `COVER(SnoopBeatsWrite, snoop_valid_i && !write_back_i && put && !dirty_q[hit_line][word] && snoop_addr_i == addr_i)
endmodule
