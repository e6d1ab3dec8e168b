"""The command gsu: build, sweep, diff, report and timeline are here, everything else is the program's."""
import argparse
import os
import pathlib
import sys

from . import outputs
from .errors import GsuError, InputError
from .program import TARGET, TIMINGS, program_path


class _Parser(argparse.ArgumentParser):
    """A parser whose errors are one line, as those of the program."""

    def error(self, message):
        raise InputError(f"{message} (see {self.prog} --help)")


def _number_of(minimum):
    def parse(text):
        value = int(text)
        if value < minimum:
            raise argparse.ArgumentTypeError(f"{value} is below {minimum}")
        return value

    return parse


def _run_options(parser):
    parser.add_argument("--unit", choices=["rtl", "golden", "lockstep"], default=None)
    parser.add_argument("--preset", choices=["hopper", "ampere", "blackwell", "ideal"], default=None)
    parser.add_argument("--seed", type=_number_of(0), default=None)
    parser.add_argument("--set", dest="settings", action="append", default=[], metavar="KEY=VALUE")
    parser.add_argument("--with", dest="structure", default=None, metavar="NAME=VALUE,...", help="structure of the SMs (gsu build)")
    _timing_options(parser)


def _timing_options(parser):
    parser.add_argument("--timing", choices=TIMINGS, default=None,
                        help="times of what runs around the unit (tb/exec/timing.md); default: target, hopper or blackwell as the PTX is for, and simple for older ones")
    parser.add_argument("--of", type=_number_of(1), default=None, metavar="N", help="treat the simulated SMs as a sample of N SMs with the same work (with --timing)")
    parser.add_argument("--launch", default=None, metavar="NAME|N[,...]", help="of a list of launches: count only those named (default: all, added up)")


def _build(arguments):
    parser = _Parser(prog="gsu build", description="Builds the model of another structure of the SM into a cache, once; gsu run --with, gsu replay and "
                     "gsu sweep -p with.NAME=... use it. `gsu params --structure` lists what there is, with ranges.")
    what = parser.add_mutually_exclusive_group(required=True)
    what.add_argument("--with", dest="with_", metavar="NAME=VALUE,...", help="for example Ctas=8,Waits=64")
    what.add_argument("--list", action="store_true", help="what is in the cache")
    what.add_argument("--remove", metavar="NAME|STRUCTURE|stale|all", help="stale: models of other builds of gsu")
    parser.add_argument("--name", default=None, help="for gsu run --model NAME")
    parser.add_argument("--full", action="store_true", help="with assertions and waves, which take three times as long")
    parser.add_argument("--source", default=None, metavar="FOLDER", help="checkout of GSU (default: what is installed, or the checkout around)")
    parser.add_argument("-j", "--jobs", type=_number_of(1), default=None)
    parser.add_argument("--json", action="store_true")
    call = parser.parse_args(arguments)
    import json

    from . import models

    if call.with_ is None and (call.name or call.full or call.source or call.jobs):
        raise InputError("--name, --full, --source and --jobs go with --with")
    if call.list:
        found = models.models()
        print(json.dumps({"models": found}) if call.json else models.listing(found), end="\n" if call.json else "")
    elif call.remove is not None:
        count = models.remove(call.remove)
        print(json.dumps({"removed": count}) if call.json else f"{count} {'model' if count == 1 else 'models'} removed")
    else:
        before = models.is_built(models.describe(call.with_), call.full) if models.describe(call.with_)["with"] else False
        file = models.build(call.with_, full=call.full, name=call.name, source=call.source, jobs=call.jobs, tell=lambda text: print(f"gsu: {text}", file=sys.stderr))
        with_ = models.describe(call.with_)["with"]
        print(json.dumps({"with": with_, "file": str(file), "cached": before}) if call.json else
              f"{file}\n{'was there' if before else 'built'}: gsu run --with {with_}" + (f", gsu run --model {call.name}" if call.name else ""))
    return 0


# long: the options of the command, and what each of them sets in the plan
def _sweep(arguments):
    parser = _Parser(prog="gsu sweep", description="Runs kernels over parameters, presets and seeds; every run is cached by content, "
                     "so the same call goes on where it was stopped.")
    parser.add_argument("inputs", nargs="+", metavar="LAUNCH.json|PLAN.yaml", help="launch files, or one plan in YAML, which the options add to")
    parser.add_argument("-p", "--param", action="append", default=[], metavar="KEY=1,2,4|KEY=FROM:TO:STEP|with.NAME=...")
    parser.add_argument("--with", dest="with_", default=None, metavar="NAME=VALUE,...", help="structure of all runs (gsu build); -p with.Waits=16,32,64 sweeps one")
    parser.add_argument("--area", action="store_true", help="columns area_ge, longest_path_fo4, ram_bits and other_memory_bits: an SM of each structure as hardware (scripts/synth)")
    parser.add_argument("--preset", default=None, metavar="NAME[,NAME]")
    parser.add_argument("--seed", default=None, metavar="1,2|FROM:TO")
    parser.add_argument("--set", dest="settings", action="append", default=[], metavar="KEY=VALUE", help="the same in all runs")
    parser.add_argument("--unit", default=None, help="rtl (default), lockstep or golden; golden has no time of its own and ignores most parameters")
    parser.add_argument("--sample", type=_number_of(1), default=None, metavar="N", help="N points of a Latin hypercube, not all combinations")
    parser.add_argument("--sample-seed", type=_number_of(0), default=None)
    parser.add_argument("--max-cycles", type=_number_of(1), default=None)
    parser.add_argument("--timeout", type=float, default=None, metavar="SECONDS", help="stop a run after this time")
    _timing_options(parser)
    parser.add_argument("-j", "--jobs", type=_number_of(1), default=None, help="runs at the same time (default: processors)")
    parser.add_argument("--scheduler", default=None, metavar="ADDRESS", help="run on the workers of this Dask scheduler, for example tcp://host:8786")
    parser.add_argument("--cache", default=None, metavar="FOLDER")
    parser.add_argument("-o", "--output", default="sweep", metavar="FOLDER", help="results.parquet, results.csv, sweep.json (default: sweep)")
    call = parser.parse_args(arguments)
    from . import plan as plans
    from . import sweep
    from .cache import Cache

    yaml = [i for i in call.inputs if i.endswith((".yaml", ".yml"))]
    if len(yaml) > 1 or (yaml and len(call.inputs) > 1):
        raise InputError("one plan in YAML, or launch files")
    plan = plans.from_yaml(yaml[0]) if yaml else plans.Plan(kernels=list(call.inputs))
    for text in call.param:
        key, values = plans.assignment(text, "--param")
        plan.values[key] = plans.values_of(values, f"--param {key}")
    for text in call.settings:
        key, value = plans.assignment(text, "--set")
        plan.settings[key] = plans.number(value, f"--set {key}")
    for text in call.with_.split(",") if call.with_ else []:
        key, value = plans.assignment(text, "--with")
        plan.structure[key] = plans.number(value, f"--with {key}")
    plan.area = plan.area or call.area
    plan.presets = call.preset.split(",") if call.preset else plan.presets
    plan.seeds = plans.values_of(call.seed, "--seed") if call.seed else plan.seeds
    for name in ("unit", "sample", "sample_seed", "max_cycles", "timing", "of", "launch"):
        if getattr(call, name) is not None:
            setattr(plan, name, getattr(call, name))
    runner = sweep.Sweep(plan, cache=Cache(call.cache), jobs=call.jobs, scheduler=call.scheduler, timeout=call.timeout, progress=sweep.Progress())
    outputs.check_folder("--output", call.output)
    table = runner.run()
    summary = sweep.write(call.output, plan, table, runner.complete)
    print(_sweep_text(runner, summary, call.output), end="")
    if not runner.complete:
        print("gsu: interrupted; the same call goes on", file=sys.stderr)
        return 1
    return 1 if summary["errors"] or summary["not_as_expected"] else 0


def _noise(entry):
    return f"  no more than the spread of seeds, {100 * entry['spread']:.1f} %" if entry["noise"] else ""


def _by_kernel(entry):
    """Cycles by kernel, where there are several: kernels differ, and a mean hides the difference."""
    if len(entry["by_kernel"]) < 2:
        return ""
    return "".join(f"\n    {kernel:<22} {100 * effect:>12.1f} %" for kernel, effect in entry["by_kernel"].items())


def _sweep_text(runner, summary, folder):
    lines = [f"{summary['done']} of {summary['runs']} runs: {runner.executed} executed, {runner.cached} from the cache, {summary['errors']} errors, "
             f"{summary['not_as_expected']} not as expected"]
    errors = [r for r in runner.rows if r and r.get("verdict") == "error"]
    lines += [f"  error: {r['kernel']} {r['preset']} seed {r['seed']}: {r['error']}" for r in errors[:3]]
    left_out = summary["done"] - summary["counted"]
    if left_out:
        lines.append(f"  {left_out} runs failed or did not end as their launch files expect: nothing below counts them")
    timings = sorted({r["timing"] for r in runner.rows if r and r.get("timing")})
    if timings:
        lines.append(f"  timing {', '.join(timings)}" + (" (what the PTX is for; --timing NAME says another)" if runner.plan.timing == TARGET else ""))
    lists = dict.fromkeys((r["kernel"], r["launches"]) for r in runner.rows if r and r.get("launches"))
    lines += [f"  {kernel}: counted are the launches {names}" + (" (--launch NAME counts one)" if "," in names else "") for kernel, names in lists]
    known = [e["parameter"] for e in summary["sensitivity"]["cycles"]]
    lines += [f"  {name}: no sensitivity, fewer than two of its values ended as expected" for name in runner.plan.values if name not in known]
    if known:
        lines.append("parameter                  cycles vary by     waits vary by   direction")
        waits = {e["parameter"]: e["effect"] for e in summary["sensitivity"]["blocked_clocks"]}
        lines += [f"  {e['parameter']:<24} {100 * e['effect']:>12.1f} % {100 * waits[e['parameter']]:>15.1f} % {e['rank']:>+11.2f}" + _noise(e) + _by_kernel(e)
                  for e in summary["sensitivity"]["cycles"]]
    for b in summary["best"]:
        if b.get("noise"):
            lines.append(f"no best for {b['kernel']}, {b['preset']}: all points lie within the spread of their seeds, {100 * b['spread']:.1f} %")
            continue
        point = ", ".join(f"{k}={v}" for k, v in b["values"].items()) or "no parameters"
        cycles = f"{b['cycles']:.0f} cycles (mean {b['mean']:.0f})" if "cycles" in b else f"{b['relative']:.3f} of the mean cycles"
        lines.append(f"best for {b['kernel']}, {b['preset']}: {point}: {cycles}")
    lines.append(f"written: {pathlib.Path(folder) / 'results.parquet'}, results.csv, sweep.json (gsu report {folder})")
    return "\n".join(lines) + "\n"


def _options(call):
    return {"unit": call.unit, "preset": call.preset, "seed": call.seed, "settings": call.settings, "structure": call.structure,
            "timing": call.timing or TARGET, "of": call.of, "launch": call.launch}


def _diff(arguments):
    parser = _Parser(prog="gsu diff", description="Where did the cycles go between two runs: by barrier, stage, line and warp.")
    parser.add_argument("a", metavar="A", help="launch file (executed), or what gsu run --json printed")
    parser.add_argument("b", metavar="B", help="the same")
    _run_options(parser)
    parser.add_argument("--set-b", action="append", default=[], metavar="KEY=VALUE", help="parameter of B alone")
    parser.add_argument("--with-b", default=None, metavar="NAME=VALUE,...", help="structure of B alone")
    parser.add_argument("--timing-b", choices=TIMINGS, default=None, help="timing of B alone")
    parser.add_argument("--preset-b", choices=["hopper", "ampere", "blackwell", "ideal"], default=None)
    parser.add_argument("--json", action="store_true")
    call = parser.parse_args(arguments)
    from . import diff

    options = _options(call)
    other = {**options, "settings": [*call.settings, *call.set_b], "preset": call.preset_b or call.preset,
             "structure": call.with_b or call.structure, "timing": call.timing_b or options["timing"]}
    found = diff.difference(diff.load(call.a, **options), diff.load(call.b, **other))
    if call.json:
        import json

        print(json.dumps(found))
    else:
        print(diff.text(found), end="")
    return 0


def _report(arguments):
    parser = _Parser(prog="gsu report", description="One self-contained HTML page of a run or a sweep.")
    parser.add_argument("input", metavar="RUN_OR_SWEEP", help="launch file (executed), what gsu run --json printed, or the folder of gsu sweep")
    parser.add_argument("-o", "--output", default=None, metavar="FILE", help="default: INPUT.html")
    _run_options(parser)
    parser.add_argument("--range", action=argparse.BooleanOptionalAction, default=None,
                        help="every figure of time for timing.window=1, too (default, but with --timing simple)")
    call = parser.parse_args(arguments)
    from . import report

    output = call.output or f"{pathlib.Path(call.input).name.removesuffix('.json')}.html"
    in_order = any(s.replace(" ", "") == "timing.window=1" for s in call.settings)
    timed = call.timing != "simple" and not in_order
    outputs.check_file("--output", output)
    report.make(call.input, output, **_options(call), range=timed if call.range is None else call.range)
    print(f"written: {output}")
    return 0


def _timeline(arguments):
    parser = _Parser(prog="gsu timeline", description="A timeline of gsu run --timeline as Chrome's JSON.")
    parser.add_argument("input", metavar="T.pftrace")
    parser.add_argument("output", metavar="T.json")
    call = parser.parse_args(arguments)
    from . import perfetto

    outputs.check_file("T.json", call.output)
    print(f"written: {call.output}, {perfetto.convert(call.input, call.output)} events")
    return 0


COMMANDS = {"build": _build, "sweep": _sweep, "diff": _diff, "report": _report, "timeline": _timeline}


def main(arguments=None):
    arguments = sys.argv[1:] if arguments is None else arguments
    try:
        if arguments and arguments[0] in COMMANDS:
            return COMMANDS[arguments[0]](arguments[1:])
        program = str(program_path())
        os.execv(program, ["gsu", *arguments])
    except GsuError as error:
        print(f"gsu: {error}" if not isinstance(error, InputError) or not error.file else error, file=sys.stderr)
        return 2
    except KeyboardInterrupt:
        print("gsu: interrupted", file=sys.stderr)
        return 1
    except OSError as error:
        print(f"gsu: {error.filename or 'output'}: {error.strerror or error}", file=sys.stderr)
        return 2


if __name__ == "__main__":
    sys.exit(main())
