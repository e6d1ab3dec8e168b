"""gsu_sm: a CTA is launched, warps meet at bar.sync and at partial barriers, misuse is refused, an mbarrier's phase completes under a parked wait, the
CTA ends. Cycles are those of rtl/doc/calibration.md."""
import cocotb
from gsu_rtl import ports
from gsu_rtl.ports import Cause, Op
from sm import ALL, HOPPER, Sm


async def launched(dut, warps=4):
    sm = Sm(dut)
    await sm.start()
    await sm.launch(32 * warps)
    await sm.clock.tick(20)
    return sm


@cocotb.test()
async def four_warps_leave_bar_sync_together(dut):
    sm = await launched(dut)
    taken = [(await sm.request(Op.BarSync, warp, aligned=1))[1] for warp in range(4)]
    await sm.clock.tick(100)
    (cycle, release), = sm.releases.take()
    assert (release.cta, release.id, release.warps, release.lanes) == (0, 0, 0xF, ALL)
    assert cycle - taken[0] == HOPPER["bar_release_lat"] + 2 * 4, f"released {cycle - taken[0]} clocks after the first of four requests"
    flips = [tap.flip for _, tap in sm.commits["nb"].take()]
    assert flips == [0, 0, 0, 1] and not sm.answers.take()


@cocotb.test()
async def a_missing_warp_holds_the_others(dut):
    sm = await launched(dut)
    for warp in range(3):
        await sm.request(Op.BarSync, warp, aligned=1)
    await sm.clock.tick(500)
    assert not sm.releases.take()
    await sm.exit(3)  # BAR-039: an exited warp is not waited for
    await sm.clock.tick(100)
    assert [release.warps for _, release in sm.releases.take()] == [0b0111]


@cocotb.test()
async def partial_barriers_with_producers_and_consumers(dut):
    sm = await launched(dut)
    # bar.arrive 1, 64 of warp 0 and bar.sync 1, 64 of warp 1; barrier 2 for warps 2 and 3 with a reduction.
    arrive, _ = await sm.request(Op.BarArrive, 0, arg0=1, arg1=64)
    assert (await sm.answer(arrive))[1].cause == Cause.Done
    assert not sm.releases.take()
    await sm.request(Op.BarSync, 1, arg0=1, arg1=64)
    await sm.request(Op.BarRedPopc, 2, arg0=2, arg1=64, pred=0xFF)
    await sm.request(Op.BarRedPopc, 3, arg0=2, arg1=64, pred=0xFFF00000)
    await sm.clock.tick(100)
    found = {release.id: release for _, release in sm.releases.take()}
    assert found[1].warps == 0b0010 and found[2].warps == 0b1100
    assert (found[2].popc, found[2].all, found[2].any) == (20, 0, 1)


@cocotb.test()
async def lanes_of_a_warp_come_in_parts(dut):
    sm = await launched(dut, warps=1)
    await sm.request(Op.BarSync, 0, lanes=0x0000FFFF, diverged=1)
    await sm.clock.tick(100)
    assert not sm.releases.take()  # BAR-010
    await sm.request(Op.BarSync, 0, lanes=0xFFFF0000, diverged=1)
    await sm.clock.tick(100)
    assert [release.warps for _, release in sm.releases.take()] == [1]


@cocotb.test()
async def misuse_is_refused_and_named(dut):
    sm = await launched(dut)
    cases = ((Op.BarSync, 16, 0, ports.NbErrId), (Op.BarSync, 1, 33, ports.NbErrCount), (Op.BarArrive, 1, 0, ports.NbErrArriveZero))
    for op, ident, threads, bit in cases:
        tag, _ = await sm.request(op, 0, arg0=ident, arg1=threads)
        _, answer = await sm.answer(tag)
        assert answer.cause == Cause.Refused and answer.lanes == ALL
        (_, tap), = sm.commits["nb"].take()
        assert tap.refused and tap.errs == 1 << bit and tap.obj == ident and tap.old_w == tap.new_w
    # Nothing is left of the earlier CTA: a barrier of the same number completes as always.
    for warp in range(4):
        await sm.request(Op.BarSync, warp, arg0=1)
    await sm.clock.tick(100)
    assert [release.warps for _, release in sm.releases.take()] == [0xF]


@cocotb.test()
async def an_mbarrier_wakes_the_warp_that_waits(dut):
    sm = await launched(dut)
    address = 0x40
    for op, data in ((Op.MbarInit, 2), (Op.MbarArrive, 1)):
        tag, _ = await sm.mbarrier(op, 0, address, data)
        assert (await sm.answer(tag))[1].cause == Cause.Done
    wait, _ = await sm.mbarrier(Op.MbarTryWaitParity, 1, address, 0, lanes=ALL)
    await sm.clock.tick(500)
    assert not sm.answers.take()  # parked: one of two arrivals is missing
    flips = [cycle for cycle, tap in sm.commits["mb"].take() if tap.flip]
    assert not flips
    await sm.mbarrier(Op.MbarArrive, 2, address, 1)
    await sm.clock.tick(200)
    flips = [cycle for cycle, tap in sm.commits["mb"].take() if tap.flip]
    woken = [(cycle, rsp) for cycle, rsp in sm.answers.take() if rsp.warp == 1]
    assert len(flips) == 1 and len(woken) == 1
    cycle, answer = woken[0]
    assert answer.tag == wait and answer.cause == Cause.Flip and answer.pred == ALL and answer.lanes == ALL and cycle >= flips[0]
    assert sm.memory.words[address] not in (0, None)  # the word is in shared memory, where a kernel could look at it


@cocotb.test()
async def a_cta_slot_is_free_after_its_last_warp(dut):
    sm = await launched(dut, warps=2)
    await sm.exit(0)
    await sm.clock.tick(100)
    assert not sm.freed.take()
    await sm.exit(1)
    await sm.clock.tick(100)
    assert [slots for _, slots in sm.freed.take()] == [1]
    await sm.launch(64)  # at once again
    await sm.clock.tick(20)
    for warp in range(2):
        await sm.request(Op.BarSync, warp)
    await sm.clock.tick(100)
    assert [release.warps for _, release in sm.releases.take()] == [3]
