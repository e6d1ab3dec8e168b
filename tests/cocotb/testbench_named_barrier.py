"""gsu_named_barrier alone: random legal and illegal traffic of whole warps in drawn CTAs, every commit, release and answer against named_model."""
import collections
import random

import cocotb
from gsu_rtl import ports
from gsu_rtl.handshake import Clock, Pulses, Stream
from gsu_rtl.ports import Cause, Cfg, Op, Release, Src, SyncRsp, Tap, WarpArr
from named_model import RED, Model

ALL = 0xFFFFFFFF
CTAS = 6
SITES = 3  # barriers of a CTA in use at a time: few, so that warps meet


class Traffic:
    """The unit, its model, and what is expected of it."""

    def __init__(self, dut, rng):
        self.dut, self.rng, self.model = dut, rng, Model()
        self.clock = Clock(dut, inside=True)
        self.arrivals = Stream(self.clock, "arr", WarpArr)
        self.taps = Pulses(self.clock, "tap_valid_o", "tap_o", Tap)
        self.releases = Pulses(self.clock, "rel_valid_o", "rel_o", Release, "rel_ready_i")
        self.answers = Pulses(self.clock, "rsp_valid_o", "rsp_o", SyncRsp, "rsp_ready_i")
        self.due_releases, self.due_answers = collections.deque(), collections.deque()
        self.open = {}  # {cta, warp} with an arrival: nothing else of it until it is answered or released
        self.seen = collections.Counter()

    async def start(self):
        for name in ("next_valid", "next_cta", "next_bar", "launch_valid", "launch_cta", "launch_wbase", "launch_nwarps", "wexit_valid", "wexit_cta",
                     "wexit_warp", "wexit_last"):
            getattr(self.dut, name + "_i").value = 0
        self.dut.rsp_ready_i.value = self.dut.rel_ready_i.value = 1
        self.cfg = Cfg(bar_interval=self.rng.randint(1, 3), bar_release_lat=self.rng.randint(1, 25), bar_arrive_lat=self.rng.randint(1, 12))
        await self.clock.reset(self.cfg)

    async def pulse(self, name, ready, **values):
        for key, value in values.items():
            getattr(self.dut, f"{name}_{key}_i").value = value
        while True:
            await self.clock.settle()
            if int(getattr(self.dut, ready).value):
                break
            await self.tick()
        getattr(self.dut, f"{name}_valid_i").value = 1
        await self.tick()
        getattr(self.dut, f"{name}_valid_i").value = 0

    async def launch(self, cta, warps):
        await self.pulse("launch", "launch_ready_o", cta=cta, wbase=cta * 8, nwarps=warps)
        self.model.launch(cta, warps)
        self.seen["launches"] += 1

    async def exit(self, cta, warp):
        home = self.model.ctas[cta]
        last = len(home.live) == 1
        await self.pulse("wexit", "wexit_ready_o", cta=cta, warp=warp, last=int(last))
        for _ in range(2 * ports.BarsPerCta):  # it is in effect when its record has come, and those of the barriers it ends
            await self.tick()
        assert warp not in home.live, "an exit without its record"
        self.seen["exits"] += 1

    async def arrive(self, cta, warp, op, ident, threads):
        pred, lanes = self.rng.choice((0, ALL, self.rng.getrandbits(32))), ALL
        waits, red = op != Op.BarArrive, RED.get(op, 0)
        tag = self.rng.getrandbits(12)
        item = WarpArr(op=op, cta=cta, warp=warp, tag=tag, lanes=lanes, wait_lanes=lanes if waits else 0, arg0=ident, arg1=threads,
                       popc=bin(pred).count("1") if red else 0, all=int(pred == ALL), any=int(pred != 0),
                       has_arrive=int(not waits), has_sync=int(op == Op.BarSync), redops=red)
        self.open[cta, warp] = item
        self.dut.next_valid_i.value, self.dut.next_cta_i.value, self.dut.next_bar_i.value = 1, cta, ident % ports.BarsPerCta  # a clock ahead
        await self.tick()
        self.dut.next_valid_i.value = 0
        await self.arrivals.send(item)
        self.check()

    async def tick(self):
        await self.clock.tick()
        self.check()

    def expect(self, cycle, cta, ident, outcome):
        if outcome.released:
            popc, both, either = outcome.results
            self.due_releases.append((cycle + self.cfg.bar_release_lat, cta, ident, sum(1 << w for w in outcome.released), popc, both, either))

    def check(self):
        for cycle, tap in self.taps.take():
            self.commit_exit(cycle, tap) if tap.op == Op.EvWarpExit else self.commit_arrival(cycle, tap)
        for cycle, rel in self.releases.take():
            due, *want = self.due_releases.popleft()
            got = [rel.cta, rel.id, rel.warps, rel.popc, rel.all, rel.any]
            assert got == want and rel.lanes == ALL and not rel.cluster, f"cycle {cycle}: released {rel}, the model says {want}"
            assert cycle >= due, f"cycle {cycle}: released before cycle {due}"
            for warp in range(32):
                if rel.warps >> warp & 1:
                    del self.open[rel.cta, warp]
            self.seen["releases"] += 1
        for cycle, rsp in self.answers.take():
            due, *want = self.due_answers.popleft()
            assert [rsp.cta, rsp.warp, rsp.tag, rsp.lanes, rsp.cause] == want, f"cycle {cycle}: answered {rsp}, the model says {want}"
            assert cycle >= due, f"cycle {cycle}: answered before cycle {due}"
            del self.open[rsp.cta, rsp.warp]
            self.seen["refusals" if rsp.cause == Cause.Refused else "answers"] += 1

    def commit_arrival(self, cycle, tap):
        item = self.open[tap.cta, tap.warp]
        lanes = bin(item.lanes).count("1")
        want = self.model.arrive(item.cta, item.warp, item.op, item.arg0, item.arg1, item.popc, lanes)
        got = (tap.op, tap.tag, tap.obj, tap.errs, tap.refused, tap.flip)
        assert got == (item.op, item.tag, item.arg0, want.errs, int(want.refused), int(want.flip)), f"cycle {cycle}: {tap}, the model says {want}"
        self.expect(cycle, item.cta, item.arg0, want)
        if want.refused or item.op == Op.BarArrive:
            due = cycle if want.refused else cycle + self.cfg.bar_arrive_lat
            self.due_answers.append((due, item.cta, item.warp, item.tag, ALL, Cause.Refused if want.refused else Cause.Done))
        for bit in range(16):
            self.seen[f"error {bit}"] += want.errs >> bit & 1

    def commit_exit(self, cycle, tap):
        if not tap.flip and not tap.errs:  # the exit itself; the others are barriers that it ends
            assert tap.src == Src.Exit
            self.ended = self.model.exit(tap.cta, tap.warp)
            return
        want = self.ended.pop(tap.obj)
        assert (tap.flip, tap.errs) == (int(want.flip), want.errs), f"cycle {cycle}: {tap}, the model says {want}"
        self.expect(cycle, tap.cta, tap.obj, want)
        self.seen["completed by an exit" if want.flip else "left behind"] += 1

    def choose(self, cta, free):
        """An operation for a free warp that cannot block the CTA for good: its last free warp only arrives, exits or completes."""
        rng, home = self.rng, self.model.ctas[cta]
        ident = rng.randrange(SITES) if rng.random() < 0.98 else rng.choice((16, 31, 1 << 31, ALL))
        threads = rng.choice((0, 0, 32 * rng.randint(1, home.warps))) if rng.random() < 0.97 else rng.choice((33, ALL, 1 << 20))
        if home.bars.get(ident) and rng.random() < 0.9:
            threads = 32 * home.bars[ident].expected
        op = rng.choice((Op.BarSync, Op.BarSync, Op.BarArrive, *RED))
        if home.bars.get(ident) and home.bars[ident].operators and rng.random() < 0.8:
            op = rng.choice(sorted(home.bars[ident].operators))
        if len(free) == 1 and not threads % 32:
            op, threads = Op.BarArrive, threads or 32 * home.warps
            ident = rng.choice(sorted(home.bars)) if home.bars else ident
        return op, ident, threads

    async def act(self):
        cta = self.rng.randrange(CTAS)
        home = self.model.ctas.get(cta)
        if home is None or not home.live:
            return await self.launch(cta, self.rng.randint(1, 8))
        free = [warp for warp in sorted(home.live) if (cta, warp) not in self.open]
        if not free:
            return await self.tick()
        if self.rng.random() < 0.2 and not any(key[0] == cta for key in self.open if key not in self.waiting()):
            if len(free) > 1 or len(home.live) == 1:
                return await self.exit(cta, self.rng.choice(free))
        await self.arrive(cta, self.rng.choice(free), *self.choose(cta, free))

    def waiting(self):
        """{cta, warp} that are counted at a barrier and wait there."""
        return {(cta, warp) for cta, home in self.model.ctas.items() for use in home.bars.values() for warp in use.waiting}

    async def drain(self):
        for _ in range(200):
            await self.tick()
        assert not self.due_releases and not self.due_answers, f"never came: {self.due_releases}, {self.due_answers}"
        waiting = self.waiting()
        assert set(self.open) == waiting, f"open without a reason: {set(self.open) ^ waiting}"


@cocotb.test()
async def random_traffic_does_what_the_rules_say(dut):
    rng = random.Random(cocotb.RANDOM_SEED)
    seen = collections.Counter()
    for _ in range(6):
        traffic = Traffic(dut, rng)
        await traffic.start()
        for _ in range(1500):
            dut.rsp_ready_i.value, dut.rel_ready_i.value = int(rng.random() < 0.8), int(rng.random() < 0.8)
            await traffic.act()
        dut.rsp_ready_i.value = dut.rel_ready_i.value = 1
        await traffic.drain()
        seen += traffic.seen
    cocotb.log.info("%s", ", ".join(f"{n} {what}" for what, n in sorted(seen.items())))
    for what in ("releases", "answers", "refusals", "exits", "completed by an exit", "left behind", "launches", *(f"error {b}" for b in range(8) if b != 6)):
        assert seen[what] >= 5, f"{what}: {seen[what]}, the case was not exercised"
