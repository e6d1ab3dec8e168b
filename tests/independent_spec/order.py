"""Order, as far as a trace shows it: a release takes effect after the earlier operations of its threads (D-40, D-54, D-69, FENCE-007)."""
from collections import Counter

from records import LANES, number
from rules import waits_for


def lanes_of(mask):
    return [lane for lane in LANES if mask >> lane & 1]


class Orders:
    def __init__(self, checker):
        self.checker = checker
        self.posted = {}  # thread -> requests of it that take effect elsewhere and have not
        self.announced, self.performed = Counter(), Counter()  # (sm, cta, warp, towards, epoch) -> accesses
        self.releases = {}  # thread -> what its open release waits for

    def launch(self, cta):
        for table in (self.posted, self.releases):
            for key in [key for key in table if key[:2] == cta.at]:
                del table[key]

    def accesses(self, e, sign):
        key = (*e.at, e.f["towards"], e.f["epoch"])
        (self.announced if sign > 0 else self.performed)[key] += number(e.f["count"])
        self.checker.counts["accesses announced"] += max(sign, 0) * number(e.f["count"])

    def request(self, e):
        scope = waits_for(e.f["parts"])
        if scope:
            accesses = {key: self.announced[key] for key in self.announced
                        if key[:3] == e.at and self.announced[key] > self.performed[key] and (scope == "wide" or key[3] == "cta")}
            for lane in lanes_of(e.lanes):
                thread = (*e.at, lane)
                self.releases[thread] = e, set(self.posted.get(thread, ())) if scope == "wide" else set(), accesses
        parts = e.f["parts"]
        if ("shared::cluster" in parts or e.f.get("remote")) and "async" not in parts and parts[0] != "clusterlaunchcontrol":
            for lane in lanes_of(e.lanes):
                self.posted.setdefault((*e.at, lane), set()).add(e.at[:1] + (e.tag, e.cycle))

    def commit(self, e):
        if e.f["op"].startswith("Ev"):
            return
        sm, cta = e.f["from"] if e.f["source"] == "Remote" else e.at[:2]
        request = self.checker.requests.get((sm, e.tag))
        for lane in lanes_of(e.lanes):
            thread = (sm, cta, e.at[2], lane)
            if thread in self.releases and (e.f["unit"] in ("named", "cluster", "warpsync") or self.releases[thread][0] is request):
                self.check(e, thread)
            if request is not None:  # at the owner, or refused here
                self.posted.get(thread, set()).discard((sm, e.tag, request.cycle))

    def check(self, e, thread):
        release, posted, accesses = self.releases.pop(thread)
        if e.f["refused"]:
            return
        self.checker.counts["releases that had nothing to wait for" if not posted and not accesses else "releases that had to wait"] += 1
        late = posted & self.posted.get(thread, set()) - {(release.at[0], release.tag, release.cycle)}
        self.checker.agree(e, f"operations of lane {thread[3]} that the release overtakes", late, set())
        for key, count in accesses.items():
            self.checker.agree(e, f"accesses {key[3]} of epoch {key[4]} are performed", self.performed[key] >= count, True)

    def end(self):
        pass
