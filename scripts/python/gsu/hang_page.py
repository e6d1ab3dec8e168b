"""A hang as a part of a report: its cause, the graph of waits as SVG, the phases of the objects, and figures that end with the last change."""
import dataclasses
import html
import math

import pyarrow.compute as pc

_NODES, _WIDTH, _HEIGHT = 24, 250, 80  # most nodes; size of a box


def cut(run):
    """The run without the clocks after its last change, because waits without end would fill every figure. A run without a hang is unchanged."""
    last = run.json.get("hang", {}).get("last_change")
    if last is None or run.slices is None:
        return run
    return dataclasses.replace(run, slices=_until(run.slices, last), phases=_until(run.phases, last), changes=run.changes.filter(pc.less_equal(run.changes["cycle"], last)))


def _until(table, last):
    table = table.filter(pc.less_equal(table["start"], last))
    clocks = pc.min_element_wise(table["clocks"], pc.subtract(last, table["start"]))
    return table.set_column(table.schema.get_field_index("clocks"), "clocks", clocks)


def _target(w):
    """Two lines: the object of a wait, and its state."""
    on = w["on"]
    if on["kind"] == "named":
        return f"barrier {on['id']}", ""
    if on["kind"] == "mbarrier":
        asks = f", asks for parity {on['asked']}" if "asked" in on else ""
        return f"mbarrier +{on['address']:#x}{asks}", f"{on['pending']} of {on['expected']} arrivals pending, tx {on['tx']}"
    if on.get("endless"):
        return "nothing: its loop has no end", ""
    return {"cluster": "cluster barrier", "warp": "other lanes of its warp", "spin": "memory that nothing changes"}.get(on["kind"], on["kind"]), ""


def _line(number, source):
    text = source[number - 1].strip() if source and 0 < number <= len(source) else ""
    return f"line {number}" + (f": {text[:34]}" if text else "")


def _warps(names):
    """Text of warp numbers: "warps 0-3, 7"."""
    names, parts = sorted(set(names)), []
    for n in names:
        if parts and parts[-1][1] == n - 1:
            parts[-1][1] = n
        else:
            parts.append([n, n])
    return ("warp " if len(names) == 1 else "warps ") + ", ".join(str(a) if a == b else f"{a}-{b}" for a, b in parts)


def nodes_and_edges(hang):
    """Equal waits are one node: ([{"cta", "warps", "line", "target", "guilty", "missing"}], {(from, to): line})."""
    guilty = {(c["cta"], c["warp"]) for c in hang.get("cause", {}).get("culprits", [])}
    nodes, place, of = [], {}, []
    for w in hang["waiting"]:
        key = (w["cta"], w["line"], _target(w), (w["cta"], w["warp"]) in guilty)
        if key not in place:
            place[key] = len(nodes)
            nodes.append({"cta": w["cta"], "warps": [], "line": w["line"], "target": key[2], "guilty": key[3], "missing": ""})
        nodes[place[key]]["warps"].append(w["warp"])
        of.append(place[key])
    edges = {}
    for d in hang.get("debts", []):
        edges.setdefault((of[d["from"]], of[d["to"]]), d["line"])
    waits = {(w["cta"], w["warp"]) for w in hang["waiting"]}
    for m in hang.get("missing", []):
        if (m["cta"], m["warp"]) not in waits:
            nodes.append({"cta": m["cta"], "warps": [m["warp"]], "line": 0, "target": ("", ""), "guilty": (m["cta"], m["warp"]) in guilty, "missing": m["why"]})
    return nodes[:_NODES], {e: line for e, line in edges.items() if max(e) < _NODES}


def _depths(count, edges):
    """Distance of each node from a node that nobody has to release; None in a cycle of waits."""
    out = {n: [b for a, b in edges if a == n and b != n] for n in range(count)}
    depth = {}
    def visit(n, above):
        if n in above:
            return None
        if n not in depth:
            found = [visit(m, above | {n}) for m in out[n]]
            if None in found:
                return None
            depth[n] = 1 + max(found, default=-1)
        return depth[n]
    if any(visit(n, frozenset()) is None for n in range(count)):
        return None
    return [depth[n] for n in range(count)]


def _places(count, edges):
    """Centres of the boxes, and the size of the picture: a circle for a cycle of waits, otherwise columns by the order of waits."""
    depths = _depths(count, edges)
    if depths is None:
        radius = max(110, count * 48)
        return [(radius * 1.35 + 140 + radius * 1.35 * math.sin(2 * math.pi * i / count), radius + 60 - radius * math.cos(2 * math.pi * i / count))
                for i in range(count)], (radius * 2.7 + 280, radius * 2 + 120)
    columns, rows = {}, []
    for n in range(count):
        rows.append(columns.get(depths[n], 0))
        columns[depths[n]] = rows[-1] + 1
    far = max(depths, default=0)
    places = [(140 + (far - depths[n]) * (_WIDTH + 130), 50 + rows[n] * (_HEIGHT + 26)) for n in range(count)]
    return places, (280 + far * (_WIDTH + 130), 40 + max(columns.values(), default=1) * (_HEIGHT + 26))


def _edge(a, b, text, loop):
    if loop:
        x, y = a[0] + _WIDTH / 2 - 20, a[1] - _HEIGHT / 2
        return f'<path d="M{x:.0f},{y:.0f} c10,-34 60,-20 20,14" class="e"/><text x="{x + 14:.0f}" y="{y - 14:.0f}" class="l">{text}</text>'
    dx, dy = b[0] - a[0], b[1] - a[1]
    part = min((_WIDTH / 2 + 4) / abs(dx) if dx else 9, (_HEIGHT / 2 + 4) / abs(dy) if dy else 9, 0.5)
    far = math.hypot(dx, dy) or 1
    sx, sy = -dy / far * 9, dx / far * 9  # shifted to one side: two waits for each other are two arrows
    x1, y1, x2, y2 = a[0] + dx * part + sx, a[1] + dy * part + sy, b[0] - dx * part + sx, b[1] - dy * part + sy
    return (f'<line x1="{x1:.0f}" y1="{y1:.0f}" x2="{x2:.0f}" y2="{y2:.0f}" class="e"/>'
            f'<text x="{(x1 + x2) / 2 + 3 * sx:.0f}" y="{(y1 + y2) / 2 + 4 + 2 * sy:.0f}" class="l">{text}</text>')


def graph(hang, source=None):
    """SVG: a box for each wait, and an arrow to the warps for which it waits, labelled with the line by which they would release it. Culprits are red, warps
    that do not wait are dashed."""
    nodes, edges = nodes_and_edges(hang)
    if not nodes:
        return ""
    places, (width, height) = _places(len(nodes), edges)
    out = [f'<svg id="waits" xmlns="http://www.w3.org/2000/svg" viewBox="0 0 {width:.0f} {height:.0f}" style="max-width:{width:.0f}px;width:100%">'
           '<style>.n{fill:#fff;stroke:#3366cc}.g{stroke:#b3261e;stroke-width:2.5}.m{stroke-dasharray:5 4;stroke:#888}.e{stroke:#666;fill:none;marker-end:url(#tip)}'
           'text{font:11px system-ui,sans-serif;text-anchor:middle}.l{fill:#666}.b{font-weight:bold}</style>'
           '<defs><marker id="tip" viewBox="0 0 8 8" refX="7" refY="4" markerWidth="8" markerHeight="8" orient="auto"><path d="M0,0 L8,4 L0,8 z" fill="#666"/></marker></defs>']
    for (a, b), line in edges.items():
        out.append(_edge(places[a], places[b], html.escape(f"line {line}") if line else "", a == b))
    for (x, y), n in zip(places, nodes):
        kind = "n" + (" g" if n["guilty"] else "") + (" m" if n["missing"] else "")
        texts = [f"CTA {n['cta']} {_warps(n['warps'])}", n["missing"] or _line(n["line"], source), *n["target"]]
        out.append(f'<rect x="{x - _WIDTH / 2:.0f}" y="{y - _HEIGHT / 2:.0f}" width="{_WIDTH}" height="{_HEIGHT}" rx="6" class="{kind}"/>')
        out += [f'<text x="{x:.0f}" y="{y - 22 + 18 * i:.0f}"{" class=b" if i == 0 else ""}>{html.escape(t[:46])}</text>' for i, t in enumerate(texts) if t]
    return "".join(out).replace("class=b", 'class="b"') + "</svg>"


def _who(part, source):
    times = f" in {part['times']} times" if part["times"] > 1 else ""
    where = f", {_line(part['line'], source)}" if part["line"] else ""
    cycles = f"cycle {part['first']}" + (f" to {part['last']}" if part["last"] != part["first"] else "")
    return f"{part['amount']} {part['what']}{times} by CTA {part['cta']} warp {part['warp']}{where}, {cycles}"


def _named(hang, source):
    """Named barriers: which warps have arrived and wait, and which are missing."""
    out, waits = "", {}
    for w in hang["waiting"]:
        if w["on"]["kind"] == "named":
            waits.setdefault((w["cta"], w["on"]["id"]), {}).setdefault(w["line"], []).append(w["warp"])
    for (cta, number), lines in waits.items():
        come = "<br>".join(html.escape(f"{_warps(warps)} at {_line(line, source)}") for line, warps in lines.items())
        away = "<br>".join(html.escape(f"warp {m['warp']}: {m['why']}") for m in hang.get("missing", []) if m["cta"] == cta) or "nobody"
        out += (f"<h3>barrier {number} of CTA {cta}</h3><table><tr><th>waits there</th><th>missing</th></tr>"
                f"<tr><td>{come}</td><td style='text-align:left'>{away}</td></tr></table>")
    return out


def phases(hang, source=None):
    """The last phases of each object with a pending wait, and the warps that arrived."""
    out = _named(hang, source)
    asked = {(w["cta"], w["on"].get("address")): w["on"]["asked"] for w in hang["waiting"] if "asked" in w["on"]}
    for o in hang.get("objects", []):
        parity = asked.get((o["cta"], o["address"]))
        out += f"<h3>{html.escape(o['name'])}</h3><table><tr><th>phase</th><th>parity</th><th>cycles</th><th>who gave what</th></tr>"
        for p in o["phases"]:
            awaited = " (awaited)" if "end" not in p and parity == p["phase"] % 2 else ""
            gave = "<br>".join(html.escape(_who(part, source)) for part in p["parts"]) or "nothing"
            out += (f"<tr><td>{p['phase']}</td><td>{p['phase'] % 2}{awaited}</td><td>{p['begin']} to {p.get('end', 'the end: it does not complete')}</td>"
                    f"<td style='text-align:left'>{gave}</td></tr>")
        out += "</table>"
        if parity is not None:
            out += f"<p class=note>Parity {parity} is awaited.</p>"
    return out


def cause(hang):
    """The sentence of the cause, and further causes."""
    c = hang.get("cause")
    if c is None:
        return ""
    out = f"<p><b class=bad>{html.escape(c['kind'])}</b>: {html.escape(c['sentence'])}</p>"
    return out + "".join(f"<p>also <b>{html.escape(o['kind'])}</b>: {html.escape(o['sentence'])}</p>" for o in c["others"])
