"""Results of a sweep's table: how much each parameter matters, and which point is best. Only runs that ended as expected count."""
import math

import numpy as np


def good_rows(table):
    return [r for r in table.to_pylist() if r.get("as_expected") and r.get("cycles")] if table.num_rows else []


def _groups(rows):
    """Rows by kernel and preset: cycles are compared only within a group."""
    groups = {}
    for row in rows:
        groups.setdefault((row["kernel"], row["preset"]), []).append(row)
    return groups


def _ranks(values):
    values = np.asarray(values, dtype=float)
    ranks = np.empty(len(values))
    for value in np.unique(values):  # equal values share the mean of their places
        same = values == value
        ranks[same] = (values < value).sum() + (same.sum() - 1) / 2
    return ranks


def _correlation(a, b):
    a, b = _ranks(a), _ranks(b)
    if a.std() == 0 or b.std() == 0:
        return 0.0
    return float(np.corrcoef(a, b)[0, 1])


def _spreads(rows, names, measure):
    """For each point that ran with several seeds: the spread of its runs, relative to their mean."""
    points = {}
    for row in rows:
        points.setdefault(tuple(row[n] for n in names), []).append(row[measure])
    return [(max(v) - min(v)) / np.mean(v) for v in points.values() if len(v) > 1 and np.mean(v) != 0]


def spread(rows, names, measure):
    """The mean of _spreads(); None: every point ran with one seed."""
    found = _spreads(rows, names, measure)
    return float(np.mean(found)) if found else None


def sensitivity(table, names, measure):
    """For each parameter: `effect`, the spread of the means of its values, relative to the mean (0.1: 10 %), and `rank`, the correlation of
    ranks (-1..1, its sign says which way), both as means over kernels and presets in which runs with at least two of its values ended as expected.
    A parameter without such runs is left out. `by_kernel`: the effect on each; `spread`: the difference between the seeds of a point,
    None if there is one seed; `noise`: the effect is no larger than that on any kernel."""
    out = []
    groups = _groups(good_rows(table))
    for name in names:
        effects, ranks, by_kernel, loud, spreads = [], [], {}, False, []
        for (kernel, preset), rows in groups.items():
            values = np.array([r[measure] for r in rows], dtype=float)
            levels = np.array([r[name] for r in rows], dtype=float)
            if len(np.unique(levels)) < 2:
                continue
            means = _level_means(levels, values)
            effects.append((max(means) - min(means)) / values.mean() if values.mean() != 0 else 0.0)
            own = spread(rows, names, measure)
            by_kernel[f"{kernel}, {preset}"] = float(effects[-1])
            spreads += [] if own is None else [own]
            loud = loud or own is None or effects[-1] > own
            ranks.append(_correlation(levels, values))
        if effects:
            out.append({"parameter": name, "effect": float(np.mean(effects)), "rank": float(np.mean(ranks)), "by_kernel": by_kernel,
                        "spread": float(np.mean(spreads)) if spreads else None, "noise": not loud})
    return sorted(out, key=lambda entry: -entry["effect"])


def _level_means(levels, values):
    """Means by value of the parameter; many values are grouped into five bins."""
    distinct = np.unique(levels)
    if len(distinct) > 8:
        edges = np.quantile(levels, np.linspace(0, 1, 6)[1:-1])
        levels = np.searchsorted(edges, levels)
        distinct = np.unique(levels)
    return [values[levels == d].mean() for d in distinct]


def best(table, names):
    """The point with the fewest cycles for each kernel and preset (mean over seeds), and over all kernels by the geometric mean of cycles
    relative to each kernel's mean. Among equal points, the one with the smallest values is best."""
    groups = _groups(good_rows(table))
    out, score = [], {}
    for (kernel, preset), rows in groups.items():
        points = {}
        for row in rows:
            points.setdefault(tuple(row[n] for n in names), []).append(row["cycles"])
        means = {p: float(np.mean(c)) for p, c in points.items()}
        average = float(np.mean(list(means.values())))
        point = min(means, key=lambda p: (means[p], p))
        own = spread(rows, names, "cycles")
        noise = own is not None and max(means.values()) - means[point] <= own * average
        out.append({"kernel": kernel, "preset": preset, "cycles": means[point], "mean": average, "spread": own, "noise": noise, "values": dict(zip(names, point))})
        for p, cycles in means.items():
            score.setdefault(p, []).append(math.log(cycles / average))
    whole = {p: math.exp(sum(s) / len(s)) for p, s in score.items() if len(s) == len(groups)}
    if len(groups) > 1 and whole:
        point = min(whole, key=lambda p: (whole[p], p))
        out.append({"kernel": "all", "preset": "all", "relative": whole[point], "values": dict(zip(names, point))})
    return out


def summary(table, names):
    rows = table.to_pylist() if table.num_rows else []
    return {"errors": sum(r.get("verdict") == "error" for r in rows),
            "not_as_expected": sum(not r.get("as_expected") and r.get("verdict") != "error" for r in rows),
            "counted": len(good_rows(table)), "sensitivity": {m: sensitivity(table, names, m) for m in ("cycles", "blocked_clocks")}, "best": best(table, names)}
