"""Reads a trace (../../tb/trace/README.md) and the commits beside it (../../tb/traffic/README.md) into one list of events in the order of time."""
import re
from dataclasses import dataclass, field

LANES = range(32)


@dataclass
class Event:
    cycle: int
    kind: str  # first word of the line; "commit"
    at: tuple = ()  # SM, CTA slot[, warp]
    lanes: int = 0
    tag: int = -1
    f: dict = field(default_factory=dict)  # the rest, by name


def number(text):
    return int(text, 0)


def place(text):
    return tuple(int(part) for part in text.split("/"))


def values(text, parse=number):
    """`{v, v*n, v+s*n}` without blanks, or one value for all lanes."""
    if not text.startswith("{"):
        return None, parse(text)
    out = []
    for part in text[1:-1].split(","):
        base, _, times = part.partition("*")
        base, _, step = base.partition("+")
        out += [parse(base) + i * number(step or "0") for i in range(number(times or "1"))]
    return out, None


def address(text):
    rank, offset = text.split(":")
    return number(rank) << 24 | number(offset)


def by_lane(text, lanes, parse=number):
    listed, same = values(text, parse)
    active = [lane for lane in LANES if lanes >> lane & 1]
    return dict(zip(active, listed if listed is not None else [same] * len(active)))


def instruction(text, lanes):
    """Opcode, qualifiers and operands of a `do`."""
    head, _, attributes = text.partition(";")
    name, _, operands = head.partition(" ")
    f = {"op": name, "parts": name.split("."), "p": 0}
    for attribute in attributes.split():
        key, _, value = attribute.partition("=")
        f[key] = number(value) if key in ("p", "arg0", "arg1", "kind") else value or True
    if operands.startswith("["):
        where, _, rest = operands[1:].partition("]")
        f["addr"] = by_lane(where, lanes, address)
        data, _, limit = re.sub(r"^, ", "", rest).partition(", ")
        f["data"] = by_lane(data or "0", lanes)
        f["limit"] = by_lane(limit or "0", lanes)
    else:
        f["args"] = [part for part in operands.split(", ") if part]
        for part in f["args"]:
            if part.startswith("p="):
                f["p"] = number(part[2:])
    return f


class Clock:
    """The anchors of the trace: from which answer, launch or free each distance counts."""

    def __init__(self):
        self.frees, self.outcome = [0], 0
        self.answered, self.record, self.launched, self.queries, self.issues = {}, {}, {}, {}, {}
        self.open = {}  # (sm, cta, warp) -> lanes

    def lanes_anchor(self, at, lanes):
        return max(self.answered.get((*at, lane), self.launched.get(at[:2], 0)) for lane in LANES if lanes >> lane & 1)

    def answer(self, at, lanes, cycle):
        self.open[at] = self.open.get(at, 0) & ~lanes
        for lane in LANES:
            if lanes >> lane & 1:
                self.answered[*at, lane] = cycle


def lines(path):
    """Header of the trace, then its events with the cycle of each."""
    header, clock, events = {}, Clock(), []
    with open(path, encoding="ascii") as file:
        for line in file:
            key, _, value = line.rstrip("\n").partition(" ")
            if key == "begin":
                break
            if key == "cfg":
                name, _, value = value.partition("=")
                header.setdefault("cfg", {})[name] = number(value)
            else:
                header[key] = value
        for line in file:
            if not line.startswith("end "):
                events.append(event(line.rstrip("\n"), clock))
    return header, events


def event(line, clock):
    kind, distance, rest = (line + " ").split(" ", 2)
    delta, words = number(distance[1:]), rest.split()
    e = Event(0, kind, f=dict(word.split("=", 1) for word in words if "=" in word and not word.startswith("[")))
    e.f["words"] = words
    if kind in ("route", "grid", "launch"):
        e.cycle = clock.frees[number(e.f["after"])] + delta
        if kind == "launch":
            e.at = place(words[1])
            clock.launched[e.at] = e.cycle
            for table in (clock.answered, clock.record, clock.open):
                for key in [key for key in table if key[:2] == e.at]:
                    del table[key]
    elif kind in ("do", "exit"):
        e.at, e.lanes = place(words[0]), number(words[1])
        e.cycle = clock.lanes_anchor(e.at, e.lanes) + delta
        clock.record[e.at] = e.cycle
        if kind == "do":
            e.tag = number(words[2][1:])
            e.f.update(instruction(" ".join(words[4:]), e.lanes))
            clock.open[e.at] = clock.open.get(e.at, 0) | e.lanes
    elif kind in ("issue", "async", "announce", "performed"):
        return stimulus(e, kind, delta, words, clock)
    elif kind == "canceled":
        e.at, e.tag = place(words[0]), number(words[1][1:])
        e.cycle = clock.queries[e.at[0], e.tag, e.f["lane"]] + delta
    elif kind == "store":
        e.cycle = clock.outcome + delta  # no stream of tb/traffic has one; the checker forgets the objects of the SM
    else:
        e.cycle = clock.outcome = clock.outcome + delta
        outcome(e, kind, words, clock)
    return e


def stimulus(e, kind, delta, words, clock):
    if kind == "async":
        e.at, e.f["what"] = place(words[2]), words[1]
        e.f["addr"], e.f["amount"] = address(words[3].strip("[],")), number(words[4])
        e.tag = number(words[5][1:])
        anchor = clock.issues.get(words[0]) if words[0] != "&0" else None
    else:
        e.at, anchor = place(words[0]), None
    if anchor is None:
        anchor = clock.record.get(e.at, clock.launched.get(e.at[:2], 0))
    e.cycle = anchor + delta
    if kind == "issue":
        clock.issues[words[1]] = e.cycle
    elif kind != "async":
        e.f["towards"] = words[1]
    return e


def outcome(e, kind, words, clock):
    if kind == "free":
        e.at = place(words[0])
        clock.frees.append(e.cycle)
    elif kind == "answer":
        e.at, e.lanes, e.tag = place(words[0]), number(words[1]), number(words[2][1:])
        clock.answer(e.at, e.lanes, e.cycle)
    elif kind == "cancel":
        e.at, e.tag = place(words[0]), number(words[1][1:])
        clock.queries[e.at[0], e.tag, e.f["lane"]] = e.cycle
    elif kind == "release":
        e.at = place(words[0])
        e.f["cluster"] = words[1] == "cluster"
        lanes = number(e.f.get("lanes", "0xffffffff"))
        e.f["of"] = {}
        for warp in LANES:
            if number(e.f["warps"]) >> warp & 1:
                at = (*e.at, warp)
                e.f["of"][warp] = clock.open.get(at, 0) & lanes
                clock.answer(at, e.f["of"][warp], e.cycle)


def commits(path):
    with open(path, encoding="ascii") as file:
        names = file.readline().rstrip("\n").split("\t")
        for line in file:
            f = dict(zip(names, line.rstrip("\n").split("\t")))
            for name in ("lanes", "object", "old", "new", "tag", "cycle"):
                f[name] = number(f[name])
            f["flip"], f["refused"] = f["flip"] == "1", f["refused"] == "1"
            f["rules"] = set(f["rules"].split(",")) - {""}
            f["from"] = place(f["from"])
            yield Event(f["cycle"], "commit", place(f["at"]), f["lanes"], f["tag"], f)


OUTCOMES = {"answer", "release", "free", "delivered", "gridevent", "cancel"}


def merged(trace, log):
    """All events: within a cycle first the driver's inputs, then commits, then the port's answers."""
    header, events = lines(trace)
    log, out = list(commits(log)), []
    at = 0
    for e in events:
        while at < len(log) and (log[at].cycle < e.cycle or e.kind in OUTCOMES and log[at].cycle == e.cycle):
            out.append(log[at])
            at += 1
        out.append(e)
    return header, out + log[at:]
