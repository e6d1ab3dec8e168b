"""gsu report: one page of HTML for a run or a sweep. The page contains everything, including the plotting library: it needs no server and no network."""
import html
import json
import pathlib

import pyarrow.parquet

from . import __version__, charts, hang_page, launches
from .cache import write_whole
from .diff import load
from .errors import InputError, need

_STYLE = """body{font:15px/1.5 system-ui,sans-serif;margin:2em auto;max-width:1100px;color:#222;padding:0 1em}
h1{font-size:1.5em}h2{font-size:1.15em;margin-top:2em;border-bottom:1px solid #ccc}table{border-collapse:collapse;font-size:13px}
td,th{padding:2px 10px;border-bottom:1px solid #e4e4e4;text-align:right}td:first-child,th:first-child{text-align:left}
.good{color:#1a7f37}.bad{color:#b3261e}pre{background:#f5f5f5;padding:.8em;white-space:pre-wrap}p.note{color:#666}"""


def _table(rows, shown=40):
    """A table of dictionaries with the same keys."""
    if not rows:
        return "<p class=note>none</p>"
    names = list(rows[0])
    cell = lambda v: html.escape("" if v is None else f"{v:.3f}" if isinstance(v, float) else str(v))
    head = "".join(f"<th>{html.escape(n.replace('_', ' '))}</th>" for n in names)
    body = "".join("<tr>" + "".join(f"<td>{cell(r.get(n))}</td>" for n in names) + "</tr>" for r in rows[:shown])
    more = f"<p class=note>and {len(rows) - shown} more</p>" if len(rows) > shown else ""
    return f"<table><tr>{head}</tr>{body}</table>{more}"


class Page:
    def __init__(self, title):
        self.title, self.parts, self.figures = title, [], 0

    def section(self, heading, *parts):
        """Adds a section unless it has no content."""
        if any(parts):
            self.parts.append(f"<h2>{html.escape(heading)}</h2>" + "".join(parts))

    def figure(self, figure):
        """HTML of a plotly figure; "" for None."""
        if figure is None:
            return ""
        self.figures += 1
        return figure.to_html(full_html=False, include_plotlyjs=False, div_id=f"figure{self.figures}", config={"displaylogo": False})

    def text(self):
        script = need("plotly.offline", "report").get_plotlyjs()
        return (f"<!doctype html><html lang=en><head><meta charset=utf-8><title>{html.escape(self.title)}</title><style>{_STYLE}</style>"
                f"<script>{script}</script></head><body><h1>{html.escape(self.title)}</h1>{''.join(self.parts)}"
                f"<p class=note>gsu {html.escape(__version__)}</p></body></html>")


def _head(run, name):
    colour = "good" if run.as_expected else "bad"
    j = run.json
    facts = [f"{j[k]} {label}" for k, label in (("cycles", "cycles"), ("instructions", "instructions"), ("sync_requests", "sync requests"), ("sms", "SM" if j.get("sms") == 1 else "SMs"))
             if k in j]
    expected = "as expected" if run.as_expected else "NOT as expected"
    facts.append(f"timing {launches.timing_of(j)}")
    out = f"<p><b class={colour}>{html.escape(run.verdict)}</b> ({expected}): {', '.join(facts)}, unit {html.escape(str(j.get('unit', '?')) + (' with ' + j['with'] if j.get('with') else ''))}</p>"
    for key in ("trap", "limit"):
        if key in j:
            out += f"<pre>{key}: {html.escape(str(j[key]))}</pre>"
    if "summed" in j:
        out += f"<p class=note>{html.escape(launches.note(j))}</p>"
    if run.slices is None:
        out += f"<p class=note>{html.escape(name)} holds no timeline: waits by line and warp, and phases, are shown for a launch file, which is executed</p>"
    return out


def _both(key, time, form):
    """A figure; if the run has it, the figure in order (window 1) follows after a bar."""
    return " | ".join(form.format(t[key]) for t in (time, time.get("in_order")) if t and key in t)


def _roles(time):
    causes = [c for c in time["roles"][0]["clocks"] if any(r["clocks"][c] for r in time["roles"])] if time["roles"] else []
    return [{"window": time["window"], "sm": r["sm"], "first_warp": r["first_warp"], "warps": r["warps"], "clocks": r["total"], **{c: r["clocks"][c] for c in causes}}
            for r in time["roles"]]


def _time(time):
    """The bound as a sentence, the clocks of each role by cause, and how busy each server was; for both windows if the run has them."""
    other = time.get("in_order")
    fact = f"{_both('microseconds', time, '{:.2f}')} us at {time['clock_mhz']} MHz (timing {time['timing']}, window {_both('window', time, '{}')})"
    for key, unit in (("tflops", "TFLOPS"), ("hbm_gbps", "GB/s of HBM")):
        fact += f", {_both(key, time, '{:.1f}')} {unit}" if key in time else ""
    if time["of"] > time["sms"]:
        fact += f"; {time['sms']} of {time['of']} SMs simulated, nothing is judged"
    bounds = f"<p><b>{html.escape(time['bound'])}</b></p>"
    if other and other["bound"] != time["bound"]:
        bounds += f"<p>in order: {html.escape(other['bound'])}</p>"
    servers = [{"server": name, "busy": share, **({"in order": other["busy"][name]} if other else {})} for name, share in time["busy"].items()]
    return (f"<p>{html.escape(fact)}</p>{bounds}", _table(_roles(time)), _table(_roles(other)) if other else "", _table(servers))


def run_page(run, name, source=None):
    """The page of a run. source: lines of the PTX text, shown beside the waits by line."""
    page = Page(f"gsu report: {name}")
    page.parts.append(_head(run, name))
    if run.hang is not None:
        hang = run.json["hang"]
        page.section("Why it hangs", hang_page.cause(hang), f"<pre>{html.escape(run.hang)}</pre>")
        page.section("Who waits for whom", hang_page.graph(hang, source), _table(run.waiting.to_pylist()))
        page.section("What was waited for", hang_page.phases(hang, source))
        run = hang_page.cut(run)
        if "last_change" in hang:
            page.parts.append(f"<p class=note>Nothing changed after cycle {hang['last_change']}: figures below end there; tables count waits to the end.</p>")
    if run.json.get("findings"):
        page.section("Findings", _table(run.findings.to_pylist()))
    if run.json.get("time"):
        page.section("Where the time went", *_time(run.json["time"]))
    page.section("Waits by barrier", page.figure(charts.waits_by_barrier(run)), _table(run.barriers.to_pylist()))
    if run.mbarriers.num_rows:
        page.section("mbarriers", _table(sorted(run.mbarriers.to_pylist(), key=lambda m: -m["blocked_clocks"]), 12))
    if run.slices is not None and run.slices.num_rows:
        page.section("Waits by line", page.figure(charts.waits_by_line(run, source)))
        page.section("Warps and barriers", page.figure(charts.heat_map(run)))
    if run.stages.num_rows:
        page.section("Pipelines", page.figure(charts.stage_gantt(run)), _table(run.stages.to_pylist()))
    if run.changes is not None and run.changes.num_rows:
        page.section("Phases of an mbarrier", page.figure(charts.phase_diagram(run)))
    return page.text()


def sweep_page(table, summary, name):
    page = Page(f"gsu report: {name}")
    state = "complete" if summary["complete"] else "INCOMPLETE: call gsu sweep again, it goes on"
    page.parts.append(f"<p>{summary['done']} of {summary['runs']} runs, {state}; {summary['errors']} ended with an error, "
                      f"{summary['not_as_expected']} not as expected</p>")
    timings = sorted({t for t in (table.column("timing").to_pylist() if "timing" in table.column_names else []) if t})
    page.parts.append(f"<p>timing {html.escape(', '.join(timings))}</p>" if timings else "")
    same = {f"with.{k}": v for k, v in summary["plan"].get("structure", {}).items()} | summary["plan"].get("settings", {})
    if same:
        page.parts.append(f"<p>In all runs: {html.escape(', '.join(f'{k}={v}' for k, v in same.items()))}</p>")
    rows = table.to_pylist() if table.num_rows else []
    known = [s["parameter"] for s in summary["sensitivity"]["cycles"]]  # parameters for which enough runs ended as expected
    if known:
        page.section("Sensitivity", page.figure(charts.sensitivity(summary)), _table([{k: v for k, v in s.items() if k != "by_kernel"} | s["by_kernel"]
                                                                                            for s in summary["sensitivity"]["cycles"]]))
        page.section("Cycles by parameter", *(page.figure(f) for f in charts.by_parameter(rows, known)))
        page.section("Kernels", page.figure(charts.by_kernel(rows, known[0])))
    if len(known) > 1:
        page.section("Pairs", page.figure(charts.pair(rows, known[:2])))
    best = [{**{k: v for k, v in b.items() if k != "values"}, **b["values"]} for b in summary["best"]]
    page.section("Best", *(_table(part) for part in ([b for b in best if "cycles" in b], [b for b in best if "cycles" not in b]) if part))
    errors = [r for r in rows if r.get("verdict") == "error" or not r.get("as_expected")]
    if errors:
        page.section("Not as expected", _table(errors))
    page.section("Runs", _table(rows))
    return page.text()


def _source_of(path):
    """Lines of the PTX text of a launch; None if it has several or none."""
    try:
        if str(path).endswith(".ptx"):
            return pathlib.Path(path).read_text(encoding="utf-8", errors="replace").splitlines()
        ptx = json.loads(pathlib.Path(path).read_text(encoding="utf-8")).get("ptx")
        return (pathlib.Path(path).parent / ptx).read_text(encoding="utf-8", errors="replace").splitlines() if isinstance(ptx, str) else None
    except (OSError, ValueError):
        return None


def make(path, output, **options):
    """Writes the page of a launch or PTX file, a result of `gsu run --json`, or the folder of a sweep."""
    need("plotly", "report")
    path = pathlib.Path(path)
    if path.is_dir():
        try:
            summary = json.loads((path / "sweep.json").read_text(encoding="utf-8"))
            table = pyarrow.parquet.read_table(path / "results.parquet")
        except (OSError, ValueError, pyarrow.ArrowException) as error:
            raise InputError(f"{path}: not the folder of a sweep ({error})", str(path)) from error
        text = sweep_page(table, summary, path.name or str(path))
    else:
        source = _source_of(path) if str(path).endswith((".launch.json", ".ptx")) else None
        text = run_page(load(path, **options), path.name, source)
    write_whole(output, text.encode())
