"""The unit, driven cycle by cycle: the C library of sc_model/README.md with NumPy operands and Arrow tables of its reports."""
import json

import numpy as np
import pyarrow as pa

from . import _native
from .errors import InputError, StateError
from .models import text_of

NEVER = _native.NEVER
ALL_LANES = 0xFFFFFFFF

_KINDS = {"response": 1, "release": 2, "commit": 3, "delivered": 4, "cta_free": 5, "finding": 6, "dropped": 7, "grid": 8, "cancel": 9}  # numbers of gsu_event_kind
_NAMES = {number: kind for kind, number in _KINDS.items()}
_u, _s, _b = pa.uint64(), pa.string(), pa.bool_()
SCHEMAS = {
    "response": pa.schema([("cycle", _u), ("sm", _u), ("cta", _u), ("warp", _u), ("tag", _u), ("lanes", _u), ("pred", _u), ("last", _b), ("cause", _s),
                           ("value", _u), ("stride", _u)]),
    "release": pa.schema([("cycle", _u), ("sm", _u), ("cta", _u), ("cluster", _b), ("id", _u), ("warps", _u), ("popc", _u), ("all", _b), ("any", _b), ("lanes", _u)]),
    "commit": pa.schema([("cycle", _u), ("seq", _u), ("sm", _u), ("cta", _u), ("warp", _u), ("part", _s), ("op", _s), ("tag", _u), ("lanes", _u),
                         ("object", _u), ("flip", _b), ("refused", _b), ("errors", _u), ("source", _s), ("old_word", _u), ("new_word", _u)]),
    "delivered": pa.schema([("cycle", _u), ("sm", _u), ("cta", _u), ("tag", _u), ("lanes", _u)]),
    "cta_free": pa.schema([("cycle", _u), ("sm", _u), ("cta", _u)]),
    "finding": pa.schema([("cycle", _u), ("rule", _s), ("message", _s), ("severity", _s), ("sm", _u), ("cta", _u), ("warp", _u), ("lanes", _u),
                          ("object", _u)]),
    "dropped": pa.schema([("cycle", _u), ("sm", _u), ("cta", _u), ("tag", _u), ("lanes", _u)]),
    "grid": pa.schema([("cycle", _u), ("grid", _u), ("complete", _b), ("network", _u)]),
    "cancel": pa.schema([("cycle", _u), ("sm", _u), ("cta", _u), ("tag", _u), ("lane", _u), ("slot", _u), ("multicast", _b)]),
}
_SEM = {"relaxed": 0, "acquire": 1, "release": 2, "acq_rel": 3}
_SCOPE = {None: 0, "cta": 1, "cluster": 2, "gpu": 3, "sys": 4}
_REACH = {"cta": 0, "everyone": 1}


class Event(dict):
    """One event: its `kind`, and its members as items and attributes."""

    def __init__(self, kind, values):
        super().__init__(zip(SCHEMAS[kind].names, values))
        self.kind = kind

    def __getattr__(self, name):
        try:
            return self[name]
        except KeyError:
            raise AttributeError(name) from None

    def __repr__(self):
        return f"<{self.kind} " + " ".join(f"{k}={v}" for k, v in self.items()) + ">"


def _choice(table, value, what):
    if value not in table:
        raise InputError(f"{what} {value!r}: one of {', '.join(map(str, table))}")
    return table[value]


def _number(value, what):
    """An index or count that fits in C; negative numbers and fractions are refused."""
    try:
        number = value.__index__()
    except AttributeError:
        raise InputError(f"{what} {value!r} is not a whole number") from None
    if not 0 <= number < 1 << 64:
        raise InputError(f"{what} {number} is out of range")
    return number


def _members(**values):
    """Members of a port record, by their names in gsu.h."""
    return {name: _number(value, name) for name, value in values.items()}


def _per_lane(values, lanes, what):
    """32 values from one for all lanes, one for each of `lanes` in order, or one for each of the 32."""
    array = np.asarray(values)
    if array.dtype.kind not in "iub" or array.ndim > 1:
        raise InputError(f"{what}: whole numbers, one or an array of one dimension")
    if array.size and array.dtype.kind == "i" and array.min() < 0:
        raise InputError(f"{what}: a value is negative")
    array = array.astype(np.uint64)
    if array.ndim == 0:
        return np.full(32, array, dtype=np.uint64)
    if array.size == 32:
        return np.ascontiguousarray(array)
    index = [lane for lane in range(32) if lanes >> lane & 1]
    if array.size != len(index):
        raise InputError(f"{what}: {array.size} values for {len(index)} lanes")
    out = np.zeros(32, dtype=np.uint64)
    out[index] = array
    return out


class Unit:
    """A synchronization unit of 1 to 256 SMs, in cycle 0.

    unit: "rtl", "golden" or "lockstep" (both, compared). settings: {"bar_interval": 4}. events: kinds that are kept until events() returns them:
    "response", "release", "commit", "delivered", "cta_free", "finding", "dropped", "grid", "cancel". journal: save() is possible. structure: {"Waits": 64},
    for a model that gsu.build() has made (the golden unit needs none); model: its name or file.
    Only one thread at a time may use the units of a process."""

    def __init__(self, unit="lockstep", *, preset="hopper", settings=None, sms=1, assertions=False, threads=0, events=_KINDS, journal=False, structure=None, model=None):
        mask = 0
        for kind in events:
            mask |= 1 << _choice(_KINDS, kind, "event") - 1
        pairs = [f"{key}={value}" for key, value in (settings or {}).items()]
        self._unit = _native.Unit(str(unit), str(preset), pairs, _number(sms, "sms"), bool(assertions), _number(threads, "threads"), mask, bool(journal),
                                  text_of(structure or ""), str(model or ""))
        self._tags = {}

    # Inputs of this cycle.

    def grid(self, grid, *, ctas=0, prerequisites=(), ended=False, fewer=False, network=0):
        """Starts a grid of `ctas` CTAs in slot `grid` of the grid table, before its first launch. griddepcontrol.wait in it waits for the grids in flight in
        the slots `prerequisites`. ctas=0: the grid runs elsewhere; ended: such a grid has ended; fewer: this many of its CTAs will not be launched."""
        mask = sum(1 << slot for slot in {_number(p, "prerequisite") for p in prerequisites})
        self._unit.grid(_number(grid, "grid"), 1 if ended else 2 if fewer else 0, _number(ctas, "ctas"), mask, _number(network, "network"))

    def launch(self, sm=0, cta=0, *, threads, warp_base=0, cluster=0, rank=0, ctas=1, smem_base=0, smem_size=0, era=0, grid=0):
        """Starts a CTA; False if the unit does not take it in this cycle."""
        return self._unit.launch(_members(sm=sm, cta=cta, threads=threads, warp_base=warp_base, cluster=cluster, rank=rank, ctas=ctas, smem_base=smem_base,
                                          smem_size=smem_size, era=era, grid=grid))

    def launch_now(self, *args, **kwargs):
        """Like launch(), but steps until the unit has taken the CTA and the CTA has begun."""
        for _ in range(1000):
            if self.launch(*args, **kwargs):
                self.step(5)
                return
            self.step()
        raise StateError("the CTA was not taken within 1000 cycles")

    def route(self, cluster, rank, *, sm, cta=0, ctas):
        """Places a CTA of a cluster; all ranks must be placed before the first launch."""
        self._unit.route(_members(cluster=cluster, rank=rank, sm=sm, cta=cta, ctas=ctas))

    def can_present(self, sm=0):
        return self._unit.can_present(_number(sm, "sm"))

    def present(self, op, sm=0, cta=0, warp=0, lanes=ALL_LANES, *, tag=None, arg0=0, arg1=0, pred=0, addr=0, data=0, limit=None, sem="relaxed", scope=None,
                kind=0, aligned=False, no_complete=False, want_value=False, diverged=False, remote=False, line=0):
        """Gives one executed instruction of a group of lanes and returns its tag. `op` is a name of gsu.OPERATIONS ("BarSync", "MbarTryWaitParity") or a
        number.

        addr, data, limit: a number for all lanes, an array with one for each of `lanes`, or one of 32. Without `tag` a free tag is used. line: line of the
        program, for hang()."""
        number = _choice(_native.operations, op, "operation") if isinstance(op, str) else _number(op, "op")
        if limit is not None:
            kind = kind or 1
        lanes, sm = _number(lanes, "lanes"), _number(sm, "sm")
        tag = self._free_tag(sm) if tag is None else _number(tag, "tag")
        members = _members(op=number, sm=sm, cta=cta, warp=warp, lanes=lanes, tag=tag, arg0=arg0, arg1=arg1, pred=pred, sem=_choice(_SEM, sem, "sem"),
                           scope=_choice(_SCOPE, scope, "scope"), kind=kind, aligned=bool(aligned), no_complete=bool(no_complete), want_value=bool(want_value),
                           diverged=bool(diverged), remote=bool(remote))
        addr, data, limit = _per_lane(addr, lanes, "addr"), _per_lane(data, lanes, "data"), _per_lane(0 if limit is None else limit, lanes, "limit")
        self._unit.line(_number(line, "line"))
        self._unit.present(members, addr, data, limit)
        return tag

    def _free_tag(self, sm):
        tag = self._tags.get(sm, 0)
        self._tags[sm] = (tag + 1) % 4096
        return tag

    def present_now(self, op, sm=0, *args, **kwargs):
        """Like present(), but steps until the SM takes the request."""
        for _ in range(100_000):
            if self.can_present(sm):
                return self.present(op, sm, *args, **kwargs)
            self.step()
        raise StateError(f"SM {sm} takes no request")

    def can_notify(self, sm=0):
        return self._unit.can_notify(_number(sm, "sm"))

    def complete_tx(self, addr, amount, sm=0, cta=0, warp=0, tag=0, era=0, *, line=0):
        """Reports that bytes of a copy have arrived. line: line of the program that issued the copy."""
        self._unit.line(_number(line, "line"))
        self._unit.notify(_members(kind=0, sm=sm, cta=cta, warp=warp, addr=addr, amount=amount, tag=tag, era=era))

    def arrive_on(self, addr, amount, sm=0, cta=0, warp=0, tag=0, era=0):
        """Gives arrivals of cp.async.mbarrier.arrive."""
        self._unit.notify(_members(kind=1, sm=sm, cta=cta, warp=warp, addr=addr, amount=amount, tag=tag, era=era))

    def agent_arrive(self, addr, ranks, sm=0, cta=0, warp=0, tag=0, era=0):
        """Reports that an agent that is not a thread has finished (tcgen05.commit): one arrival at the mbarrier at this offset in each CTA of the cluster
        whose rank has a bit in `ranks` (1 without a cluster)."""
        self._unit.notify(_members(kind=2, sm=sm, cta=cta, warp=warp, addr=addr, amount=ranks, tag=tag, era=era))

    def can_answer_cancel(self, sm=0):
        return self._unit.can_answer_cancel(_number(sm, "sm"))

    def answer_cancel(self, slot, sm=0, *, first=None):
        """Answers a query of try_cancel (events of kind "cancel"): `first` is the ctaid of the first CTA of the cluster that was removed from the queue;
        None: the queue is empty."""
        if first is not None and len(first) != 3:
            raise InputError("answer_cancel: a ctaid has three coordinates")
        self._unit.answer_cancel(_members(sm=sm, slot=slot, canceled=first is not None), [] if first is None else [_number(v, "first") for v in first])

    def exit(self, sm=0, cta=0, warp=0, lanes=ALL_LANES, *, trap=False, line=0):
        """Reports that lanes exit. line: line of the program."""
        self._unit.line(_number(line, "line"))
        self._unit.exit(_members(sm=sm, cta=cta, warp=warp, lanes=lanes, trap=bool(trap)))

    def stored(self, sm, addr, size):
        """Reports that an ordinary store changed bytes of shared memory."""
        self._unit.stored(*(_number(v, "value") for v in (sm, addr, size)))

    def epoch(self, sm=0, cta=0, warp=0, reach="cta"):
        return self._unit.epoch(*(_number(v, "value") for v in (sm, cta, warp)), _choice(_REACH, reach, "reach"))

    def announce(self, count, sm=0, cta=0, warp=0, *, reach="cta", epoch=None):
        """Announces outstanding ordinary accesses; returns the epoch under which they must be performed."""
        epoch = self.epoch(sm, cta, warp, reach) if epoch is None else epoch
        self._unit.accesses(False, _members(sm=sm, cta=cta, warp=warp, reach=_choice(_REACH, reach, "reach"), epoch=epoch, count=count))
        return epoch

    def performed(self, count, sm=0, cta=0, warp=0, *, reach="cta", epoch):
        self._unit.accesses(True, _members(sm=sm, cta=cta, warp=warp, reach=_choice(_REACH, reach, "reach"), epoch=epoch, count=count))

    # Time.

    @property
    def now(self):
        """The cycle that the next step() executes."""
        return self._unit.now()

    @property
    def quiet_until(self):
        """The first cycle in which anything may happen without input; gsu.NEVER."""
        return self._unit.quiet_until()

    def step(self, cycles=1):
        """Executes cycles. Raises InternalError if the unit failed."""
        self._unit.step(_number(cycles, "cycles"))

    def skip_to(self, cycle):
        self._unit.skip_to(_number(cycle, "cycle"))

    def run_quiet(self, limit=1_000_000):
        """Steps, skipping quiet cycles, until nothing more happens without input, at most `limit` cycles; returns the cycle."""
        end = self.now + limit
        while self.now < end:
            until = self.quiet_until
            if until == NEVER:
                break
            if until > self.now:
                self.skip_to(min(until, end))
            else:
                self.step()
        return self.now

    def reset(self):
        self._unit.reset()
        self._tags.clear()

    def save(self):
        """A checkpoint as bytes; needs journal=True. restore() takes as long as the run up to the checkpoint."""
        return self._unit.save()

    def restore(self, data):
        try:
            data = memoryview(data).tobytes()
        except TypeError:
            raise InputError(f"a checkpoint is bytes, not {type(data).__name__}") from None
        self._unit.restore(data)

    # Outputs and questions.

    def events(self):
        """All events since the last call, in order."""
        return [Event(_NAMES[kind], values) for kind, values in self._unit.events()]

    def tables(self):
        """All events since the last call as Arrow tables, by kind."""
        rows = {kind: [] for kind in _KINDS}
        for kind, values in self._unit.events():
            rows[_NAMES[kind]].append(values)
        out = {}
        for kind, values in rows.items():
            schema = SCHEMAS[kind]
            columns = list(zip(*values)) if values else [[]] * len(schema)
            out[kind] = pa.table([pa.array(list(c), type=f.type) for c, f in zip(columns, schema)], schema=schema)
        return out

    def word(self, addr, sm=0):
        """A 64-bit word of shared memory."""
        return self._unit.word(_number(sm, "sm"), _number(addr, "addr"))

    def barrier(self, id, sm=0, cta=0):
        """State of a named barrier: mode, arrived, waiting, missing (bit per warp), arrived_count, expected (threads), generations."""
        return self._unit.barrier(_number(sm, "sm"), _number(cta, "cta"), _number(id, "id"))

    def mbarrier(self, addr, sm=0, cta=0):
        """State of an mbarrier: phase, pending, expected, tx, waiting, word, phases, locked, known."""
        return self._unit.mbarrier(_number(sm, "sm"), _number(cta, "cta"), _number(addr, "addr"))

    def cluster(self, sm=0, cta=0):
        """State of the cluster barrier, from one CTA: arrived, waiting, missing warps; launched, ranks_arrived, ranks_missing."""
        return self._unit.cluster(_number(sm, "sm"), _number(cta, "cta"))

    def explain(self):
        """Which warps wait for what and which are missing, in words; "" if no warp waits."""
        return self._unit.explain()

    def hang(self, idle=True):
        """Whether the unit hangs and why, as far as its port shows: hangs, kind (a word of the table of causes), sentence, text, line, cycle, last_change,
        waiting, running, and cause, waits and debts as dictionaries. idle: nothing else is in flight, and warps whose wait was answered with false only ask
        again; the unit cannot see this. Without `idle`, hangs is False."""
        out = self._unit.hang(bool(idle))
        parts = json.loads(out.pop("json"))
        return {**out, "cause": parts.get("cause"), "waits": parts["waiting"], "debts": parts["debts"]}

    def open_waves(self, path, first=0, last=0):
        self._unit.open_waves(str(path), _number(first, "first"), _number(last, "last"))

    def close_waves(self):
        self._unit.close_waves()
