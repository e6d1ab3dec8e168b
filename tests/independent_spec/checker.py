"""Follows a recorded stream with the rules of rules.py and says where commits, answers and releases do not agree.

The commits give the order in which operations took effect (D-01) and nothing else: what each of them did is worked out here and compared.
"""
from collections import Counter

from barriers import Barriers
from mbarriers import Mbarriers
from order import Orders
from records import LANES, number, place


class Cta:
    """One launch of a CTA slot."""

    def __init__(self, e):
        self.at, self.threads, self.size = e.at, number(e.f["threads"]), number(e.f["size"])
        self.warps = -(-self.threads // 32)
        words = e.f["words"]
        self.rank = number(e.f["cluster"].split(":")[1])
        self.slot, self.ctas = number(e.f["cluster"].split(":")[0]), number(words[words.index("of") + 1])
        self.live = [min(0xFFFFFFFF, (1 << max(0, self.threads - 32 * warp)) - 1) for warp in range(self.warps)]


class Checker:
    def __init__(self, header):
        self.header, self.cfg = header, header.get("cfg", {})
        self.counts, self.differences = Counter(), []
        self.ctas, self.requests, self.routes = {}, {}, {}
        self.barriers, self.mbarriers, self.orders = Barriers(self), Mbarriers(self), Orders(self)
        self.parts = (self.barriers, self.mbarriers, self.orders)

    def say(self, e, what):
        self.differences.append(f"cycle {e.cycle}, {e.f.get('op', e.kind)} of {'/'.join(map(str, e.at))} tag {e.tag}: {what}")

    def agree(self, e, name, have, want):
        """`have`: the recorded value; `want`: that of the rules."""
        self.counts["compared"] += 1
        if have != want:
            self.say(e, f"{name} is {have}, the rules say {want}")

    def run(self, events):
        for e in events:
            handler = getattr(self, "on_" + e.kind, None)
            if handler:
                handler(e)
        for part in self.parts:
            part.end()
        return self

    def on_route(self, e):
        words = e.f["words"]
        slot, rank = e.f["cluster"].split(":")
        self.routes[number(slot), number(rank)] = place(words[words.index("at") + 1])

    def on_launch(self, e):
        cta = self.ctas[e.at] = Cta(e)
        self.counts["launches"] += 1
        for part in self.parts:
            part.launch(cta)

    def on_do(self, e):
        self.counts["requests"] += 1
        self.requests[e.at[0], e.tag] = e
        for part in self.parts:
            part.request(e)

    def on_async(self, e):
        self.mbarriers.asynchronous(e)

    def on_announce(self, e):
        self.orders.accesses(e, +1)

    def on_performed(self, e):
        self.orders.accesses(e, -1)

    def on_store(self, e):
        self.mbarriers.forget(e.at[0] if e.at else None)

    def on_commit(self, e):
        self.counts["commits"] += 1
        unit, op = e.f["unit"], e.f["op"]
        if unit == "cta":
            if op == "EvLaneExit":
                self.ctas[e.at[:2]].live[e.at[2]] &= ~e.lanes
                self.counts["exits"] += 1
            return
        self.orders.commit(e)
        if unit in ("named", "cluster", "network"):
            self.barriers.commit(e)
        elif unit == "mbarrier":
            self.mbarriers.commit(e)

    def on_answer(self, e):
        request = self.requests.get((e.at[0], e.tag))
        if request is None:
            return self.say(e, "answers a request that nobody made")
        self.counts["answers"] += 1
        stem = request.f["parts"]
        if stem[0] == "barrier":
            self.barriers.answer(e, request)
        elif "mbarrier" in stem or stem[0] in ("clusterlaunchcontrol", "st", "red"):
            self.mbarriers.answer(e, request)
        return None

    def on_release(self, e):
        self.counts["releases"] += 1
        self.barriers.release(e)


def lanes_of(mask):
    return [lane for lane in LANES if mask >> lane & 1]
