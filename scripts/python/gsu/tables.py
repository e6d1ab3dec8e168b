"""Arrow tables of the reports of the program and the unit."""
import pathlib
import re

import pyarrow as pa

from . import perfetto
from .errors import InputError


def table(rows, schema):
    """A table of dictionaries; missing values are null."""
    return pa.Table.from_pylist([{name: row.get(name) for name in schema.names} for row in rows], schema=schema)


BARRIERS = pa.schema([("kind", pa.string()), ("id", pa.int64()), ("generations", pa.int64()), ("requests", pa.int64()), ("blocked_clocks", pa.int64()),
                      ("longest_wait", pa.int64()), ("never_answered", pa.int64())])
MBARRIERS = pa.schema([("cta", pa.int64()), ("address", pa.int64()), ("expected", pa.int64()), ("inits", pa.int64()), ("phases", pa.int64()),
                       ("arrivals", pa.int64()), ("tx_bytes", pa.int64()), ("waits", pa.int64()), ("wait_requests", pa.int64()),
                       ("blocked_clocks", pa.int64()), ("never_released", pa.int64())])
STAGES = pa.schema([("pipeline", pa.int64()), ("cta", pa.int64()), ("full", pa.int64()), ("empty", pa.int64()), ("rounds", pa.int64()),
                    ("consumers_waited", pa.int64()), ("producers_waited", pa.int64()), ("bound_by", pa.string())])
FINDINGS = pa.schema([("rule", pa.string()), ("severity", pa.string()), ("message", pa.string()), ("cta", pa.int64()), ("warp", pa.int64()),
                      ("lanes", pa.string()), ("file", pa.string()), ("line", pa.int64()), ("cycle", pa.int64()), ("count", pa.int64())])
RACES = pa.schema([("rule", pa.string()), ("lines", pa.list_(pa.int64())), ("missing", pa.list_(pa.string())), ("scope", pa.string()),
                   ("space", pa.string()), ("cta", pa.int64()), ("address", pa.int64()), ("size", pa.int64()), ("memory", pa.string()),
                   ("offset", pa.int64()), ("cycle", pa.int64()), ("count", pa.int64()), ("message", pa.string())])
WAITING = pa.schema([("cta", pa.int64()), ("warp", pa.int64()), ("lanes", pa.string()), ("line", pa.int64()), ("kind", pa.string()), ("id", pa.int64()),
                     ("address", pa.int64()), ("asked", pa.int64())])
# One row for each executed synchronization instruction of a lane group, from the timeline.
SLICES = pa.schema([("sm", pa.int64()), ("slot", pa.int64()), ("warp", pa.int64()), ("what", pa.string()), ("barrier", pa.string()), ("line", pa.int64()),
                    ("start", pa.int64()), ("clocks", pa.int64()), ("end", pa.string())])
# One row for each generation or phase of a barrier.
PHASES = pa.schema([("sm", pa.int64()), ("slot", pa.int64()), ("barrier", pa.string()), ("what", pa.string()), ("start", pa.int64()), ("clocks", pa.int64())])
# One row for each change of an mbarrier inside a phase.
CHANGES = pa.schema([("sm", pa.int64()), ("slot", pa.int64()), ("barrier", pa.string()), ("what", pa.string()), ("cycle", pa.int64()),
                     ("pending", pa.int64()), ("tx", pa.int64())])
TRACE = pa.schema([("record", pa.int64()), ("kind", pa.string()), ("distance", pa.int64()), ("sm", pa.int64()), ("cta", pa.int64()), ("warp", pa.int64()),
                   ("lanes", pa.uint32()), ("tag", pa.int64()), ("line", pa.int64()), ("text", pa.string())])


def stages(result):
    rows = []
    for number, pipeline in enumerate(result.get("pipelines", [])):
        for s in pipeline["stages"]:
            rows.append({"pipeline": number, "cta": pipeline["cta"], **s, "consumers_waited": s["consumers_waited"]["blocked_clocks"],
                         "producers_waited": s["producers_waited"]["blocked_clocks"]})
    return table(rows, STAGES)


def races(findings):
    """The races among the findings; `memory` is "param N" for a parameter."""
    rows = []
    for f in findings:
        if "lines" not in f:
            continue
        missing = f["missing"] if isinstance(f["missing"], list) else [f["missing"]]
        memory = f"param {f['param']}" if "param" in f else f.get("memory")
        rows.append({**f, "missing": missing, "memory": memory})
    return table(rows, RACES)


def waiting(result):
    rows = []
    for w in result.get("hang", {}).get("waiting", []):
        rows.append({**w, **w["on"]})
    return table(rows, WAITING)


def _barrier_of(what):
    """The barrier in the name of a slice, as its track is called; None: the name has none."""
    address = re.search(r"\+0x[0-9a-f]+$", what)
    if address:
        return "mbarrier " + address.group()
    if what.startswith("Cluster"):
        return "cluster barrier"
    if what.startswith("WarpSync"):
        return "warp"
    number = re.fullmatch(r"Bar\w+ (\d+)", what)
    return "barrier " + number.group(1) if number else None


def timeline(path):
    """(slices, phases, changes) of a timeline: `gsu run --timeline t.pftrace`. Times in clocks."""
    events = perfetto.events(path)[1]
    tracks, places = {}, {}
    for e in events:
        if e["ph"] == "M" and e["name"] == "thread_name":
            tracks[e["pid"], e["tid"]] = e["args"]["name"]
        if e["ph"] == "M" and e["name"] == "process_name":
            place = re.fullmatch(r"SM (\d+) CTA slot (\d+)", e["args"]["name"])
            if place:
                places[e["pid"]] = (int(place.group(1)), int(place.group(2)))
    slices, phases, changes = [], [], []
    for e in events:
        if e["ph"] not in "Xi" or e.get("pid") not in places or (e["pid"], e.get("tid")) not in tracks:
            continue
        sm, slot = places[e["pid"]]
        track = tracks[e["pid"], e["tid"]]
        where = {"sm": sm, "slot": slot, "what": e["name"]}
        if e["ph"] == "i":
            if e["cat"] == "mbarrier" and track.startswith("mbarrier"):
                changes.append({**where, "barrier": track, "cycle": e["ts"], **e["args"]})
            continue
        start = e["ts"]
        if track.startswith("warp ") and track != "warp sync":
            slices.append({**where, "warp": int(track.split()[1]), "barrier": _barrier_of(e["name"]), "line": e["args"].get("line"), "start": start,
                           "clocks": e["dur"], "end": e["args"].get("end")})
        else:
            phases.append({**where, "barrier": track, "start": start, "clocks": e["dur"]})
    return table(slices, SLICES), table(phases, PHASES), table(changes, CHANGES)


_RECORD = re.compile(r"(\w+) \+(\d+)(?: (.*))?")
_WARP = re.compile(r"(?:^| )(\d+)/(\d+)(?:/(\d+))?(?= |$)")


def trace(path):
    """A trace as a table: one row for each record, in the order of the file; `distance` is the distance from the record's anchor (tb/trace/README.md).
    The header is in the schema's metadata. Only complete traces are read; gsu.replay() checks them in full."""
    data = pathlib.Path(path).read_bytes() if pathlib.Path(path).is_file() else None
    if data is None:
        raise InputError(f"{path}: no such file", str(path))
    if data[:4] == b"\x28\xb5\x2f\xfd":
        data = pa.input_stream(pa.BufferReader(data), compression="zstd").read()
    lines = data.decode("ascii", "replace").splitlines()
    if not lines or not re.fullmatch(r"gsut [12345]", lines[0]) or not lines[-1].startswith("end ") or "begin" not in lines:
        raise InputError(f"{path}: not a complete trace", str(path))
    begin = lines.index("begin")
    header = dict(line.split(" ", 1) if not line.startswith(("cfg ", "exec ")) else line.split(" ", 1)[1].split("=", 1) for line in lines[:begin])
    rows = []
    for number, line in enumerate(lines[begin + 1:-1]):
        match = _RECORD.fullmatch(line)
        if not match:
            raise InputError(f"{path}:{begin + 2 + number}: not a record", str(path), begin + 2 + number)
        kind, distance, rest = match.group(1), match.group(2), match.group(3) or ""
        where = _WARP.search(rest)
        lanes = re.search(r" (0x[0-9a-f]{8})(?: |$)", rest) if kind in ("do", "exit", "answer") else None
        tag = re.search(r" #(\d+)", rest)
        source = re.search(r" L(\d+) ", rest)
        rows.append({"record": number, "kind": kind, "distance": int(distance), "sm": int(where.group(1)) if where else None,
                     "cta": int(where.group(2)) if where else None, "warp": int(where.group(3)) if where and where.group(3) else None,
                     "lanes": int(lanes.group(1), 16) if lanes else None, "tag": int(tag.group(1)) if tag else None,
                     "line": int(source.group(1)) if source else None, "text": rest})
    return table(rows, TRACE).replace_schema_metadata({k: v for k, v in header.items()})
