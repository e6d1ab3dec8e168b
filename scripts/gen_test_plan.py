#!/usr/bin/env python3
"""Brings rtl/doc/test_plan.tsv up to date with the sources: which test, worked example, legality case or property shows each rule.

    scripts/gen_test_plan.py            writes the file; what people wrote (the column before the last) stays
    scripts/gen_test_plan.py --no-property       only prints the rules of the RTL that no property states
    scripts/gen_test_plan.py --mutants FILE...   takes over from results of scripts/mutate which mutant was seen to fail a rule's test

Columns: rule, unit, shown by, seen to fail with, kernels of tb/rules. scripts/check test_plan compares the places with the sources and refuses a rule without either.
"""
import sys
from pathlib import Path

sys.dont_write_bytecode = True
from command_line import Parser  # noqa: E402
from checks import rules as check  # noqa: E402

ROOT = Path(__file__).resolve().parent.parent
PLAN = ROOT / "rtl" / "doc" / "test_plan.tsv"
HEAD = """# How each rule is shown. Tabs between: rule, unit, places (test FILE, example FILE, kernels FILE, legality, property HARNESS; `-`: not modelled), and with what it was
# seen to fail: `falsified` (the test makes each of its expectations wrong in turn and requires to notice), `both verdicts` (the rule's forms lie one change
# apart on both sides of the verdict), `mutant FILE: BEFORE -> AFTER` (scripts/mutate), `formal mutants` (scripts/prove_mutants), `injected: WHAT`, `its rule left out` (--ignore); of rules
# that are not modelled: the reason. Last, of rules that a run reports: the bad and good kernels (tb/rules/examples), each seen not to be reported with
# its rule left out, and who finds it. scripts/gen_test_plan.py keeps the places up to date, scripts/check test_plan compares.
"""
UNITS = {
    "GEN": "front end, executor", "BAR": "gsu_named_barrier", "BWS": "gsu_lane_join", "CLU": "gsu_cluster_barrier", "FENCE": "gsu_fence, gsu_order, memory model",
    "ATOM": "executor: memory", "RED": "executor: memory", "RASYNC": "gsu_mbar_recv, executor: async", "VOTE": "gsu_warp_unit", "VSYNC": "gsu_warp_unit",
    "MATCH": "gsu_warp_unit", "AMASK": "gsu_warp_unit", "REDUX": "gsu_warp_unit", "ELECT": "gsu_warp_unit", "GDC": "gsu_grid", "MBAR": "gsu_mbar_unit",
    "MBARR": "gsu_mbar_unit", "MBDROP": "gsu_mbar_unit", "MBW": "gsu_mbar_unit: waits", "MBPC": "executor", "CPA": "gsu_mbar_async", "TMAP": "executor: async",
    "CLC": "gsu_mbar_clc, executor: async", "NVVM": "front end, gsu gen", "HS": "gsu gen", "TEN": "executor: tensor", "TC5": "executor: tcgen05",
}


def seen_by_mutants(paths):
    """Rule -> the first mutant that failed a test with its tag."""
    tags, seen = check.case_tags(), {}
    for path in paths:
        for line in Path(path).read_text().split("\n"):
            fields = line.split("\t")
            if len(fields) < 7 or fields[5] != "tests":
                continue
            what = f"mutant {fields[1]}: {fields[3]} -> {fields[4]}"
            for name in fields[6].split("; "):
                for rule in tags.get(name.partition(": ")[2] if name.startswith("test_") else name, ()):
                    seen.setdefault(rule, what)
    return seen


# Tests that make each expectation wrong in turn; and tests that are no scenarios, or that judge forms on both sides.
FALSIFYING = ("example ", "test tests/scenarios/")
NOT_FALSIFYING = ("test tests/scenarios/forms_test", "test tests/scenarios/peers", "test tests/scenarios/tap_independence")


def shown_with(rule, places, old, mutants):
    if old and old != "not seen":
        return old
    if rule in mutants:
        return mutants[rule]
    if "legality" in places or "test tests/scenarios/forms_test.cpp" in places:
        return "both verdicts"
    if any(p.startswith(FALSIFYING) and not p.startswith(NOT_FALSIFYING) for p in places):
        return "falsified"
    if any(p.startswith("property") for p in places):
        return "formal mutants"
    if any(p.startswith("kernels") for p in places):
        return "its rule left out"
    return "not seen"


def print_no_property():
    """Rules of the units of the RTL: id, unit, places; then how many there are."""
    of_rtl = [(rule, unit, where) for rule, (unit, where, _) in check.plan_rows(PLAN).items() if unit.startswith("gsu_") and where != "-"]
    without = [row for row in of_rtl if "property" not in row[2]]
    for row in without:
        print(*row, sep="\t")
    print(f"{len(without)} of {len(of_rtl)} rules of the RTL have no property")


def main():
    parser = Parser(description=__doc__)
    parser.add_argument("--mutants", nargs="*", default=[])
    parser.add_argument("--no-property", action="store_true", help="only print the rules of the RTL that no property states, with what shows each of them")
    args = parser.parse_args()
    if args.no_property:
        return print_no_property()
    known, places, old = check.rules(), check.rule_places(), check.plan_rows(PLAN)
    mutants, kernels = seen_by_mutants(args.mutants), check.misuse_kernels()
    lines = []
    for rule, (kind, where, _) in known.items():
        _, was, seen = old.get(rule, ("", "", ""))
        here = sorted(places.get(rule, ()))
        if not here:
            here, seen = ["-"], seen if was == "-" else ""
        elif was == "-":
            seen = ""
        unit = "front end" if where == ["front-end"] else UNITS[check.family(rule)]
        lines.append("\t".join((rule, unit, ", ".join(here), shown_with(rule, here, seen, mutants) if here != ["-"] else seen,
                                kernels.get(rule, "-"))))
    PLAN.write_text(HEAD + "\n".join(lines) + "\n")


if __name__ == "__main__":
    main()
