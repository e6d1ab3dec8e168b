// gsu_rr_arb: merges the streams of responses or releases into one output, in round-robin order. The output is a pulse from a flop; its receiver takes all.
// Rules: D-70 (no stream starves: a waiting one is served after at most Inputs-1 others).
// SPDX-License-Identifier: Apache-2.0
`include "gsu_assert.svh"
module gsu_rr_arb #(
    parameter int unsigned Width  = 1,  /// payload bits
    parameter int unsigned Inputs = 2   /// streams, at least 2
) (
    input  logic                          clk_i,
    input  logic                          rst_ni,
    input  logic [Inputs-1:0]             valid_i,  // each holds with stable data until its ready
    output logic [Inputs-1:0]             ready_o,
    input  logic [Inputs-1:0][Width-1:0]  data_i,
    output logic                          valid_o,  // pulse
    output logic [Width-1:0]              data_o
);
  // Streams after the one served last come first: `low_q` marks the streams up to and including that one.
  logic [Inputs-1:0] low_q, above, below, grant;

  assign above = valid_i & ~low_q;
  assign below = valid_i & low_q;

  // The ready of a stream never depends on its own valid: it says that no stream of higher priority is waiting.
  always_comb begin
    for (int unsigned i = 0; i < Inputs; i++) begin
      logic [Inputs-1:0] before_me;
      before_me  = (Inputs'(1) << i) - Inputs'(1);
      ready_o[i] = low_q[i] ? (above == '0 && (below & before_me) == '0) : ((above & before_me) == '0);
    end
  end
  assign grant = valid_i & ready_o;

  always_ff @(posedge clk_i or negedge rst_ni) begin
    if (!rst_ni) begin
      low_q   <= '0;
      valid_o <= 1'b0;
      data_o  <= '0;
    end else begin
      valid_o <= |valid_i;
      for (int unsigned i = 0; i < Inputs; i++) begin
        if (grant[i]) begin
          data_o <= data_i[i];
          low_q  <= (Inputs'(2) << i) - Inputs'(1);
        end
      end
    end
  end

  `ASSERT(OneGrant, $onehot0(grant))
  `ASSERT(SomeoneIsServed, (valid_i == '0) == (grant == '0))
  `ASSERT(OrderIsAThermometer, (low_q & (low_q + 1'b1)) == '0)
  `ASSERT_NEXT(IdleHolds, valid_i == '0, $stable(data_o) && $stable(low_q) && !valid_o)
  `COVER(AllWait, &valid_i)
endmodule
