#!/usr/bin/env python3
"""A timeline, read by the Python package (`gsu timeline`) and by Perfetto's own classes: compare_formats.py GSU LAUNCH...

Each launch, or list of launches that share a unit, is run with a timeline. The package makes Chrome's JSON of it; what Perfetto's Python package reads in the
file must be the same: processes, tracks, slices, instants and the ends of arrows, each with its times, name and arguments. Exit code 77 (ctest: skipped)
where that package is missing.
"""
import collections
import json
import os
import pathlib
import subprocess
import sys
import tempfile
import types
import zlib

try:
    from perfetto.protos.perfetto.trace import perfetto_trace_pb2 as proto
except ImportError:
    print("SKIP: Perfetto's Python package is missing (scripts/requirements.txt)")
    sys.exit(77)

# The package's reader alone: the package itself wants its compiled part.
package = types.ModuleType("gsu")
package.__path__ = [str(pathlib.Path(__file__).parents[2] / "scripts/python/gsu")]
sys.modules["gsu"] = package
from gsu import perfetto  # noqa: E402


def cycle(microseconds):
    return round(microseconds * 1000)


def arguments(values):
    return tuple(sorted((k, str(v)) for k, v in values.items()))


def read_json(path):
    """Counter of ("process"|"track"|"slice"|"instant"|"flow", ...)."""
    events = json.load(open(path))["traceEvents"]
    process, thread, out = {}, {}, collections.Counter()
    for e in events:
        if e["ph"] == "M" and e["name"] == "process_name":
            process[e["pid"]] = e["args"]["name"]
            out["process", e["args"]["name"], e["pid"]] += 1
        if e["ph"] == "M" and e["name"] == "thread_name":
            thread[e["pid"], e["tid"]] = (e["args"]["name"], e["tid"])
    used = set()
    for e in events:
        if e["ph"] == "M":
            continue
        whole = e["ph"] == "i" and e["s"] == "p"
        row = (process[e["pid"]], None if whole else thread[e["pid"], e["tid"]])
        used.add(row)
        at = cycle(e["ts"])
        if e["ph"] == "X":
            out["slice", row, at, at + cycle(e["dur"]), e["cat"], e["name"], arguments(e["args"])] += 1
        elif e["ph"] == "i":
            out["instant", row, at, e["cat"], e["name"], arguments(e["args"])] += 1
        else:
            out["flow", row, at, e["ph"] == "s", e["name"], e["id"]] += 1
    for row in used:
        out["track", row] += 1
    return out


def packets(path):
    trace = proto.Trace()
    trace.ParseFromString(open(path, "rb").read())
    for p in trace.packet:
        if p.HasField("compressed_packets"):
            inner = proto.Trace()
            inner.ParseFromString(zlib.decompress(p.compressed_packets))
            yield from inner.packet
        else:
            yield p


class Names:
    """What the interned data of one sequence has defined so far."""

    def __init__(self):
        self.tables = collections.defaultdict(dict)

    def take(self, data):
        for kind, entries in (("category", data.event_categories), ("name", data.event_names),
                              ("key", data.debug_annotation_names)):
            for entry in entries:
                assert entry.iid not in self.tables[kind], "defined twice"
                self.tables[kind][entry.iid] = entry.name
        for entry in data.debug_annotation_string_values:
            self.tables["text"][entry.iid] = entry.str.decode()

    def annotation(self, a):
        key = self.tables["key"][a.name_iid]
        which = a.WhichOneof("value")
        value = self.tables["text"][a.string_value_iid] if which == "string_value_iid" else getattr(a, which)
        return key, value


def read_perfetto(path):
    names, out = Names(), collections.Counter()
    process, track, open_slices, used = {}, {}, {}, set()
    timed = []
    for order, p in enumerate(packets(path)):
        if p.HasField("interned_data"):
            names.take(p.interned_data)
        if p.HasField("track_descriptor"):
            d = p.track_descriptor
            if d.HasField("process"):
                process[d.uuid] = d.process.process_name
                out["process", d.process.process_name, d.process.pid] += 1
                track[d.uuid] = (d.process.process_name, None)
            else:
                assert d.parent_uuid in process, "a track comes before its process"
                track[d.uuid] = (process[d.parent_uuid], (d.name, d.sibling_order_rank))
        if not p.HasField("track_event"):
            continue
        assert p.sequence_flags == 2 and p.trusted_packet_sequence_id == 1
        e = p.track_event
        name = e.name if e.HasField("name") else names.tables["name"].get(e.name_iid)
        category = names.tables["category"][e.category_iids[0]] if e.category_iids else None
        values = arguments(dict(names.annotation(a) for a in e.debug_annotations))
        timed.append((p.timestamp, order, e, name, category, values))
    for at, _, e, name, category, values in sorted(timed, key=lambda t: t[:2]):  # as Perfetto does
        row = track[e.track_uuid]
        used.add(row)
        if e.type == e.TYPE_SLICE_BEGIN:
            assert e.track_uuid not in open_slices, "slices of one track overlap"
            open_slices[e.track_uuid] = (at, category, name, values)
        elif e.type == e.TYPE_SLICE_END:
            begin, category, name, values = open_slices.pop(e.track_uuid)
            out["slice", row, begin, at, category, name, values] += 1
        elif category == "flow":
            ids = [(True, i) for i in e.flow_ids] + [(False, i) for i in e.terminating_flow_ids]
            assert len(ids) == 1
            out["flow", row, at, ids[0][0], name, ids[0][1]] += 1
        else:
            out["instant", row, at, category, name, values] += 1
    assert not open_slices, "slices are never closed"
    for row in used:
        out["track", row] += 1
    return out


def compare(gsu, launch):
    with tempfile.TemporaryDirectory() as folder:
        file = os.path.join(folder, "t.pftrace")
        run = subprocess.run([gsu, "run", "--unit", "golden", "--timeline", file, launch], stdout=subprocess.DEVNULL)
        assert run.returncode == 0, f"gsu run {launch}: exit code {run.returncode}"
        # Launches of a list that share a unit have one timeline, numbered by the first of them.
        file = file if os.path.exists(file) else os.path.join(folder, "t.0.pftrace")
        converted = os.path.join(folder, "t.json")
        perfetto.convert(file, converted)
        a, b = read_json(converted), read_perfetto(file)
        sizes = [os.path.getsize(f) for f in (converted, file)]
    for what, have in (("only the package reads", a - b), ("only Perfetto reads", b - a)):
        for item in list(have)[:5]:
            print(f"{launch}: {what}: {item}")
    kinds = collections.Counter()
    for key, count in a.items():
        kinds[key[0]] += count
        kinds["grids"] += count * (key[0] == "track" and key[1][0] == "grids")
    print(f"{os.path.basename(launch)}: {dict(kinds)}; {sizes[0]} bytes of JSON, {sizes[1]} of Perfetto's format")
    return a == b, kinds


def main():
    gsu, launches = sys.argv[1], sys.argv[2:]
    total, same = collections.Counter(), True
    for launch in launches:
        equal, kinds = compare(gsu, launch)
        same &= equal
        total += kinds
        assert "dependent_" not in launch or kinds["grids"] >= 4, "grids and their waits have tracks of their own"
    for kind in ("process", "track", "slice", "instant", "flow"):
        assert total[kind] > 10, f"hardly any {kind} was compared"
    return 0 if same else 1


sys.exit(main())
