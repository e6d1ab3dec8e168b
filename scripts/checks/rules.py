"""Rules and decisions: where they are named, and what shows them."""
import ast
import re
import subprocess

from checks.common import ROOT, check, rel, tracked


def rules():
    rows = {}
    for line in (ROOT / "rtl/doc/rules.tsv").read_text().split("\n"):
        if line and not line.startswith("#"):
            rule, kind, where, statement = line.split("\t")
            rows[rule] = (kind, where.split(","), statement)
    return rows


def family(rule):
    return rule.rsplit("-", 1)[0]


# Limit of rules in a hundred that are not modelled; each of them has its reason in rtl/doc/test_plan.tsv.
NOT_MODELLED_PERCENT = 3
RULE = r"\b([A-Z][A-Z0-9]{1,6}-\d{3})\b"
CASE = r'(?:TEST_CASE|SCENARIO)\(\s*("(?:[^"\\]|\\.)*"(?:\s*"(?:[^"\\]|\\.)*")*)\s*,((?:\s*"[^"]*")+)'


def catch_cases():
    """File, name, and rules among the tags of every Catch2 case."""
    for f in tracked(".cpp"):
        if rel(f).startswith("tests/"):
            for name, tags in re.findall(CASE, f.read_text()):
                yield f, re.sub(r'"\s*"', "", name)[1:-1], re.findall(r"\[([A-Z][A-Z0-9]{1,6}-\d{3})\]", re.sub(r'"\s*"', "", tags))


def case_tags():
    """Rules that the Catch2 cases of each name have as tags."""
    cases = {}
    for _, name, tags in catch_cases():
        cases.setdefault(name, set()).update(tags)
    return cases


def property_rules(path):
    """Rules that properties of a formal harness name, beside or right above."""
    tags, above = set(), set()
    for line in path.read_text().split("\n"):
        named = set()
        for first, more in re.findall(r"\b([A-Z][A-Z0-9]{1,6}-\d{3})((?:(?:, |\.\.)(?:[A-Z][A-Z0-9]{1,6}-)?\d{3})*)", line.partition("//")[2]):
            named |= expand(first, more)
        if re.search(r"`(ASSERT|COVER)\w*\(", line):
            tags |= named | above
            above = set()
        elif line.strip().startswith("//"):
            above |= named
        elif not line.strip():
            above = set()
    return tags


def rule_places():
    """What shows each rule: tags of Catch2 cases, rows of legality.tsv with both verdicts, worked examples, kernels of tb/rules, properties of the harnesses."""
    places = {}
    for f, _, tags in catch_cases():
        for rule in tags:
            places.setdefault(rule, set()).add(f"test {rel(f)}")
    verdicts = {}
    for line in (ROOT / "tests/ptx/legality.tsv").read_text().split("\n"):
        if line and not line.startswith("#"):
            rule, verdict = line.split("\t")[:2]
            verdicts.setdefault(rule, set()).add("accept" in verdict)
    for rule, both in verdicts.items():
        if len(both) == 2:
            places.setdefault(rule, set()).add("legality")
    for f in sorted((ROOT / "tests/scenarios/examples").glob("*.txt")):
        for case in re.findall(r"^case ([^:]*):", f.read_text(), re.M):
            for rule in re.findall(RULE, case):
                places.setdefault(rule, set()).add(f"example {f.name}")
    for f in sorted((ROOT / "tb/rules/examples").glob("*.txt")):
        for rule in re.findall(r"^=== (\S+-\d{3}) ", f.read_text(), re.M):
            places.setdefault(rule, set()).add(f"kernels {f.name}")
    for f in tracked("_fv.sv"):
        for rule in property_rules(f):
            places.setdefault(rule, set()).add(f"property {f.stem}")
    return places


def misuse_kernels():
    """Rule about undefined behaviour -> its bad and good kernels (tb/rules/examples), and when a run finds it."""
    kernels = {}
    for f in sorted((ROOT / "tb/rules/examples").glob("*.txt")):
        for rule in re.findall(r"^=== (\S+)", f.read_text(), re.M):
            kernels.setdefault(rule, []).append(f.name)
    found = {}
    for line in (ROOT / "tb/rules/found.tsv").read_text().split("\n"):
        if line and not line.startswith("#"):
            rule, _, by, as_, _ = line.split("\t")
            found[rule] = by + (f" as {as_}" if as_ != "-" else "")
    return {rule: f"{len(kernels[rule])} in {kernels[rule][0]}: {found.get(rule, '-')}" if rule in kernels else found.get(rule, "-")
            for rule in {*kernels, *found}}


def plan_rows(path):
    rows = {}
    if path.exists():
        for line in path.read_text().split("\n"):
            if line and not line.startswith("#"):
                rule, unit, shown, seen = (line.split("\t") + ["", "", ""])[:4]
                rows[rule] = (unit, shown, seen)
    return rows


def expand(first, more):
    """BAR-002 with ", 006..008" is BAR-002, BAR-006, BAR-007, BAR-008."""
    rules_named, last = {first}, first
    for separator, number in re.findall(r"(, |\.\.)(?:[A-Z][A-Z0-9]{1,6}-)?(\d{3})", more):
        start = int(last.rsplit("-", 1)[1]) + 1 if separator == ".." else int(number)
        rules_named |= {f"{family(first)}-{n:03d}" for n in range(start, int(number) + 1)}
        last = f"{family(first)}-{number}"
    return rules_named


DECISION = r"\b([AD]-\d{2})\b"


@check(fast=True)
def traceability():
    """No file names a rule that does not exist, or a decision (D-01, A-01) without a row in rtl/doc/decisions.md."""
    known, bad = rules(), []
    families = {family(r) for r in known}
    decided = set(re.findall(rf"^\| {DECISION} \|", (ROOT / "rtl/doc/decisions.md").read_text(), re.M))
    named = set()
    for f in tracked(".cpp", ".hpp", ".h", ".sv", ".svh", ".def", ".py", ".tsv", ".txt", ".md"):
        for number, line in enumerate(f.read_text(errors="replace").split("\n"), 1):
            bad += [f"{rel(f)}:{number}: no such rule {rule}" for rule in re.findall(RULE, line) if family(rule) in families and rule not in known]
            decisions = set(re.findall(DECISION, line))
            bad += [f"{rel(f)}:{number}: {one} has no row in rtl/doc/decisions.md" for one in sorted(decisions - decided)]
            named |= decisions if f.name != "decisions.md" else set()
    return bad if len(named) > 60 else [*bad, f"only {len(named)} decisions named: this check no longer reads them"]


@check(fast=True)
def test_plan():
    """Each rule is shown by a test, example, legality case or property that was seen to fail (rtl/doc/test_plan.tsv); few are not modelled."""
    known, places, plan = rules(), rule_places(), plan_rows(ROOT / "rtl/doc/test_plan.tsv")
    bad = [f"test_plan.tsv: {rule} has no row: scripts/gen_test_plan.py" for rule in known if rule not in plan]
    bad += [f"test_plan.tsv: no such rule {rule}" for rule in plan if rule not in known]
    absent, kernels = 0, misuse_kernels()
    columns = dict(line.split("\t")[:5:4] for line in (ROOT / "rtl/doc/test_plan.tsv").read_text().split("\n") if line.count("\t") == 4)
    for rule, (_, shown, seen) in plan.items():
        here = ", ".join(sorted(places.get(rule, {"-"})))
        absent += shown == "-"
        if shown != here:
            bad.append(f"test_plan.tsv: {rule} is shown by {here}, not by {shown}: scripts/gen_test_plan.py")
        elif columns.get(rule) != kernels.get(rule, "-"):
            bad.append(f"test_plan.tsv: the kernels of {rule} are {kernels.get(rule, '-')}: scripts/gen_test_plan.py")
        elif seen in ("", "not seen"):
            bad.append(f"{rule} ({known[rule][0]}, {','.join(known[rule][1])}): " + ("no test shows it, and no reason why" if shown == "-" else "nobody saw its test fail"))
    if absent * 100 > NOT_MODELLED_PERCENT * len(known):
        bad.append(f"test_plan.tsv: {absent} of {len(known)} rules are not modelled, more than {NOT_MODELLED_PERCENT} %")
    return bad


@check(fast=True)
def broken_copies():
    """Every line of rtl/formal/mutants still changes its file, and names a proof. A run of hours would find an error only at the last line."""
    bad = []
    files = {path.stem: path for path in tracked(".sv") if "/rtl/" in str(path)}
    for table in tracked(".tsv"):
        if table.parent != ROOT / "rtl/formal/mutants":
            continue
        for number, line in enumerate(table.read_text().split("\n"), 1):
            if not line or line.startswith("#"):
                continue
            where, fields = f"{rel(table)}:{number}", line.split("\t")
            if len(fields) != 4 or fields[1] not in files or "." not in fields[0]:
                bad.append(f"{where}: proof, file of the RTL, sed expression, reason expected")
                continue
            unit, task = fields[0].split(".", 1)
            harness = files.get(f"{unit}_fv")
            if harness is None or not re.search(rf"^// prove: .*\bname={re.escape(task)}\b", harness.read_text(), re.M):
                bad.append(f"{where}: no proof {fields[0]}")
            done = subprocess.run(["sed", "-E", fields[2], files[fields[1]]], capture_output=True, text=True)
            if done.returncode or done.stdout == files[fields[1]].read_text():
                bad.append(f"{where}: the expression changes nothing in {fields[1]}.sv")
    return bad


@check(fast=True)
def mutated_parts():
    """Every part of C++ in scripts/mutate_cpp.py has its sources, and its test programs are built without the RTL. A campaign of hours would find an error at its begin."""
    parts = ast.literal_eval(re.search(r"^PARTS = (\{.*?^\})", (ROOT / "scripts/mutate_cpp.py").read_text(), re.S | re.M).group(1))
    bad = []
    for part, (sources, programs) in parts.items():
        bad += [f"scripts/mutate_cpp.py: {part}: no file is {pattern}" for pattern in sources if not any(ROOT.glob(pattern))]
        for folder, name in (program.split("/") for program in programs):
            text = re.sub(r"^ *if\([^)]*(?<!NOT )TARGET gsu_verilated.*?^ *endif\(\)", "", (ROOT / "tests" / folder / "CMakeLists.txt").read_text(), flags=re.S | re.M)
            if not re.search(rf"gsu_add_test\({name}\b", text):
                bad.append(f"scripts/mutate_cpp.py: {part}: tests/{folder} has no {name} without the RTL")
    return bad
