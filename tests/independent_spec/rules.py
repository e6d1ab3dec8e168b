"""The third opinion: barriers and mbarriers, written from the requirements alone (../../rtl/doc/rules.tsv has their list).

Every procedure is one commit: it changes the state in one step (GEN-010, D-01) and returns what must be seen of it. Nothing here knows of clocks, queues or
networks. A wrong use is named by its rule, and D-03 holds for it: what is refused changes nothing.
"""
from dataclasses import dataclass, field

TOP = 2**20 - 1  # MBAR-002: counts are 1..TOP, bytes -TOP..TOP


@dataclass
class Seen:
    """What a commit must show."""
    refused: bool = False
    flip: bool = False
    rules: set = field(default_factory=set)
    released: dict = field(default_factory=dict)  # warp -> lanes that wait no longer
    result: tuple = ()  # popc, all, any of the generation (BAR-042)


def refuse(*rules):
    return Seen(refused=True, rules=set(rules))


# --- named barriers (BAR, D-05..D-17) ---------------------------------------------------------------------------------------------------------------------

REDS = ("popc", "and", "or")


class NamedBarrier:
    """One of the sixteen barriers of a CTA (BAR-004)."""

    def __init__(self):
        self.reset()

    def reset(self):
        self.idle, self.explicit, self.threads, self.arrivals = True, False, 0, 0
        self.arrived, self.waiting, self.ops = set(), {}, set()
        self.popc, self.all, self.any = 0, True, False


class NamedBarriers:
    """The named barriers of one CTA. A warp's arrival is one commit, whatever its lanes executed (BAR-009, D-12)."""

    def __init__(self, warps, barriers=16):
        self.warps, self.live = warps, set(range(warps))
        self.bars = [NamedBarrier() for _ in range(barriers)]

    def check(self, op, ident, count):
        """Rules that the operands break: the lanes are refused and do not wait (D-16)."""
        rules = set()
        if ident >= len(self.bars):
            rules.add("BAR-002")
        if count % 32 != 0:
            rules.add("BAR-006")
        if op == "arrive" and count == 0:
            rules.add("BAR-007")
        return rules

    def effective(self, count):
        return count or 32 * self.warps  # D-08: omitted is all threads of the CTA (BAR-005, BAR-008)

    def arrive(self, warp, ident, count, lanes, explicit=None):
        """`lanes`: lane -> (op, predicate) of the executing lanes. `explicit`: the mode, if this arrival opens a generation and its lanes differ."""
        bar, seen = self.bars[ident], Seen()
        ops = {op for op, _ in lanes.values()}
        if bar.idle:
            bar.idle, bar.threads = False, self.effective(count)  # D-07
            bar.explicit = count != 0 if explicit is None else explicit
        elif bar.threads != self.effective(count):
            seen.rules.add("BAR-025")
        if warp in bar.arrived:
            seen.rules.add("BAR-027")  # counted again all the same (D-15)
        bar.ops |= {op if op in REDS else "plain" for op in ops}
        if len(bar.ops) > 1:
            seen.rules.add("BAR-026")  # two red operators as well
        bar.arrivals += 1
        bar.arrived.add(warp)
        for op, predicate in lanes.values():  # D-14: red lanes alone fold
            if op in REDS:
                bar.popc += predicate
                bar.all &= predicate
                bar.any |= predicate
        blocked = {lane for lane, (op, _) in lanes.items() if op != "arrive"}  # BAR-011, BAR-012
        if blocked:
            bar.waiting[warp] = bar.waiting.get(warp, set()) | blocked
        self._complete(bar, seen)
        return seen

    def exit(self, warp):
        """The last lane of a warp has exited: no barrier waits for the warp any more (BAR-039). Completion is checked for each barrier separately."""
        self.live.discard(warp)

    def complete(self, ident):
        """Takes the completion that an exit has caused."""
        seen = Seen()
        self._complete(self.bars[ident], seen)
        return seen

    def over(self, bar):
        # D-06: exits shrink the implicit expectation and never the explicit one; a warp that arrived and exited counts once. D-10: an idle barrier does not
        # complete.
        return not bar.idle and bar.arrivals >= (bar.threads // 32 if bar.explicit else len(self.live | bar.arrived))

    def _complete(self, bar, seen):
        if not self.over(bar):
            return
        seen.flip, seen.released, seen.result = True, bar.waiting, (bar.popc, bar.all, bar.any)
        bar.reset()  # BAR-013: in the same step


# --- cluster barriers (CLU, D-46..D-51) -------------------------------------------------------------------------------------------------------------------


class ClusterBarrier:
    """The barrier of one cluster: all threads of all its CTAs (CLU-005). The completion is a separate commit, and each CTA is notified of it (D-53)."""

    def __init__(self, ctas):
        self.live = [None] * ctas  # None: not launched, which holds back every generation (D-47)
        self.arrived = [set() for _ in range(ctas)]
        self.generation, self.told, self.due = 0, [0] * ctas, False
        self.mine, self.owed = {}, set()

    def launch(self, rank, warps):
        self.live[rank] = set(range(warps))

    def arrive(self, rank, warp):
        seen = Seen()
        if warp in self.arrived[rank]:
            seen.rules.add("CLU-012")  # D-50: ignored
            return seen
        if (rank, warp) in self.owed:
            seen.rules.add("CLU-025")  # allowed, warned
        self.arrived[rank].add(warp)
        self.mine[rank, warp] = self.told[rank]
        self.owed.add((rank, warp))
        self._ready()
        return seen

    def wait(self, rank, warp):
        """A wait without arrive is reported and returns at once (D-50)."""
        if (rank, warp) not in self.owed:
            return Seen(rules={"CLU-013"})
        self.owed.discard((rank, warp))
        return Seen()

    def over(self, rank, warp):
        """May a wait return? Yes, if the generation of the warp's latest arrive has completed (D-49)."""
        return self.mine[rank, warp] != self.told[rank]

    def exit(self, rank, warp):
        self.live[rank].discard(warp)  # CLU-010; an arrival stays (D-48)
        self._ready()
        return Seen(rules={"CLU-014"} if (rank, warp) in self.owed else set())

    def _ready(self):
        """D-46: a warp has arrived, and every live warp has. D-48: nothing completes when the whole cluster has exited."""
        launched = all(live is not None for live in self.live)
        told = all(told == self.generation for told in self.told)  # before that the masks are those of the generation that has completed
        if launched and told and any(self.arrived) and any(self.live) and all(live <= here for live, here in zip(self.live, self.arrived)):
            self.due = True

    def complete(self):
        """The commit of the completion. Was it due?"""
        due, self.due = self.due, False
        self.generation += 1  # CLU-009; one bit is enough for the hardware (D-49)
        return due

    def tell(self, rank):
        self.told[rank] += 1
        self.arrived[rank] = set()
        self._ready()


# --- mbarriers (MBAR, MBARR, MBDROP, MBW, CPA; D-22..D-44) ------------------------------------------------------------------------------------------------


class Mbarrier:
    """One mbarrier object. `known` is false until an init: before it nothing defines the content of memory (D-37, MBAR-005)."""

    def __init__(self, lock_on_error=False):
        self.known, self.lock_on_error = False, lock_on_error
        self.parked = {}  # (whoever waits) -> parity that is awaited

    def init(self, count):
        if not 1 <= count <= TOP:
            return refuse("MBAR-021")  # D-03; D-36 does not name it among what locks an object
        self.known, self.locked, self.retired = True, False, False
        self.phase, self.pending, self.expected, self.tx = 0, count, count, 0  # MBAR-018
        return self._disturb(Seen())

    def inval(self):
        self.known = False
        return self._disturb(Seen())

    def _disturb(self, seen):
        """D-35: waits for an object that is invalidated or re-initialised wake with false."""
        if self.parked:
            seen.rules.add("MBAR-029")
        self.woken = dict.fromkeys(self.parked, False)
        self.parked = {}
        return seen

    def _bad(self, *rules):
        """D-36: refused as a whole; with LOCK_ON_ERROR the object changes no more, and nothing waits for it."""
        if self.lock_on_error and self.known:
            self.locked = True
            self.woken = dict.fromkeys(self.parked, False)
            self.parked = {}
        return refuse(*rules)

    def update(self, *, arrivals=None, expect=0, complete=0, drop=False, increment=0, no_complete=False, count_rule="MBARR-006"):
        """One commit of any operation that changes counts. All checks come before any change (D-27, D-28)."""
        self.woken = {}
        if self.locked:
            return refuse("LOCKED")
        rules = set()
        if self.retired:
            return self._bad("MBDROP-011")  # every update is refused and reported
        if arrivals is not None:
            if not 1 <= arrivals <= TOP:
                rules.add(count_rule)
            else:
                rules |= {"MBAR-003"} if arrivals > self.pending else set()
                rules |= {"MBDROP-011"} if drop and arrivals > self.expected else set()  # D-28
        tx = self.tx + expect - complete  # D-26: no wrap, whatever the operands
        if not -TOP <= tx <= TOP:
            rules.add("MBAR-041")
        if increment and self.pending + increment > TOP:
            rules.add("CPA-005")
        if rules:
            return self._bad(*rules)
        seen, arrivals = Seen(), arrivals or 0
        self.tx = tx
        self.state = self.phase, self.pending  # MBARR-011, MBPC-002: before this arrive-on
        self.expected -= arrivals if drop else 0
        self.pending += increment - arrivals
        if drop and self.expected == 0:
            seen.rules.add("MBDROP-011")  # applied and reported
        if self.pending == 0 and self.tx == 0:  # MBAR-010, and A-10 for expect
            self.phase += 1
            self.pending = self.expected  # MBAR-011, MBDROP-004
            self.retired = self.expected == 0
            seen.flip = True
            self.woken = dict.fromkeys(self.parked, True)  # D-33: latched at the flip
            self.parked = {}
            if no_complete:
                seen.rules.add("MBDROP-017" if drop else "MBARR-017")  # D-29: applied and reported
        return seen

    def holds(self, parity):
        """MBW-012, and MBW-004 with the parity of the state's phase."""
        return self.phase % 2 != parity


# --- order (D-40, D-54, D-69, FENCE-007, FENCE-021) -------------------------------------------------------------------------------------------------------


def waits_for(parts):
    """The earlier accesses of its threads for which a request waits. "own": towards their CTA; "wide": towards everyone, and operations posted to other
    CTAs; None: nothing. `parts`: the opcode and its qualifiers. Asynchronous operations are in none of these (CLU-017)."""
    if parts[0] == "bar" or parts[:2] == ["barrier", "cta"]:
        return "own"  # BWS-006, D-69
    if parts[:3] == ["barrier", "cluster", "arrive"]:
        return None if "relaxed" in parts else "wide"  # CLU-016, CLU-022
    releases = "release" in parts or "acq_rel" in parts or "sc" in parts
    if parts[0] == "mbarrier" and parts[1] in ("arrive", "arrive_drop") or parts[0] == "membar" or parts[0] == "fence" and \
            "proxy" not in parts and "mbarrier_init" not in parts:
        if releases:
            return "wide" if {"cluster", "gpu", "sys"} & set(parts) else "own"  # MBARR-014, FENCE-006
    return None
