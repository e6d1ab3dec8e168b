"""mbarriers of a stream: the source of each commit's operands, and the answer of rules.py. Words are read as D-22 recommends."""
from collections import deque

from records import number
from rules import TOP, Mbarrier

LOCAL_ONLY = {"MbarInit", "MbarInval", "MbarTestWait", "MbarTestWaitParity", "MbarTryWait", "MbarTryWaitParity", "CpAsyncArrive", "CpAsyncArriveNoinc"}
WAITS = {"MbarTestWait", "MbarTestWaitParity", "MbarTryWait", "MbarTryWaitParity"}
STATES = {"MbarArrive", "MbarArriveDrop", "MbarArriveExpectTx", "MbarDropExpectTx"}
# A rule may be reported under its name for another operation.
ALSO = {"MBAR-003": {"CPA-007"}, "MBARR-006": {"MBDROP-006"}, "LOCKED": {"MBAR-002"}, "MBAR-004": {"CLC-002", "MBAR-022"}}


def word(value):
    """Phase, pending, bytes, expected and lock of a word (D-22)."""
    tx = -(value >> 21 & 0x1FFFFF)
    return {"phase": value >> 63, "pending": -(value >> 43) & TOP, "tx": tx + (1 << 21) if tx <= -(1 << 20) else tx, "expected": -(value >> 1) & TOP,
            "lock": value >> 42 & 1}


def lanes_of(mask):
    return [lane for lane in range(32) if mask >> lane & 1]


class Mbarriers:
    def __init__(self, checker):
        self.checker = checker
        policy = checker.cfg.get("mbar_policy", 0)
        self.lock, self.sm80 = bool(policy & 2), bool(policy & 4)
        self.objects, self.tags = {}, {}
        self.coming = {}  # asynchronous updates that have been told: (sm, tag) -> them
        self.answers = {}  # (sm, tag, lane) -> what the answer must be: True, False, a state, None: anything; missing: not answered yet
        self.free = set()  # waits of objects that nobody knows

    def launch(self, cta):
        for key in [key for key in self.objects if key[:2] == cta.at]:
            del self.objects[key]

    def forget(self, sm):
        for key, mbarrier in self.objects.items():
            if sm is None or key[0] == sm:
                mbarrier.known = False

    def request(self, e):
        for lane in lanes_of(e.lanes):
            self.answers.pop((e.at[0], e.tag, lane), None)
            self.free.discard((e.at[0], e.tag, lane))

    def asynchronous(self, e):
        self.coming.setdefault((e.at[0], e.tag & 0xFFF), deque()).append(e)

    # --- where operands come from

    def source(self, e):
        """The request or the asynchronous update that the commit performs."""
        sm = e.f["from"][0] if e.f["source"] == "Remote" else e.at[0]
        if e.f["op"] in ("EvAsyncArrive", "EvAgentArrive") or e.f["op"] == "EvAsyncCompleteTx" and e.f["source"] == "AsyncCopy":
            what = {"EvAsyncArrive": "arrive_on", "EvAgentArrive": "agent_arrive", "EvAsyncCompleteTx": "complete_tx"}[e.f["op"]]
            for update in self.coming.get((sm, e.tag), ()):
                offset = update.f["addr"] & 0xFFFFFF
                if update.f["what"] == what and (what == "agent_arrive" or update.at[1] == e.at[1]) and offset == e.f["object"] & 0xFFFFFF:
                    if what == "complete_tx":
                        self.coming[sm, e.tag].remove(update)
                    return update
            return None
        return self.checker.requests.get((sm, e.tag))

    def amounts(self, e, source, lane):
        """The effect of one lane on the object: the arguments of Mbarrier.update()."""
        op = e.f["op"]
        data = source.f["data"].get(lane, 0) if "data" in source.f else source.f.get("amount", 0)
        no_complete = "noComplete" in source.f.get("parts", ())
        return {
            "MbarArrive": {"arrivals": data, "no_complete": no_complete},
            "MbarArriveDrop": {"arrivals": data, "drop": True, "no_complete": no_complete},
            "MbarArriveExpectTx": {"arrivals": 1, "expect": data},
            "MbarDropExpectTx": {"arrivals": 1, "expect": data, "drop": True},
            "MbarExpectTx": {"expect": data},
            "MbarCompleteTx": {"complete": data},
            "EvAsyncCompleteTx": {"complete": data},
            "ClcTryCancel": {"complete": 16},  # CLC-006
            "CpAsyncArrive": {"increment": 1},  # CPA-003
            "EvAsyncArrive": {"arrivals": 1},  # one for each thread that asked for it (MBAR-049)
            "EvAgentArrive": {"arrivals": 1},
        }.get(op)

    def misplaced(self, e, source):
        """Rules that the address and the form of the operation break, whatever the state of the object."""
        op, rules, cta = e.f["op"], set(), self.checker.ctas.get(e.at[:2])
        offset = e.f["object"] & 0xFFFFFF
        if offset % 8:
            rules |= {"MBAR-004"}
        if offset + 8 > cta.size:
            rules |= {"MBAR-004", "MBAR-022", "CLC-002"}  # D-72
        remote = "shared::cluster" in source.f.get("parts", ()) and source.at[:2] != e.at[:2]  # D-38: the own CTA's address is as good, without a state
        if remote and op in STATES:
            rules |= {"MBARR-010", "MBDROP-010"} if source.f.get("value") else set()
            rules |= {"MBARR-007", "MBDROP-007"} if "noComplete" in source.f["parts"] else set()
        if remote and op in LOCAL_ONLY:
            rules |= {"MBAR-015", "MBAR-020"}
        return rules

    # --- commits

    def commit(self, e):
        op, counts = e.f["op"], self.checker.counts
        if op in ("Atom", "Red", "StAsync", "RedAsync") or op == "ClcTryCancel" and e.f["source"] == "Local":
            return self.answered(e, None) if e.f["refused"] and e.f["source"] == "Local" else None
        if op == "EvTimeout":
            return self.timeout(e)
        source = self.source(e)
        if source is None:
            return self.checker.say(e, "performs something that nobody asked for")
        counts["mbarrier commits"] += 1
        counts["from another CTA"] += e.f["source"] == "Remote"
        if e.f["source"] in ("AsyncCopy", "CpAsync", "Agent"):
            counts["asynchronous commits"] += 1
        away = e.f["object"] >> 24 != self.checker.ctas[e.at[:2]].rank  # never left: there is no such CTA, or it may not be named
        if away or e.f["rules"] & {"HS-024", "CLC-011"} or (self.sm80 and e.f["refused"]):
            self.checker.agree(e, "refused", e.f["refused"], True)
            counts["wrong use HS-024" if not self.sm80 else "refused on sm_80"] += 1
            return self.answered(e, False)
        mbarrier = self.objects.setdefault((*e.at[:2], e.f["object"] & 0xFFFFFF), Mbarrier(self.lock))
        wrong = self.misplaced(e, source)
        if wrong:  # what the object holds may be wrong as well, and be named instead
            return self.refused(e, wrong, e.f["rules"] if not mbarrier.known or mbarrier.locked or mbarrier.retired else set())
        if op in WAITS:
            return self.wait(e, source, mbarrier)
        if op == "CpAsyncArriveNoinc":  # CPA-004: nothing yet
            self.checker.agree(e, "refused", e.f["refused"], False)
            return self.answered(e, None)
        if op in ("MbarInit", "MbarInval"):
            return self.lifecycle(e, source, mbarrier)
        if not mbarrier.known:
            counts["unknown object"] += 1
            return self.unknown(e)
        return self.update(e, source, mbarrier)

    def refused(self, e, wrong, also=frozenset()):
        self.checker.agree(e, "refused", e.f["refused"], True)
        names = wrong.union(also, *(ALSO.get(rule, set()) for rule in wrong))
        self.checker.agree(e, f"one of {sorted(names)} is reported: {sorted(e.f['rules'])}", bool(e.f["rules"] & names), True)
        for rule in wrong & e.f["rules"] or wrong:
            self.checker.counts["wrong use " + rule] += 1
        self.answered(e, False)

    def unknown(self, e):
        """Nothing defines the content of this memory: a wait may get any answer."""
        self.answered(e, None)

    def answered(self, e, what):
        if e.f["source"] in ("Local", "Timer"):
            for lane in lanes_of(e.lanes):
                self.answers[e.at[0], e.tag, lane] = what

    def lifecycle(self, e, source, mbarrier):
        if e.f["op"] == "MbarInit":
            count = next(iter(source.f["data"].values()))
            seen = mbarrier.init(count)
            self.checker.counts["objects"] += not seen.refused
        else:
            seen = mbarrier.inval()
        if seen.refused:
            return self.refused(e, seen.rules)
        self.checker.agree(e, "refused", e.f["refused"], False)
        self.wake(mbarrier)
        if mbarrier.known:
            self.compare(e, mbarrier)
        return self.answered(e, None)

    def update(self, e, source, mbarrier):
        """One lane after the other, lowest first (D-23)."""
        flips = 0
        lanes = lanes_of(e.lanes)
        for lane in lanes:
            amounts = self.amounts(e, source, lane)
            seen = mbarrier.update(**amounts)
            if seen.refused:
                return self.refused(e, seen.rules)
            self.checker.agree(e, "refused", e.f["refused"], False)
            for rule in seen.rules:
                self.checker.counts["wrong use " + rule] += 1
                self.checker.agree(e, f"{rule} is reported", rule in e.f["rules"], True)
            if e.f["source"] == "Local":
                self.answers[e.at[0], e.tag, lane] = mbarrier.state if self.stateful(e, source) else None
            flips += seen.flip
            self.checker.agree(e, "phases that one operation completes", flips <= 1, True)  # D-30
            self.wake(mbarrier)
            if flips > seen.flip:
                self.checker.say(e, "goes on after the phase that it completed")  # D-23: a merged update must not cross a flip
        self.checker.counts["phases"] += flips
        self.checker.agree(e, "completes the phase", e.f["flip"], flips == 1)
        return self.compare(e, mbarrier)

    @staticmethod
    def stateful(e, source):
        return e.f["op"] in STATES and source.f.get("value") and "shared::cluster" not in source.f["parts"]

    def compare(self, e, mbarrier):
        want = {"phase": mbarrier.phase % 2, "pending": mbarrier.pending, "tx": mbarrier.tx, "expected": mbarrier.expected, "lock": 0}
        self.checker.agree(e, "object", word(e.f["new"]), want)

    # --- waits

    def wait(self, e, source, mbarrier):
        parity = "parity" in source.f["parts"]
        for lane in lanes_of(e.lanes):
            key, operand = (e.at[0], e.tag, lane), source.f["data"][lane]
            if parity and operand > 1:
                self.refused(e, {"MBW-011"})
                continue
            if not mbarrier.known:
                self.checker.counts["unknown object"] += 1
                self.answers[key] = None
                self.free.add(key)
                continue
            self.checker.agree(e, "refused", e.f["refused"], False)
            awaited = operand if parity else operand >> 63
            if mbarrier.holds(awaited):
                self.answers[key] = True
                self.checker.counts["waits that were true at once"] += 1
            elif self.suspends(e, source, lane):
                mbarrier.parked[key] = awaited
            else:
                self.answers[key] = False
                self.checker.counts["waits that were false at once"] += 1
        self.checker.agree(e, "a wait changes nothing", e.f["flip"], False)

    @staticmethod
    def suspends(e, source, lane):
        """MBW-005; D-32: no suspension with a limit of 0; D-34: nor without a free slot or in a diverged warp."""
        unlimited = not source.f.get("kind") or source.f["limit"].get(lane, 0) != 0
        return "try_wait" in source.f["parts"] and unlimited and e.f["cause"] not in ("CamFull", "Diverged")

    def wake(self, mbarrier):
        for key, result in mbarrier.woken.items():
            self.answers[key] = result
            self.checker.counts["waits woken by a phase" if result else "waits woken because the object went"] += 1
        mbarrier.woken = {}

    def timeout(self, e):
        """MBW-006: false, and only while the phase has not completed (D-32)."""
        offset = e.f["object"] & 0xFFFFFF
        mbarrier = self.objects.get((*e.at[:2], offset))
        for lane in lanes_of(e.lanes):
            key = (e.at[0], e.tag, lane)
            if key in self.free:
                continue
            awaited = mbarrier.parked.pop(key, None) if mbarrier else None
            self.checker.agree(e, f"lane {lane} still waits", True, awaited is not None)
            self.answers[key] = False
            self.checker.counts["time-outs"] += 1

    # --- answers

    def answer(self, e, request):
        if request.at != e.at:
            return self.checker.say(e, f"answers a request of {request.at}")
        truth = number(e.f.get("p", "0"))
        value, stride = number(e.f.get("value", "0")), number(e.f.get("stride", "0"))
        if "test_wait" in request.f["parts"] or "try_wait" in request.f["parts"]:
            for lane in lanes_of(e.lanes):
                self.result(e, lane, bool(truth >> lane & 1))
            return None
        for nth, lane in enumerate(lanes_of(e.lanes)):
            want = self.answers.get((e.at[0], e.tag, lane))
            if isinstance(want, tuple):
                state = word(value + nth * (stride << 43) & (1 << 64) - 1)
                self.checker.agree(e, f"state of lane {lane}: phase and pending", (state["phase"], state["pending"]), (want[0] % 2, want[1]))
                self.checker.counts["states"] += 1
        return None

    def result(self, e, lane, have):
        key = (e.at[0], e.tag, lane)
        want = self.answers.get(key, False)
        if key not in self.answers:  # parked still: false without a reason is allowed, true is not (MBW-007, D-34)
            self.checker.counts["false though it might have waited"] += 1
            for mbarrier in self.objects.values():
                mbarrier.parked.pop(key, None)
        if want is not None:
            self.checker.agree(e, f"result of lane {lane}", have, bool(want))
            self.checker.counts["waits that were compared"] += 1

    def end(self):
        for key, mbarrier in self.objects.items():
            if mbarrier.known and mbarrier.parked:
                self.checker.counts["waits without an answer at the end"] += len(mbarrier.parked)
