"""gsu_sm with everything a testbench needs around it: streams, pulses, a shared memory, nothing outside of the SM. An example of how a cocotb testbench drives the unit."""
from gsu_rtl.handshake import Clock, Pulses, Stream
from gsu_rtl.ports import Cfg, Exit, Launch, LaneOpnd, MemReq, Op, OpndBeat, Release, Scope, Sem, SyncReq, SyncRsp, Tap

ALL = 0xFFFFFFFF
# Latencies of the preset hopper that the testbenches use; the others are 0. In clocks (rtl/doc/calibration.md).
HOPPER = {"bar_interval": 2, "bar_release_lat": 22, "bar_arrive_lat": 6, "mbar_interval": 1, "smem_lat": 23, "mbar_lat": 12, "trywait_lat": 31,
          "trywait_slots": 32, "trywait_limit": 1000000}
UNUSED = ("async_valid", "async", "clc_rsp_valid", "clc_rsp", "snoop_valid", "snoop_addr", "tx_ready", "rx_valid", "rx", "ack_ready", "ack_valid", "ack", "cb_up_ready",
          "cb_dn_valid", "cb_dn", "gd_up_ready", "gd_dn_valid", "gd_dn", "wr_valid", "wr")


class Memory:
    """The SM's shared memory: reads come back exactly smem_lat clocks after the request."""

    def __init__(self, clock, latency):
        self.clock, self.latency, self.words, self.replies = clock, latency, {}, {}
        self.requests = Pulses(clock, "mem_req_valid_o", "mem_req_o", MemReq)
        clock.monitors.append(self)  # after the pulses: they have seen this cycle

    def sample(self, cycle):
        for _, request in self.requests.take():
            self.access(cycle, request)
        data = self.replies.pop(cycle + 1, None)  # what is set now is an input of the next cycle
        self.clock.dut.mem_rsp_valid_i.value = int(data is not None)
        self.clock.dut.mem_rdata_i.value = data or 0

    def access(self, cycle, request):
        word = self.words.get(request.addr, 0)
        if not request.we:
            self.replies[cycle + self.latency] = word
            return
        enabled = sum(0xFF << 8 * byte for byte in range(8) if request.be >> byte & 1)
        self.words[request.addr] = word & ~enabled | request.wdata & enabled


class Sm:
    def __init__(self, dut):
        self.dut = dut
        self.clock = Clock(dut)
        self.requests, self.operands = Stream(self.clock, "req", SyncReq), Stream(self.clock, "opnd", OpndBeat)
        self.launches, self.exits = Stream(self.clock, "launch", Launch), Stream(self.clock, "exit", Exit)
        self.answers = Pulses(self.clock, "rsp_valid_o", "rsp_o", SyncRsp)
        self.releases = Pulses(self.clock, "rel_valid_o", "rel_o", Release)
        self.freed = Pulses(self.clock, "cta_free_o")
        self.commits = {unit: Pulses(self.clock, f"tap_{unit}_valid_o", f"tap_{unit}_o", Tap) for unit in ("ct", "ws", "nb", "cb", "mb", "nu")}
        self.tag = 0

    async def start(self, **settings):
        for name in UNUSED:
            getattr(self.dut, name + "_i").value = 0
        cfg = Cfg(**{**HOPPER, **settings})
        self.memory = Memory(self.clock, cfg.smem_lat)
        await self.clock.reset(cfg)

    async def launch(self, threads, cta=0, wbase=0, size=1024):
        """Starts a CTA that is a cluster of its own."""
        await self.launches.send(Launch(cta=cta, wbase=wbase, threads=threads, ctas=1, size=size))

    async def request(self, op, warp, cta=0, lanes=ALL, **fields):
        """One instruction of these lanes. Returns (tag, cycle in which the SM took it)."""
        self.tag = (self.tag + 1) % 4096
        cycle = await self.requests.send(SyncReq(op=op, cta=cta, warp=warp, lanes=lanes, tag=self.tag, **fields))
        return self.tag, cycle

    async def mbarrier(self, op, warp, addr, data=0, lanes=1, cta=0, **fields):
        """One mbarrier instruction: {addr, data} of every lane as beats of four lanes, then the request."""
        quads = [quad for quad in range(8) if lanes >> 4 * quad & 15]
        for quad in quads:
            beat = OpndBeat(quad=quad, mask=lanes >> 4 * quad & 15, last=int(quad == quads[-1]), lane=[LaneOpnd(addr=addr, data=data) for _ in range(4)])
            await self.operands.send(beat)
        return await self.request(op, warp, cta, lanes, sem=Sem.Release, scope=Scope.Cta, want_value=1, **fields)

    async def exit(self, warp, cta=0, lanes=ALL):
        await self.exits.send(Exit(cta=cta, warp=warp, lanes=lanes))

    async def answer(self, tag, patience=2000):
        """Steps until the request has its last answer; (cycle, answer). Every other answer on the way is an error of the testbench."""
        for _ in range(patience):
            for cycle, rsp in self.answers.take():
                assert rsp.tag == tag and rsp.last, f"cycle {cycle}: an answer that nobody waits for: {rsp}"
                return cycle, rsp
            await self.clock.tick()
        raise TimeoutError(f"no answer to request {tag} in {patience} cycles")

