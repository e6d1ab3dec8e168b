"""Writes objects.ptx: one CTA of eight warps that walk over N mbarriers, each arriving at each of them, and wait at the end: more objects than the
unit's cache holds make it read and write their words.

    python objects.py 4 > objects4.ptx
"""
import sys

OBJECTS = int(sys.argv[1])
print(f"""// Written by objects.py {OBJECTS}.
.version 8.0
.target sm_90
.address_size 64
.visible .entry objects()
{{
    .reg .pred other, more, done;
    .reg .b32 tid, base, at, end, round, parity;
    .reg .b64 state;
    .shared .align 8 .b64 bars[{OBJECTS}];
    mov.u32 tid, %tid.x;
    mov.u32 base, bars;
    add.u32 end, base, {8 * OBJECTS};
    setp.ne.u32 other, tid, 0;
    @other bra ready;
    mov.u32 at, base;
init:
    mbarrier.init.shared.b64 [at], 8;
    add.u32 at, at, 8;
    setp.lt.u32 more, at, end;
    @more bra init;
ready:
    bar.sync 0;
    mov.u32 round, 0;
    and.b32 tid, tid, 31;
    setp.ne.u32 other, tid, 0;
    @other bra finish;
next:
    mov.u32 at, base;
arrive:
    mbarrier.arrive.shared.b64 state, [at];
    add.u32 at, at, 8;
    setp.lt.u32 more, at, end;
    @more bra arrive;
    and.b32 parity, round, 1;
    mov.u32 at, base;
again:
    mbarrier.try_wait.parity.shared.b64 done, [at], parity;
    @!done bra again;
    add.u32 at, at, 8;
    setp.lt.u32 more, at, end;
    @more bra again;
    add.u32 round, round, 1;
    setp.lt.u32 more, round, 6;
    @more bra next;
finish:
    ret;
}}""")
