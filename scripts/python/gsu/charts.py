"""The figures of a report, as plotly figures. Each function returns None if a run has nothing to show."""
from .errors import need

_COLOURS = ["#3366cc", "#dc8a2f", "#2f9e63", "#b3478c", "#7a6ccf", "#5a9bb0", "#a0632f", "#888888"]
_MOST = 60  # rows of a figure


def _go():
    return need("plotly.graph_objects", "report")


def _figure(data, height, **layout):
    go = _go()
    figure = go.Figure(data)
    figure.update_layout(height=height, margin={"l": 10, "r": 10, "t": 40, "b": 10}, template="simple_white", colorway=_COLOURS, **layout)
    figure.update_yaxes(automargin=True)
    figure.update_xaxes(automargin=True)
    return figure


def _bars(pairs, axis):
    """Horizontal bars, the largest on top."""
    pairs = sorted(pairs, key=lambda p: -p[1])[:24][::-1]
    go = _go()
    return _figure([go.Bar(x=[v for _, v in pairs], y=[n for n, _ in pairs], orientation="h")], 90 + 22 * len(pairs), xaxis_title=axis,
                   yaxis_type="category")


def waits_by_barrier(run):
    pairs = []
    if "hang" in run.json:  # a wait without end would hide the rest, so slices end with the last change
        if run.slices is None:
            return None
        sums = {}
        for r in run.slices.to_pylist():
            if r["barrier"] and r["clocks"]:
                sums[r["barrier"]] = sums.get(r["barrier"], 0) + r["clocks"]
        return _bars(sums.items(), "clocks waited until the last change, all warps") if sums else None
    for b in run.json.get("barriers", []):
        name = f"{b['kind']} {b['id']}" if b["kind"] == "named" else f"mbarrier +{b['id']:#x}" if b["kind"] == "mbarrier" else b["kind"]
        if b["blocked_clocks"]:
            pairs.append((name, b["blocked_clocks"]))
    return _bars(pairs, "clocks waited, all warps") if pairs else None


def waits_by_line(run, source):
    sums = {}
    for r in run.slices.to_pylist():
        if r["line"] and r["clocks"]:
            sums[r["line"]] = sums.get(r["line"], 0) + r["clocks"]
    text = lambda line: f"{line}: {source[line - 1].strip()[:60]}" if source and line <= len(source) else f"line {line}"
    return _bars([(text(line), clocks) for line, clocks in sums.items()], "clocks waited, all warps") if sums else None


def heat_map(run):
    cells, warps, barriers = {}, {}, {}
    for r in run.slices.to_pylist():
        if r["barrier"] is None:
            continue
        warp = (r["sm"], r["slot"], r["warp"])
        cells[warp, r["barrier"]] = cells.get((warp, r["barrier"]), 0) + r["clocks"]
        warps[warp] = warps.get(warp, 0) + r["clocks"]
        barriers[r["barrier"]] = barriers.get(r["barrier"], 0) + r["clocks"]
    if not cells:
        return None
    rows = sorted(sorted(warps, key=lambda w: -warps[w])[:_MOST])
    columns = sorted(barriers, key=lambda b: -barriers[b])[:_MOST]
    z = [[cells.get((w, b), 0) for b in columns] for w in rows]
    go = _go()
    return _figure([go.Heatmap(z=z, x=columns, y=[f"SM {s} slot {c} warp {w}" for s, c, w in rows], colorscale="Blues", colorbar_title="clocks")],
                   140 + 16 * len(rows), title="clocks waited" + (f", the {_MOST} warps that waited most" if len(warps) > _MOST else ""),
                   xaxis_type="category", yaxis_autorange="reversed")


def stage_gantt(run):
    """Phases of the full and empty barriers of the first pipeline, in the first CTA slot that has them."""
    stages = [s for s in run.stages.to_pylist() if s["pipeline"] == 0 and s["full"] is not None]
    if run.phases is None or not stages:
        return None
    tracks = []
    for number, s in enumerate(stages):
        tracks += [(f"stage {number} full +{s['full']:#x}", f"mbarrier +{s['full']:#x}"), (f"stage {number} empty +{s['empty']:#x}", f"mbarrier +{s['empty']:#x}")]
    phases = [p for p in run.phases.to_pylist() if p["what"].startswith("phase ")]
    names = {t for _, t in tracks}
    place = min(((p["sm"], p["slot"]) for p in phases if p["barrier"] in names), default=None)
    if place is None:
        return None
    go, bars = _go(), []
    for parity in (0, 1):
        rows = [(label, p) for label, track in tracks for p in phases
                if p["barrier"] == track and (p["sm"], p["slot"]) == place and int(p["what"].split()[1]) % 2 == parity]
        bars.append(go.Bar(base=[p["start"] for _, p in rows], x=[p["clocks"] for _, p in rows], y=[label for label, _ in rows], orientation="h",
                           name=f"{'odd' if parity else 'even'} phases", text=[p["what"] for _, p in rows], hovertemplate="%{text}: %{base} + %{x} clocks"))
    return _figure(bars, 120 + 26 * len(tracks), title=f"phases of SM {place[0]} CTA slot {place[1]}", barmode="overlay", xaxis_title="cycle",
                   yaxis={"autorange": "reversed", "categoryorder": "array", "categoryarray": [label for label, _ in tracks]})


def phase_diagram(run):
    """Pending arrivals and bytes of the mbarrier with the longest waits."""
    waited = {}
    for r in run.slices.to_pylist():
        if r["barrier"] and r["barrier"].startswith("mbarrier"):
            key = (r["sm"], r["slot"], r["barrier"])
            waited[key] = waited.get(key, 0) + r["clocks"]
    changes = {}
    for c in run.changes.to_pylist():
        changes.setdefault((c["sm"], c["slot"], c["barrier"]), []).append(c)
    if not changes:
        return None
    key = max(changes, key=lambda k: (waited.get(k, 0), len(changes[k])))
    rows = [c for c in changes[key] if c["pending"] is not None]
    go = _go()
    lines = [go.Scatter(x=[c["cycle"] for c in rows], y=[c[what] for c in rows], name=label, line_shape="hv", mode="lines+markers", yaxis=axis,
                        text=[c["what"] for c in rows]) for what, label, axis in (("pending", "pending arrivals", "y"), ("tx", "bytes outstanding", "y2"))]
    figure = _figure(lines, 380, title=f"{key[2]} of SM {key[0]} CTA slot {key[1]}", xaxis_title="cycle", yaxis_title="arrivals",
                     yaxis2={"title": "bytes", "overlaying": "y", "side": "right"})
    for p in run.phases.to_pylist():
        if (p["sm"], p["slot"], p["barrier"]) == key and p["what"].startswith("phase "):
            figure.add_vrect(x0=p["start"], x1=p["start"] + p["clocks"], line_width=0, layer="below",
                             fillcolor="#eef3fb" if int(p["what"].split()[1]) % 2 == 0 else "#fdf3e7")
    return figure


def sensitivity(summary):
    go, out = _go(), []
    for measure, label in (("cycles", "cycles"), ("blocked_clocks", "clocks waited")):
        entries = summary["sensitivity"][measure][::-1]
        out.append(go.Bar(x=[100 * e["effect"] for e in entries], y=[e["parameter"] for e in entries], orientation="h", name=label))
    return _figure(out, 120 + 50 * len(summary["sensitivity"]["cycles"]), xaxis_title="means of its values differ by, % of the mean", barmode="group")


def by_parameter(rows, names):
    """For each parameter: the mean over everything else, a line for each kernel and preset."""
    go = _go()
    for name in names:
        lines = {}
        for r in rows:
            if r.get("cycles") and r.get("as_expected"):
                lines.setdefault((r["kernel"], r["preset"]), {}).setdefault(r[name], []).append(r["cycles"])
        data = []
        for group, points in sorted(lines.items()):
            xs = sorted(points)
            data.append(go.Scatter(x=xs, y=[sum(points[x]) / len(points[x]) for x in xs], mode="lines+markers", name=_group(group, lines)))
        yield _figure(data, max(340, 120 + 20 * len(lines)), xaxis_title=name, yaxis_title="cycles", showlegend=True)


def _group(group, groups):
    """Name of a kernel and preset: the kernel alone if all presets are the same."""
    return group[0] if len({preset for _, preset in groups}) == 1 else ", ".join(group)


def by_kernel(rows, name):
    """Kernels over one parameter: mean cycles, as a multiple of the kernel's fewest. None for one kernel."""
    lines = {}
    for r in rows:
        if r.get("cycles") and r.get("as_expected"):
            lines.setdefault((r["kernel"], r["preset"]), {}).setdefault(r[name], []).append(r["cycles"])
    if len(lines) < 2:
        return None
    xs = sorted({x for points in lines.values() for x in points})
    z = []
    for _, points in sorted(lines.items()):
        means = {x: sum(c) / len(c) for x, c in points.items()}
        least = min(means.values())
        z.append([means[x] / least if x in means else None for x in xs])
    text = [["" if v is None else f"{v:.2f}" for v in row] for row in z]
    go = _go()
    return _figure([go.Heatmap(x=xs, y=[_group(g, lines) for g in sorted(lines)], z=z, text=text, texttemplate="%{text}", colorscale="Reds", zmin=1, colorbar_title="cycles / fewest")],
                   120 + 26 * len(lines), xaxis_title=name, xaxis_type="category", yaxis_type="category", yaxis_autorange="reversed")


def pair(rows, names):
    """Cycles over the two parameters that matter most, relative to each kernel's mean."""
    by_kernel, cells = {}, {}
    good = [r for r in rows if r.get("cycles") and r.get("as_expected")]
    for r in good:
        by_kernel.setdefault((r["kernel"], r["preset"]), []).append(r["cycles"])
    for r in good:
        group = by_kernel[r["kernel"], r["preset"]]
        cells.setdefault((r[names[0]], r[names[1]]), []).append(r["cycles"] / (sum(group) / len(group)))
    xs, ys = sorted({c[0] for c in cells}), sorted({c[1] for c in cells})
    mean = lambda v: sum(v) / len(v) if v else None
    go = _go()
    return _figure([go.Heatmap(x=xs, y=ys, z=[[mean(cells.get((x, y))) for x in xs] for y in ys], colorscale="RdBu_r", zmid=1, colorbar_title="cycles / mean")],
                   420, xaxis_title=names[0], yaxis_title=names[1], xaxis_type="category", yaxis_type="category") if cells else None
