"""Records drawn streams on the golden model and on the RTL, and asks the independent specification about them; then breaks rules and records to see that it notices.

    python test_independent_spec.py GSU [--seed N] [--streams N]
"""
import argparse
import importlib
import importlib.util
import random
import subprocess
import sys
import tempfile
from collections import Counter
from pathlib import Path

HERE = Path(__file__).resolve().parent
sys.path.insert(0, str(HERE))
MODULES = ("rules", "barriers", "mbarriers", "order", "checker", "check_recorded")

# Events that must have occurred, over all streams of one unit.
KINDS = {
    "barriers": ("named barrier generations", "completed by an exit", "cluster generations", "cluster waits", "releases", "exits", "launches",
                 *("wrong use " + rule for rule in ("BAR-002", "BAR-006", "BAR-007", "BAR-025", "BAR-026", "BAR-027", "BAR-031", "BAR-038", "CLU-012", "CLU-013",
                                                    "CLU-014", "CLU-015"))),
    "mbarriers": ("phases", "objects", "states", "from another CTA", "asynchronous commits", "time-outs", "waits woken by a phase",
                  "waits woken because the object went", "waits that were true at once", "waits that were false at once",
                  *("wrong use " + rule for rule in ("MBAR-003", "MBAR-004", "MBAR-021", "MBAR-041", "MBARR-006", "MBDROP-011", "MBW-011", "LOCKED"))),
    "orders": ("releases that had to wait", "releases that had nothing to wait for", "accesses announced"),
}

# Changes of a rule: the place, the text, the new text, and the streams that must differ with it.
BROKEN_RULES = (
    ("rules", "return count or 32 * self.warps", "return count or 32 * self.warps + 32", "barriers"),
    ("rules", "bar.popc += predicate", "bar.popc += not predicate", "barriers"),
    ("rules", "if bar.explicit else len(self.live | bar.arrived)", "if bar.explicit else self.warps", "barriers"),
    ("rules", "if warp in bar.arrived:", "if warp in bar.waiting:", "barriers"),
    ("rules", "self.owed.discard((rank, warp))", "pass", "barriers"),
    ("rules", "self.told[rank] += 1", "self.told[rank] += 2", "barriers"),
    ("rules", "tx = self.tx + expect - complete", "tx = self.tx + expect + complete", "mbarriers"),
    ("rules", "self.expected -= arrivals if drop else 0", "self.expected -= 0", "mbarriers"),
    ("rules", "if self.pending == 0 and self.tx == 0:", "if self.pending == 0:", "mbarriers"),
    ("rules", "self.pending = self.expected  # MBAR-011", "self.pending = self.pending  # MBAR-011", "mbarriers"),
    ("rules", "return self.phase % 2 != parity", "return self.phase % 2 == parity", "mbarriers"),
    ("rules", "self.pending += increment - arrivals", "self.pending -= arrivals", "mbarriers"),
    ("rules", "dict.fromkeys(self.parked, True)", "dict.fromkeys(self.parked, False)", "mbarriers"),
    ("rules", 'return "own"  # BWS-006', 'return "wide"  # BWS-006', "orders"),
)

# Changes of records: in the trace or in the commits, a pattern of lines, and a replacement in them. Without a replacement the first such line is left out.
BROKEN_RECORDS = (
    ("gsut", "answer +", " p=0x", " was=0x", "mbarriers"),
    ("gsut", "release +", "popc=", "popc=1", "barriers"),
    ("gsut", "release +", None, None, "barriers"),
    ("commits", "\tBar", "\t1\t0\tDone", "\t0\t0\tDone", "barriers"),
    ("commits", "\tMbarArrive\t", "\t0\t1\tRefused", "\t0\t0\tDone", "mbarriers"),
    ("gsut", "performed", None, None, "orders"),
)


def third(change=None):
    """The checker, freshly loaded, with one text of one module changed."""
    for name in MODULES:
        sys.modules.pop(name, None)
    if change:
        module, old, new = change
        text = (HERE / f"{module}.py").read_text(encoding="utf-8")
        assert text.count(old) == 1, f"{module}.py has '{old}' {text.count(old)} times"
        spec = importlib.util.spec_from_loader(module, loader=None)
        loaded = importlib.util.module_from_spec(spec)
        sys.modules[module] = loaded
        exec(compile(text.replace(old, new), module, "exec"), loaded.__dict__)
    return importlib.import_module("check_recorded")


def differences(checker, traces):
    """How many differences; a rule so broken that the checker stops counts as one."""
    found = 0
    for trace in traces:
        try:
            found += len(checker.judged(str(trace)).differences)
        except (KeyError, IndexError, AttributeError, TypeError):
            found += 1
        if found:
            break
    return found


def broken_record(traces, folder, suffix, pattern, old, new):
    """A copy of the first stream that has such a line, with its lines changed or the first left out."""
    for trace in traces:
        path = trace.with_suffix("." + suffix)
        lines = path.read_text(encoding="ascii").splitlines(keepends=True)
        hits = [i for i, line in enumerate(lines) if pattern in line and (old is None or old in line)]
        if not hits:
            continue
        for at in hits if old is not None else hits[:1]:
            lines[at] = "" if old is None else lines[at].replace(old, new, 1)
        for other in ("gsut", "commits"):
            (folder / f"broken.{other}").write_bytes(trace.with_suffix("." + other).read_bytes())
        (folder / f"broken.{suffix}").write_text("".join(lines), encoding="ascii")
        return [folder / "broken.gsut"]
    return []


def record(gsu, unit, kind, seed, streams, folder):
    folder.mkdir(parents=True)
    for number in range(streams):
        command = [gsu, "fuzz", "--requests", "1", "--from", str(number), "--per-stream", "300", "--seed", str(seed), "--traffic", kind, "--unit", unit,
                   "--record", str(folder)]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode != 0:
            sys.exit(f"{' '.join(command)}: exit code {done.returncode}\n{done.stdout}{done.stderr}")
    return sorted(folder.glob("*.gsut"))


def judged(traces, name, wrong):
    counts, checker = Counter(), third()
    for trace in traces:
        seen = checker.judged(str(trace))
        counts += seen.counts
        wrong += [f"{name}: {trace.name}: {line}" for line in seen.differences[:5]]
    return counts


def breaks(recorded, folder, wrong):
    for module, old, new, kind in BROKEN_RULES:
        if not differences(third((module, old, new)), recorded["golden", kind]):
            wrong.append(f"nobody noticed the broken rule '{new}'")
    checker = third()
    for suffix, pattern, old, new, kind in BROKEN_RECORDS:
        traces = broken_record(recorded["golden", kind], folder, suffix, pattern, old, new)
        if not traces or not differences(checker, traces):
            wrong.append(f"nobody noticed the broken record '{pattern.strip()}' in {suffix}")


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("gsu", help="the program")
    parser.add_argument("--seed", type=int, default=2026, help="of the streams; 0 draws one")
    parser.add_argument("--streams", type=int, default=10, help="of each kind and unit")
    parser.add_argument("--units", default="golden,rtl", help="who answers the streams, with commas; golden must be among them")
    args = parser.parse_args()
    seed = args.seed or random.SystemRandom().randrange(1, 10**9)
    print(f"independent specification: seed {seed}, {args.streams} streams of each kind")
    wrong, recorded = [], {}
    with tempfile.TemporaryDirectory() as name:
        folder = Path(name)
        for unit in args.units.split(","):
            for kind, needed in KINDS.items():
                recorded[unit, kind] = traces = record(args.gsu, unit, kind, seed, args.streams, folder / unit / kind)
                counts = judged(traces, f"{unit}, {kind}", wrong)
                wrong += [f"{unit}, {kind}: '{what}' never occurred" for what in needed if not counts[what]]
                print(f"{unit:<8}{kind:<10}" + ", ".join(f"{counts[what]} {what}" for what in ("requests", "commits", "compared", *needed[:3])))
        breaks(recorded, folder, wrong)
    print("\n".join(wrong) if wrong else f"no difference; {len(BROKEN_RULES)} broken rules and {len(BROKEN_RECORDS)} broken records noticed")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main())
