"""Ports of GSU's RTL under cocotb 2: a clock that counts, valid/ready streams of structs, pulses.

Everything is done while the clock is low, right after its falling edge (rtl/doc/interfaces.md, "Time and handshake"): inputs and now_i are set there,
and what is read there belongs to the cycle of the rising edge before. Every output, ready included, comes from a flop of gsu_sm, so that a ready
which is read there is the one that the next rising edge uses. Units inside of gsu_sm have outputs that depend on inputs of their clock: for them
Clock takes `inside`: readies and pulses are read when the inputs have settled, right before the rising edge. Licence: Apache-2.0.
"""
import collections

from cocotb.triggers import FallingEdge, Timer


class Clock:
    """Clock, reset and the number of the cycle (now_i). `cycle` is that of the next rising edge."""

    def __init__(self, dut, period_ns=10, inside=False):
        self.dut = dut
        self.inside = inside
        self.period = period_ns
        self.cycle = 0
        self.monitors = []

    async def reset(self, cfg):
        """Gives the configuration (ports.Cfg) and a reset; cycle 0 is the clock after the first that follows its end."""
        dut = self.dut
        dut.cfg_i.value = cfg.pack()
        dut.now_i.value = (1 << 48) - 1  # of the cycle before the first
        dut.clk_i.value = 0
        dut.rst_ni.value = 0
        for out_of_it in (0, 0, 1):
            dut.rst_ni.value = out_of_it
            await self._edges()
        self.cycle = 0
        dut.now_i.value = 0

    async def _edges(self):
        await Timer(self.period // 2, "ns")
        self.dut.clk_i.value = 1
        await Timer(self.period - self.period // 2, "ns")
        self.dut.clk_i.value = 0
        await FallingEdge(self.dut.clk_i)

    def _sample(self):
        for monitor in self.monitors:
            monitor.sample(self.cycle)

    async def settle(self):
        """Lets what was set in this cycle reach outputs that depend on it."""
        await Timer(1, "ps")

    async def tick(self, count=1):
        """So many cycles with the inputs as they are; the monitors see each."""
        for _ in range(count):
            if self.inside:
                await self.settle()
                self._sample()
            await self._edges()
            if not self.inside:
                self._sample()
            self.cycle += 1
            self.dut.now_i.value = self.cycle


class Stream:
    """An input with valid and ready: `NAME_valid_i`, `NAME_ready_o`, `NAME_i`."""

    def __init__(self, clock, name, struct):
        dut = clock.dut
        self.clock, self.struct = clock, struct
        self.valid, self.ready, self.data = (getattr(dut, f"{name}_{end}") for end in ("valid_i", "ready_o", "i"))
        self.valid.value = 0
        self.data.value = 0

    async def send(self, value, patience=10000):
        """Holds `value` until it is taken, which takes a cycle or more. Returns the cycle in which it was. TimeoutError if it is not."""
        if not isinstance(value, self.struct):
            raise TypeError(f"this port takes {self.struct.__name__}, not {type(value).__name__}")
        self.valid.value = 1
        self.data.value = value.pack()
        for _ in range(patience):
            if self.clock.inside:
                await self.clock.settle()
            taken = int(self.ready.value)
            await self.clock.tick()
            if taken:
                self.valid.value = 0
                return self.clock.cycle - 1
        self.valid.value = 0
        raise TimeoutError(f"not taken in {patience} cycles: {value}")


class Pulses:
    """An output: keeps (cycle, value) of each transfer; value is a struct, or the int of the port if it has none. `ready` names the input with which
    the testbench takes it, if there is one."""

    def __init__(self, clock, valid, data=None, struct=None, ready=None):
        self.valid, self.data, self.struct = getattr(clock.dut, valid), data and getattr(clock.dut, data), struct
        self.ready = ready and getattr(clock.dut, ready)
        self.seen = collections.deque()
        clock.monitors.append(self)

    def sample(self, cycle):
        number = int(self.valid.value)
        if number and (self.ready is None or int(self.ready.value)):
            self.seen.append((cycle, self.struct.unpack(int(self.data.value)) if self.struct else number))

    def take(self):
        """All that came since the last call, oldest first."""
        found = list(self.seen)
        self.seen.clear()
        return found
