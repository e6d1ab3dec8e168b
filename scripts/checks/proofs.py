"""Checks of the assumptions of the RTL's proofs."""
import re

from checks.common import ROOT, check, rel
from proof_tasks import tasks_of

FORMAL = ROOT / "rtl/formal"
STATED = r"`(ASSERT|ASSERT_NEXT|REQUIRE|REQUIRE_NEXT|ASSUME|FV_STILL)\((\w+),"


def stated(path):
    """(word, name) of each property that a file of the RTL or of a harness states, including its own headers; one line of gsu_quiet.svh makes three
    properties."""
    text = re.sub(r"//.*|^`define(?:.*\\\n)*.*$", "", path.read_text(), flags=re.M)
    found = [(word.removesuffix("_NEXT"), name) for word, name in re.findall(STATED, text)]
    found += [(verb.upper(), name + part) for verb, name in re.findall(r"`FV_QUIET\((assert|assume), (\w+),", text) for part in ("Silent", "Stays", "Shows")]
    return found + [one for inner in re.findall(r'`include "(\w+_inv\.svh)"', text) for one in stated(FORMAL / inner)]


def prove_tasks():
    """{unit.task: its line as a dictionary} of all harnesses."""
    tasks = {}
    for path in sorted(FORMAL.glob("*_fv.sv")):
        for task in tasks_of(path):
            tasks[f"{task['unit']}.{task['name']}"] = {**task, "harness": path}
    return tasks


def not_proved(where, tasks, files):
    """Why `TASK PROPERTY` is no proved property; None: it is proved."""
    name, _, prop = where.partition(" ")
    task = tasks.get(name)
    if not task or task.get("engine") in ("cover", "skip"):
        return f"{name} is no task that proves properties"
    if "skip" in task and re.search(task["skip"], prop):
        return f"{name} leaves {prop} to another task"
    path, last = prop.split(".")[:-1], prop.split(".")[-1]
    if not path:
        return None if any(n == last and word in ("ASSERT", "FV_STILL") for word, n in stated(task["harness"])) else f"{task['harness'].name} states no {last}"
    # REQUIRE of the unit itself is assumed; REQUIRE of modules below or beside the unit is proved.
    words = ("ASSERT",) if path == ["dut"] else ("ASSERT", "REQUIRE")
    inside = [one for f in task.get("files", "").split(",") if f in files for one in stated(files[f])]
    return None if any(n == last and word in words for word, n in inside) else f"no unit of {name} states {last}"


def no_test(where):
    """Why `FILE: TITLE` is no test; None: a test case of the file begins with the title."""
    name, _, title = where.partition(": ")
    path = ROOT / name
    text = re.sub(r'"\s*\n\s*"', "", path.read_text()) if path.is_file() else ""
    return None if title and re.search(r'TEST_CASE\(\s*"' + re.escape(title), text) else f"no test of {name} is called {title or 'so'}"


@check(fast=True)
def assumptions():
    """Each REQUIRE of the RTL and each ASSUME of a harness has a line in rtl/formal/duties.tsv with its guarantee: proved property, test of the driver, bound of the proof."""
    tasks, files = prove_tasks(), {f.stem: f for f in (ROOT / "rtl").rglob("*.sv")}
    have, bad = {}, []
    for path in files.values():
        of_harness = path.parent == FORMAL
        have |= {(path.stem, name): path for word, name in stated(path) if word in (("ASSUME", "FV_STILL") if of_harness else ("REQUIRE",))}
    lines, whose = {}, {}
    for number, line in enumerate((FORMAL / "duties.tsv").read_text().split("\n"), 1):
        if not line or line.startswith("#"):
            continue
        fields = line.split("\t")
        at = f"rtl/formal/duties.tsv:{number}"
        if len(fields) not in (4, 5) or fields[2] not in ("proved", "driver", "size", "simulated"):
            bad.append(f"{at}: four or five columns, the third proved, driver, size or simulated")
            continue
        whose[fields[2]] = whose.get(fields[2], 0) + 1
        key, who, where, remark = tuple(fields[:2]), fields[2], fields[3], "".join(fields[4:])
        bad += [f"{at}: {key[0]} {key[1]} stands in line {lines[key]} as well"] if key in lines else []
        lines[key] = number
        why = not_proved(where, tasks, files) if who == "proved" else no_test(where) if who == "driver" else None if remark else "without a reason"
        bad += [f"{at}: {key[0]} {key[1]}: {why}"] if why else []
        bad += [f"{at}: {key[0]} states no such assumption: {key[1]}"] if key not in have else []
    says = " ".join((ROOT / "rtl/doc/proofs.md").read_text().split())
    for who, words in (("proved", "are proved of whoever"), ("driver", "are duties of the driver"), ("size", "are sizes of a proof"), ("simulated", "are assertions that simulations check")):
        bad += [] if f"{whose.get(who, 0)} {words}" in says else [f"rtl/doc/proofs.md: {whose.get(who, 0)} {words}: it does not say so"]
    if len(have) < 200:
        bad.append(f"only {len(have)} assumptions found: this check no longer reads them")
    return bad + [f"{rel(path)}: {key[1]}: whose guarantee is it? No line in rtl/formal/duties.tsv" for key, path in sorted(have.items()) if key not in lines]
