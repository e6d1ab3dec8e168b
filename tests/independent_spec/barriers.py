"""Named and cluster barriers of a stream: the join of a warp's lanes (D-12, D-51), and the answers of rules.py for its arrivals."""
import copy

from records import LANES, number
from rules import ClusterBarrier, NamedBarriers

ARRIVALS = {"BAR-025", "BAR-026", "BAR-027", "BAR-031"}
EXIT_CLOCKS = 64  # D-70: an exit has reached every barrier of its CTA by then


def bits(mask):
    return {lane for lane in LANES if mask >> lane & 1}


class Barriers:
    def __init__(self, checker):
        self.checker = checker
        self.named, self.due = {}, {}  # by CTA; releases that are owed
        self.exits, self.unsaid = {}, set()  # cycle of a CTA's latest exit; barriers of which nobody says whether exits count
        self.clusters, self.launching = {}, {}
        self.lanes = {}  # (sm, cta, warp, lane) -> [request, may it go on]
        self.waiting = {}  # (sm, cta, warp) -> lanes that wait at the cluster barrier

    def launch(self, cta):
        if any(owed for key, owed in self.due.items() if key[:2] == cta.at):
            self.checker.differences.append(f"CTA {cta.at}: a release never came")
        bars = number(dict(p.split("=") for p in self.checker.header.get("with", "").split(",") if p).get("Bars", "16"))
        self.named[cta.at] = NamedBarriers(cta.warps, bars)
        cluster = self.launching.get(cta.slot) if cta.ctas > 1 else None
        if cluster is None or all(live is not None for live in cluster.live):
            cluster = ClusterBarrier(cta.ctas)
            if cta.ctas > 1:
                self.launching[cta.slot] = cluster
        cluster.launch(cta.rank, cta.warps)
        self.clusters[cta.at] = cluster
        for key in [key for key in self.lanes if key[:2] == cta.at]:
            del self.lanes[key]

    def request(self, e):
        if e.f["parts"][0] == "barrier":
            e.f["live"] = self.checker.ctas[e.at[:2]].live[e.at[2]]
            for lane in bits(e.lanes):
                self.lanes[*e.at, lane] = [e, False]

    # --- what a request is

    def key(self, request):
        """Lanes of a warp meet whose keys are equal."""
        parts = request.f["parts"]
        if parts[1] == "cluster":
            return "cluster", parts[2]
        ident, count = self.operands(request)
        return "bar", ident, self.named[request.at[:2]].effective(count)

    @staticmethod
    def operands(request):
        args = [a for a in request.f["args"] if a[0] not in "_%p"]
        return number(args[0]), number(args[1]) if len(args) > 1 else 0

    @staticmethod
    def form(request):
        parts = request.f["parts"]
        return parts[3] if parts[2] == "red" else parts[2]

    # --- commits

    def commit(self, e):
        unit, op = e.f["unit"], e.f["op"]
        if op == "EvWarpExit":
            return self.exit(e, unit)
        if op == "EvClusterFlip":
            return self.flip(e, unit)
        if op.startswith("Ev"):
            return None
        request = self.checker.requests[e.at[0], e.tag]
        aligned = "aligned" in request.f["parts"]
        cta = self.checker.ctas[e.at[:2]]
        live = cta.live[e.at[2]]
        if aligned or e.f["refused"]:
            here = {lane: request for lane in bits(e.lanes)}
            self.checker.agree(e, "lanes", bits(e.lanes) <= bits(request.lanes) | (set() if aligned else bits(live)), True)
        else:
            here = {lane: self.lanes[*e.at, lane][0] for lane in bits(e.lanes) if (*e.at, lane) in self.lanes}
            self.checker.agree(e, "lanes of the arrival", bits(e.lanes), bits(live))  # D-12, D-51: all that have not exited
            self.checker.agree(e, "operands of its lanes", {self.key(r) for r in here.values()}, {self.key(request)})
        partial = {aligned and e.lanes != live, aligned and e.lanes != request.f["live"]}  # others may exit on the way: either is right
        diverged = bool(e.f["rules"] & {"BAR-031", "CLU-015"})
        (self.arrive if unit == "named" else self.at_cluster)(e, here, diverged if diverged in partial else True in partial)
        return None

    def arrive(self, e, here, partial):
        bars = self.named[e.at[:2]]
        ident, count = self.operands(self.checker.requests[e.at[0], e.tag])
        wrong = set().union(*(bars.check(self.form(r), *self.operands(r)) for r in here.values()))
        self.checker.agree(e, "refused", e.f["refused"], bool(wrong))
        if wrong:
            self.count(wrong)
            self.checker.agree(e, f"one of the rules {e.f['rules']}", bool(e.f["rules"] & wrong), True)
            return self.pass_on(e, here)
        lanes = {lane: (self.form(r), bool(r.f["p"] >> lane & 1)) for lane, r in here.items()}
        counts = {self.operands(r)[1] for r in here.values()}
        self.late(e, ident)
        if bars.bars[ident].idle:
            self.unsaid.discard((*e.at[:2], ident))
            if len(counts) > 1:  # an omitted count and its number in one arrival: D-08 does not say which of them opens
                self.checker.counts["open: which count opens"] += 1
                self.unsaid.add((*e.at[:2], ident))
        seen = self.either(e, ident, lambda b, explicit: b.arrive(e.at[2], ident, count, lanes, explicit))
        rules = seen.rules | ({"BAR-031"} if partial else set())
        self.count(rules)
        self.checker.agree(e, "rules", e.f["rules"] & ARRIVALS, rules)
        self.checker.agree(e, "completes", e.f["flip"], seen.flip)
        self.pass_on(e, {lane: r for lane, r in here.items() if self.form(r) == "arrive"})
        self.completed(e.at[:2], ident, seen)
        return None

    def either(self, e, ident, act):
        """Acts. If the rules leave open whether exits count at this barrier, both ways are right, and the checker follows the recorded one."""
        ways = (False, True) if (*e.at[:2], ident) in self.unsaid else (None,)
        for explicit in ways:
            bars = copy.deepcopy(self.named[e.at[:2]]) if len(ways) > 1 else self.named[e.at[:2]]
            if explicit is not None:
                bars.bars[ident].explicit = explicit
            seen = act(bars, explicit)
            if seen.flip == e.f["flip"]:
                break
        self.named[e.at[:2]] = bars
        return seen

    def late(self, e, ident):
        """A barrier that an exit completes has completed soon after the exit."""
        bars = self.named[e.at[:2]]
        since = self.exits.get(e.at[:2], e.cycle)
        if bars.over(bars.bars[ident]) and e.cycle > since + EXIT_CLOCKS and (*e.at[:2], ident) not in self.unsaid:
            self.checker.say(e, f"barrier {ident} is complete by an exit in cycle {since}, and did not complete")

    def completed(self, cta, ident, seen):
        if seen.flip:
            self.checker.counts["named barrier generations"] += 1
            if seen.released:
                self.due.setdefault((*cta, ident), []).append((seen.released, seen.result))

    def pass_on(self, e, here):
        for lane in here:
            self.lanes[*e.at, lane][1] = True

    def count(self, rules):
        for rule in rules:
            self.checker.counts["wrong use " + rule] += 1

    def exit(self, e, unit):
        if unit == "named":
            bars, ident = self.named[e.at[:2]], e.f["object"]
            bars.exit(e.at[2])
            self.exits[e.at[:2]] = e.cycle
            if e.f["flip"]:
                seen = self.either(e, ident, lambda b, _: b.complete(ident))
                self.checker.agree(e, f"completes barrier {ident} by an exit", True, seen.flip)
                self.checker.counts["completed by an exit"] += 1
                self.completed(e.at[:2], ident, seen)
            elif "BAR-038" in e.f["rules"]:  # D-17: what is left when the CTA ends
                self.count({"BAR-038"})
                self.checker.agree(e, f"barrier {ident} is left over", True, not bars.live and not bars.bars[ident].idle)
                bars.bars[ident].reset()
        elif unit == "cluster":
            rules = self.clusters[e.at[:2]].exit(self.checker.ctas[e.at[:2]].rank, e.at[2]).rules
            self.count(rules)
            self.checker.agree(e, "rules", e.f["rules"], rules)

    def at_cluster(self, e, here, partial):
        if partial:  # CLU-015
            self.count({"CLU-015"})
            self.checker.agree(e, "CLU-015 is reported and refused", e.f["refused"] and "CLU-015" in e.f["rules"], True)
            return self.pass_on(e, here)
        cta, cluster = self.checker.ctas[e.at[:2]], self.clusters[e.at[:2]]
        waits = e.f["op"] == "ClusterWait"
        seen = (cluster.wait if waits else cluster.arrive)(cta.rank, e.at[2])
        self.count(seen.rules)
        self.checker.agree(e, "rules", e.f["rules"], seen.rules)
        self.checker.counts["cluster waits" if waits else "cluster arrivals"] += 1
        if not waits or seen.rules:
            return self.pass_on(e, here)
        self.waiting[e.at] = set(here)
        return None

    def flip(self, e, unit):
        """A cluster of several CTAs completes in the network, which notifies each CTA; a cluster of one CTA completes at once."""
        if unit == "network":
            at = next((at for (slot, _), at in self.checker.routes.items() if slot == e.f["object"]), None)
            cluster = self.clusters.get(at)
            self.checker.agree(e, "completes", True, cluster is not None and cluster.complete())
            self.checker.counts["cluster generations"] += 1
            return
        cluster, rank = self.clusters[e.at[:2]], self.checker.ctas[e.at[:2]].rank
        if len(cluster.live) == 1:
            self.checker.agree(e, "completes", True, cluster.complete())
            self.checker.counts["cluster generations"] += 1
        cluster.tell(rank)
        self.checker.agree(e, "generations that a CTA was told of", cluster.told[rank] <= cluster.generation, True)

    # --- answers and releases

    def answer(self, e, request):
        for lane in bits(e.lanes):
            entry = self.lanes.pop((*e.at, lane), None)
            if entry is None:
                self.checker.say(e, f"lane {lane} has nothing to be answered")
            elif not entry[1] and not self.wait_over(e.at, lane):
                self.checker.say(e, f"lane {lane} goes on, and the rules say that it waits ({request.f['op']})")

    def wait_over(self, at, lane):
        over = lane in self.waiting.get(at, ()) and self.clusters[at[:2]].over(self.checker.ctas[at[:2]].rank, at[2])
        if over:
            self.waiting[at].discard(lane)
        return over

    def release(self, e):
        for warp, mask in e.f["of"].items():
            at, lanes = (*e.at, warp), bits(mask)
            if e.f["cluster"]:
                for lane in lanes:
                    self.checker.agree(e, f"lane {lane} of warp {warp} goes on", True, self.wait_over(at, lane))
            for lane in lanes:
                self.lanes.pop((*at, lane), None)
        if e.f["cluster"]:
            return
        ident = number(e.f["words"][2])
        owed = self.due.get((*e.at, ident))
        if not owed:
            return self.checker.say(e, f"a release of barrier {ident} that the rules do not have")
        released, (popc, every, some) = owed[0]
        words = e.f["words"]
        self.checker.agree(e, "popc", number(e.f.get("popc", "0")), popc)
        self.checker.agree(e, "all", "all" in words, every)
        self.checker.agree(e, "any", "any" in words, some)
        for warp, mask in e.f["of"].items():
            self.checker.agree(e, f"lanes of warp {warp}", bits(mask), released.pop(warp, set()))
        if not released:
            owed.pop(0)

    def end(self):
        for key, owed in self.due.items():
            if owed:
                self.checker.differences.append(f"barrier {key}: a release never came")
        for at, cluster in self.clusters.items():
            if any(cluster.live) and (cluster.generation > min(cluster.told) or cluster.due):
                self.checker.differences.append(f"cluster of CTA {at}: complete, and nobody was told")
        for cta, bars in self.named.items():
            for ident, bar in enumerate(bars.bars):
                if bars.over(bar) and bars.live and (*cta, ident) not in self.unsaid:
                    self.checker.differences.append(f"barrier {ident} of CTA {cta}: complete by an exit, and did not complete")
