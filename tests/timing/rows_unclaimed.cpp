// Published figures that the model does not claim, with the reason.
#include "timing/rows.hpp"

namespace gsu::timing::test {

const std::vector<Unclaimed>& unclaimedRows()
{
    static const std::vector<Unclaimed> rows{
        {"tensor", "about 6 (5) wgmma in flight before issue stalls, FLASH H100",
         "a fit; with the one that executes counted it contradicts the 12.0 clocks of issue that "
         "were measured, without it it is the queue's depth here",
         2},
        {"tensor", "8 wgmma in flight on one accumulator, FLASH H100",
         "a fit, and more than the 6 that are said to fit at all"},
        {"tensor", "arithmetic slowed while wgmma pend, FLASH H100",
         "a fit; it needs the traffic of the register file, which is not modelled"},
        {"tensor", "tcgen05.alloc when all SMs do it, about 1030, B300",
         "nothing says what the SMs share there"},
        {"copies", "first box of a CTA, 4 and 16 KiB: 1649, 1887, FLASH H200",
         "cold address translation, which is not modelled: the model is 14 % short", 2},
        {"copies", "cluster probe: 936 + 12 a KiB, FLASH H200",
         "a fit of one program; what its L2 held is not said"},
        {"copies", "1024 rows of 16 B, four CTAs: 5.3 clocks a row, LUO raw H800",
         "how much of HBM's accesses such rows waste is not known"},
        {"copies", "boxes of 4, 16, 64 KiB: 1845, 3590, 5405, SEMI B200",
         "medians that spread by half", 3},
        {"copies", "cp.async from HBM: 1100 to 1200, SEMI B200",
         "300 more than a load's latency there, and nothing says why"},
        {"copies", "HBM, cp.async: 2292 bytes a clock, FLASH H200",
         "a path of its own is not modelled: as ordinary loads"},
        {"memory", "L1: 40.7, LUO24 (H800)", "the same authors' later 32 is taken"},
        {"memory", "reads and writes of shared memory mixed: 71 % of the peak, B300",
         "the mix is not given"},
        {"memory", "bank conflicts: 1.05, 2.3, 8.8 times, B300",
         "of a loop of loads and stores in which it is not said what conflicts; the port's clocks "
         "for each degree are tested exactly",
         3},
        {"memory", "stmatrix visible to copies after 32 clocks, FLASH H100",
         "a time of visibility: the memory model's, not the servers'"},
        {"memory", "store to another CTA visible after 352 ns, store and fence 660, FLASH H200",
         "the same; the fence is the unit's", 2},
        {"memory", "DSMEM load in a chain: 220 to 230, FLASH H200",
         "our own chain takes 173 to 187 on an H100 and an H200"},
        {"memory", "merging of equal lines by neighbouring SMs, ACC2, FLASH, SEMI",
         "no figure; modelled with an assumed window"},
        {"issue", "an FMA after ex2: 22 more, B300",
         "contradicts the chain of 14 by the same author"},
    };
    return rows;
}

}  // namespace gsu::timing::test
