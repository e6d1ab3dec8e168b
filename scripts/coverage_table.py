"""Figures of scripts/coverage by unit: the table in tests/coverage/README.md, which scripts/gen_status.py reads as well, and the report."""
import html
import re
import shutil
from collections import Counter, defaultdict
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BEGIN, END = "<!-- table: scripts/coverage --write -->", "<!-- end of the table -->"
RTL, CXX, POINTS = ("line", "branch", "toggle", "expr"), ("c++ line", "c++ branch"), ("points",)
WANTED = {"line": 99, "branch": 97, "toggle": 95, "points": 98}
WANTED_LINES = {"sc_model/golden": 98, "sc_model/lockstep": 98, "tb/ptx": 93, "tb/exec": 93}
SLACK = 0.2  # per cent by which two runs of the same sources may differ, because of threads and time limits
CHAPTERS = {"BAR": "named barriers", "BWS": "`bar.warp.sync`", "CLU": "cluster barrier", "FEN": "fences", "ATM": "atom", "RED": "red", "RAS": "red.async, st.async",
            "VOT": "vote", "MAT": "match", "AMK": "activemask", "RDX": "redux", "ELE": "elect", "GDC": "griddepcontrol", "MBO": "mbarrier objects", "MBW": "mbarrier waits",
            "CPA": "cp.async.mbarrier.arrive", "TMP": "tensormap fences", "CLC": "clusterlaunchcontrol", "NVM": "cluster registers, mapa", "HSK": "handshakes",
            "SYS": "units together", "LEG": "legality"}
OWNERS = {}


def unit_of_rtl(file):
    """The unit of rtl/doc/status.md that a file of the RTL belongs to."""
    if not OWNERS:
        import gen_status
        OWNERS.update(gen_status.owners(gen_status.units()))
        OWNERS[None] = gen_status.SHARED
    return OWNERS.get(Path(file).stem, OWNERS[None])


def unit_of_cxx(file):
    return "/".join(file.split("/")[:2])


def chapter_of(point):
    return CHAPTERS[point.split("-")[1]]


class Cell:
    """One metric of one unit: points reached, of all points; points excluded by rules; holes with and without a reason."""

    def __init__(self, reached=0, total=0):
        self.reached, self.total, self.left_out, self.unexplained = reached, total, 0, 0

    @property
    def percent(self):
        return 100 * self.reached / self.total if self.total else 100.0

    def __str__(self):
        return f"{self.percent:.2f} % of {self.total:,}" if self.total else "-"


class Table:
    def __init__(self):
        self.cells = defaultdict(Cell)

    def add(self, unit, metric, reached, why):
        """`why`: the entry of holes.tsv for the point."""
        cell = self.cells[unit, metric]
        if why == "rule":
            cell.left_out += 1
            return
        cell.total += 1
        cell.reached += reached
        cell.unexplained += not reached and why is None

    def sum(self, metrics, units=None):
        total = Cell()
        for (unit, metric), cell in self.cells.items():
            if metric in metrics and (units is None or unit in units):
                total.reached += cell.reached
                total.total += cell.total
                total.left_out += cell.left_out
                total.unexplained += cell.unexplained
        return total

    def part(self, head, metrics, name):
        units = list(dict.fromkeys(unit for unit, metric in self.cells if metric in metrics))
        units.sort(key=lambda unit: (unit.startswith("all of them"), unit))
        text = f"| {name} | {' | '.join(head)} | left out by rule | holes without a reason |\n|---{'|---' * (len(head) + 2)}|\n"
        for unit in [*units, "**together**"]:
            only = None if unit == "**together**" else (unit,)
            every = self.sum(metrics, only)
            cells = [str(self.sum((metric,), only)) for metric in metrics]
            text += f"| {unit} | {' | '.join(cells)} | {every.left_out:,} | {every.unexplained:,} |\n"
        return text + "\n"

    def text(self):
        text = self.part(("lines", "branches", "toggles", "expressions"), RTL, "RTL")
        text += self.part(("lines", "branches"), CXX, "C++")
        text += self.part(("bins of cover points",), POINTS, "cover points")
        text += "| wanted | is | |\n|---|---|---|\n"
        wanted = [(f"RTL, {metric}{'es' if metric == 'branch' else 's'}" if metric != "points" else "cover points", (metric,), None, least) for metric, least in WANTED.items()]
        wanted += [(f"{unit}, lines", ("c++ line",), (unit,), least) for unit, least in WANTED_LINES.items()]
        for name, metrics, units, least in wanted:
            cell = self.sum(metrics, units)
            text += f"| {name} >= {least} % | {cell.percent:.2f} % | {'reached' if cell.percent >= least else 'not reached'} |\n"
        return text

    def worse(self, page):
        """The figures in which `page` is better."""
        bad = []
        for (unit, metric), old in published(page).items():
            new = self.sum((metric,), None if unit == "**together**" else (unit,))
            if new.percent < old - (0 if metric == "points" else SLACK):
                bad.append(f"{unit}, {metric}: {new.percent:.2f} %, tests/coverage/README.md has {old:.2f} %")
        return bad

    def publish(self, page):
        text = page.read_text(encoding="utf-8")
        before, rest = text.split(BEGIN)
        page.write_text(before + BEGIN + "\n" + self.text() + END + rest.split(END)[1], encoding="utf-8")


def published(page):
    """(unit, metric) -> per cent, from the table of the page."""
    found, metrics = {}, ()
    if not page.exists():
        return found
    for line in page.read_text(encoding="utf-8").split(BEGIN)[-1].split(END)[0].split("\n"):
        cells = [cell.strip() for cell in line.strip("| ").split(" | ")]
        metrics = {"RTL": RTL, "C++": CXX, "cover points": POINTS}.get(cells[0], metrics) if len(cells) > 3 else () if cells[0] == "wanted" else metrics
        for metric, cell in zip(metrics, cells[1:]):
            if number := re.match(r"([\d.]+) % of", cell):
                found[cells[0], metric] = float(number[1])
    return found


STYLE = """<style>body{font-family:sans-serif;margin:2em}table{border-collapse:collapse}td,th{border:1px solid #ccc;padding:2px 8px;text-align:left}
pre{margin:0}.no{background:#fcc}.part{background:#fec}.out{background:#ddd}.yes{background:#dfd}.n{color:#888;display:inline-block;width:12em}</style>"""


def html_table(markdown):
    text = ""
    for block in markdown.strip().split("\n\n"):
        rows = [row.strip("| ").split(" | ") for row in block.split("\n") if not row.startswith("|---")]
        text += "<table>" + "".join("<tr>" + "".join(f"<td>{html.escape(cell.strip('|').replace('**', '').replace('`', ''))}</td>" for cell in row) + "</tr>" for row in rows) + "</table><br>\n"
    return text


def page_of(file, lines, root):
    """A source with the counts beside each line. `lines`: number -> (class, count, notes)."""
    body = ""
    for number, text in enumerate((root / file).read_text(encoding="utf-8", errors="replace").split("\n"), 1):
        kind, count, notes = lines.get(number, ("", "", []))
        body += f'<div class="{kind}" title="{html.escape("; ".join(notes))}"><pre><span class="n">{number:5} {count}{" " + str(len(notes)) + " open" if notes else ""}</span>{html.escape(text)}</pre></div>\n'
    return f"<!doctype html><meta charset=utf-8><title>{file}</title>{STYLE}<h1>{file}</h1><p>Red: not reached. Yellow: in parts, the line's title names what is open. Grey: left out by rule.</p>{body}"


def rtl_lines(judged):
    files = defaultdict(lambda: defaultdict(lambda: [None, [], []]))
    for (file, metric, line, _, text), (count, why) in judged.items():
        entry = files[file][line]
        if metric == "line":
            entry[0] = count
        if not count:
            entry[2 if why == "rule" else 1].append(f"{metric} {text}")
    result = {}
    for file, lines in files.items():
        result[file] = {}
        for number, (count, open_, out) in lines.items():
            kind = "no" if count == 0 and any(note.startswith("line") for note in open_) else "part" if open_ else "out" if out else "yes"
            result[file][number] = (kind, "" if count is None else count, open_)
    return result


def cxx_lines(counted):
    return {file: {number: ("no" if not count else "part" if 0 in branches else "yes", count, [f"branch {at}" for at, taken in enumerate(branches) if not taken])
                   for number, (count, branches) in lines.items()} for file, lines in counted.items()}


def write_report(folder, table, judged, counted, reached, root):
    """index.html: the table, cover points, files; a page for each file."""
    shutil.rmtree(folder, ignore_errors=True)
    folder.mkdir(parents=True)
    pages, rows = {**rtl_lines(judged), **cxx_lines(counted)}, ""
    for file, lines in sorted(pages.items()):
        name = file.replace("/", "_") + ".html"
        (folder / name).write_text(page_of(file, lines, root), encoding="utf-8")
        kinds = Counter(kind for kind, _, _ in lines.values())
        rows += f'<tr><td><a href="{name}">{file}</a></td><td>{len(lines)}</td><td>{kinds["no"]}</td><td>{kinds["part"]}</td></tr>\n'
    bins = "".join(f'<tr class="{"yes" if hits else "no"}"><td>{name}</td><td>{html.escape(one)}</td><td>{hits}</td></tr>\n'
                   for name, held in reached.items() for one, hits in held.items())
    (folder / "index.html").write_text(
        f"<!doctype html><meta charset=utf-8><title>Coverage</title>{STYLE}<h1>Coverage</h1>{html_table(table.text())}"
        f"<h2>Files</h2><table><tr><th>file</th><th>lines with counts</th><th>not reached</th><th>in parts</th></tr>{rows}</table>"
        f"<h2>Cover points</h2><table><tr><th>point</th><th>bin</th><th>hits</th></tr>{bins}</table>", encoding="utf-8")
