// gsu_sm_limits: refuses, by name, parameters of gsu_sm that the ports or the queues cannot have. It works at elaboration and has no hardware.
// The limits follow from the fields of the port structs (gsu_pkg), from cfg_t (wait slots), from indices that need a bit, and from queues whose pointers wrap
// without a comparison.
// SPDX-License-Identifier: Apache-2.0
module gsu_sm_limits
  import gsu_pkg::*;
#(
    parameter int unsigned Ctas = MaxCtas,           /// all as gsu_sm
    parameter int unsigned WarpSlots = MaxWarpSlots, /// slots of warps
    parameter int unsigned Bars = BarsPerCta,        /// named barriers of a CTA
    parameter int unsigned Waits = 32,               /// wait slots
    parameter int unsigned Lines = 4,                /// lines of the barrier cache
    parameter int unsigned PerClock = 16,            /// lanes of the engine
    parameter int unsigned Releases = 32,  /// depths of queues
    parameter int unsigned Answers = 16,  /// depths of queues
    parameter int unsigned MbarAnswers = 32,  /// depths of queues
    parameter int unsigned WaitAnswers = 64,  /// depths of queues
    parameter int unsigned Sends = 8,  /// depths of queues
    parameter int unsigned Receives = 32,  /// depths of queues
    parameter int unsigned Operands = 64,  /// slots of operands
    parameter int unsigned Replies = 16,  /// entries of atoms
    parameter int unsigned Cancels = 8,  /// entries of try_cancel
    parameter int unsigned Matches = 64,  /// depths of queues
    parameter int unsigned Packets = 128  /// depths of queues
) ();
  function automatic bit depth(int unsigned value, int unsigned low, int unsigned high);
    return value >= low && value <= high && (value & (value - 1)) == 0;
  endfunction
  if (Ctas < 2 || Ctas > MaxCtas) begin : gen_ctas
    $error("gsu_sm: Ctas must be 2..32");
  end
  if (WarpSlots < 2 || WarpSlots > MaxWarpSlots) begin : gen_warp_slots
    $error("gsu_sm: WarpSlots must be 2..64");
  end
  if (Bars < 8 || Bars > MaxBars) begin : gen_bars
    $error("gsu_sm: Bars must be 8..64");
  end
  if (Waits < 2 || Waits > MaxWaits) begin : gen_waits
    $error("gsu_sm: Waits must be 2..128");
  end
  if (Lines < 2 || Lines > 64) begin : gen_lines
    $error("gsu_sm: Lines must be 2..64");
  end
  if (!depth(PerClock, 1, 32)) begin : gen_per_clock
    $error("gsu_sm: PerClock must be a power of two 1..32");
  end
  if (!depth(Releases, 2, 256) || !depth(Answers, 2, 256)) begin : gen_barriers
    $error("gsu_sm: Releases and Answers must be powers of two 2..256");
  end
  if (!depth(MbarAnswers, 2, 256) || !depth(WaitAnswers, 2, 256)) begin : gen_answers
    $error("gsu_sm: MbarAnswers and WaitAnswers must be powers of two 2..256");
  end
  if (!depth(Sends, 2, 256) || !depth(Receives, 2, 256)) begin : gen_packets
    $error("gsu_sm: Sends and Receives must be powers of two 2..256");
  end
  if (!depth(Operands, 4, 64) || !depth(Replies, 2, 64) || !depth(Cancels, 2, 32)) begin : gen_entries
    $error("gsu_sm: Operands must be a power of two 4..64, Replies 2..64, Cancels 2..32");
  end
  if (!depth(Matches, 2, 256)) begin : gen_matches
    $error("gsu_sm: Matches must be a power of two 2..256");
  end
  if (!depth(Packets, 2, 1024)) begin : gen_network
    $error("gsu_sm: Packets must be a power of two 2..1024");
  end
endmodule
