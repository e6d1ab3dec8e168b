"""gsu diff: shows where two runs differ in cycles, by kind of barrier, mbarrier, stage of a pipeline, line and warp."""
import json
import pathlib

from . import commands, launches
from .errors import InputError


def load(path, **options):
    """A Run. `path` is a launch or PTX file, which is executed with a timeline, or an object that `gsu run --json` has printed (no lines, no warps)."""
    path = str(path)
    if path.endswith((".launch.json", ".ptx")):
        return commands.run(path, timeline=True, **options)
    try:
        result = json.loads(pathlib.Path(path).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: {(error.strerror or 'cannot be read').lower()}", path) from error
    except ValueError as error:
        raise InputError(f"{path}: neither a launch file nor a result of gsu run --json ({error})", path) from error
    if isinstance(result, dict) and "launches" in result:
        result = launches.select(result, options.get("launch"), path)
    if not isinstance(result, dict) or "verdict" not in result or "barriers" not in result:
        message = result.get("error", {}).get("message") if isinstance(result, dict) and isinstance(result.get("error"), dict) else None
        raise InputError(f"{path}: " + (f"the run failed: {message}" if message else "not a result of gsu run --json"), path)
    return commands.Run(result, 0 if result.get("as_expected") else 1)


def _sum(rows, key, value):
    out = {}
    for row in rows:
        if key(row) is not None:
            out[key(row)] = out.get(key(row), 0) + (value(row) or 0)
    return out


def views(run):
    """{view: {name: clocks waited}}."""
    barriers = run.json.get("barriers", [])
    of = lambda row: f"{row['entry']}: " if "entry" in row else ""  # several launches of a list
    out = {"barrier": _sum(barriers, lambda b: of(b) + (f"{b['kind']} {b['id']}" if b["kind"] in ("named",) else b["kind"]), lambda b: b["blocked_clocks"]),
           "mbarrier": _sum(run.json.get("mbarriers", []), lambda m: of(m) + f"CTA {m['cta']} +{m['address']:#x}", lambda m: m["blocked_clocks"]),
           "stage": {}}
    for s in run.stages.to_pylist():
        name = f"pipeline {s['pipeline']} stage +{s['full']:#x}" if s["full"] is not None else f"pipeline {s['pipeline']}"
        out["stage"][name + " consumers"] = s["consumers_waited"]
        out["stage"][name + " producers"] = s["producers_waited"]
    if run.slices is not None:
        rows = run.slices.to_pylist()
        out["line"] = _sum(rows, lambda r: f"line {r['line']}" if r["line"] else None, lambda r: r["clocks"])
        out["warp"] = _sum(rows, lambda r: f"SM {r['sm']} slot {r['slot']} warp {r['warp']}", lambda r: r["clocks"])
    time = run.json.get("time")
    if time:
        for role in time["roles"]:
            for cause, clocks in role["clocks"].items():
                name = f"warps {role['first_warp']}-{role['first_warp'] + 3}: {cause}"
                out.setdefault("cause", {})[name] = out.get("cause", {}).get(name, 0) + clocks
    return out


def difference(a, b):
    """{"cycles": (a, b), "views": {view: [(name, a, b)]}}: the changes, largest first. Views that one of the runs lacks are left out."""
    left, right = views(a), views(b)
    out = {}
    for view in left:
        if view not in right:
            continue
        names = dict.fromkeys([*left[view], *right[view]])
        rows = [(n, left[view].get(n, 0), right[view].get(n, 0)) for n in names]
        out[view] = sorted((r for r in rows if r[1] != r[2]), key=lambda r: (-abs(r[2] - r[1]), r[0]))
    summed = {"summed": (launches.note(a.json), launches.note(b.json))} if "summed" in a.json or "summed" in b.json else {}
    nothing = [view for view in left if view in right and not left[view] and not right[view]]
    return {**summed, "nothing": nothing, "timing": (launches.timing_of(a.json), launches.timing_of(b.json)), "cycles": (a.cycles, b.cycles), "verdicts": (a.verdict, b.verdict), "views": out}


def text(found, shown=12):
    """The difference in lines."""
    a, b = found["cycles"]
    lines = [f"cycles       {a:>12} {b:>12} {b - a:>+12}" + (f"  {100 * (b - a) / a:+.1f} %" if a else "")]
    lines.append("timing       " + (found["timing"][0] if found["timing"][0] == found["timing"][1] else f"{found['timing'][0]:>12} {found['timing'][1]:>12}"))
    for side, summed in zip("ab", found.get("summed", ())):
        lines.append(f"{side}: {summed}")
    if found["verdicts"][0] != found["verdicts"][1]:
        lines.append(f"verdict      {found['verdicts'][0]:>12} {found['verdicts'][1]:>12}")
    for view, rows in found["views"].items():
        if view in found.get("nothing", ()):
            lines.append(f"waits by {view}: none in either run")
            continue
        if not rows:
            lines.append(f"waits by {view}: no difference")
            continue
        lines.append(f"waits by {view} (clocks, all warps): {len(rows)} changed, {sum(r[2] - r[1] for r in rows):+}")
        lines += [f"  {name:<34} {old:>10} {new:>10} {new - old:>+10}" for name, old, new in rows[:shown]]
        if len(rows) > shown:
            lines.append(f"  ... and {len(rows) - shown} more, {sum(r[2] - r[1] for r in rows[shown:]):+}")
    return "\n".join(lines) + "\n"
