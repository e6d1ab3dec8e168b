"""run, replay, check, decode, parameters: the commands of the program, with results as objects and Arrow tables."""
import dataclasses
import os
import tempfile

import pyarrow as pa

from . import launches, models, tables
from .program import call_json


@dataclasses.dataclass(frozen=True)
class Result:
    """Result of a command. `json` is the object that the program prints with --json; everything else is taken from it."""

    json: dict
    exit_code: int

    @property
    def verdict(self):
        return self.json["verdict"]

    @property
    def as_expected(self):
        """Whether the verdict is the one that the launch file expects."""
        return self.exit_code == 0

    @property
    def cycles(self):
        return self.json.get("cycles")

    @property
    def hang(self):
        """The hang in words; None if there was none."""
        return self.json["hang"]["explanation"] if "hang" in self.json else None

    @property
    def barriers(self):
        return tables.table(self.json.get("barriers", []), tables.BARRIERS)

    @property
    def mbarriers(self):
        return tables.table(self.json.get("mbarriers", []), tables.MBARRIERS)

    @property
    def stages(self):
        return tables.stages(self.json)

    @property
    def findings(self):
        return tables.table(self.json.get("findings", []), tables.FINDINGS)

    @property
    def races(self):
        """Races of a run or replay with check="race": both lines, the memory, the missing link."""
        found = self.json["races"] if "races" in self.json else self.json.get("findings", [])
        return tables.races(found)

    @property
    def cause(self):
        """Why the run hangs, as a dictionary: kind, line, culprits, object, sentence, cycle, others. None if it does not hang."""
        return self.json.get("hang", {}).get("cause")

    @property
    def waiting(self):
        """The waits of a hang: which warps wait for what."""
        return tables.waiting(self.json)

    @property
    def blocked_clocks(self):
        """Clocks that lanes spent in waits, over all warps and barriers."""
        return sum(b["blocked_clocks"] for b in self.json.get("barriers", []))

    def __repr__(self):
        cycles = f", {self.cycles} cycles" if self.cycles is not None else ""
        return f"<{type(self).__name__} {self.verdict}{cycles}>"


@dataclasses.dataclass(frozen=True, repr=False)
class Run(Result):
    """A run with a timeline has three more tables: `slices` (each synchronization instruction of a lane group, with the clocks it
    waited), `phases` (generations and phases of barriers), `changes` (arrivals and bytes at mbarriers)."""

    slices: object = None
    phases: object = None
    changes: object = None


def options_of(*, unit=None, preset=None, settings=None, seed=None, max_cycles=None, threads=None, structure=None, model=None, timing=None, of=None, chip=None, range=None):
    """The options that run and replay share (replay has no timing and no chip), as the program takes them. `settings`: {"bar_interval": 4} or
    ["bar_interval=4"]. `structure`: {"Waits": 64} or
    "Waits=64", for a model that gsu.build() has made; `model`: its name, or a file."""
    out = []
    for name, value in (("--unit", unit), ("--preset", preset), ("--seed", seed), ("--max-cycles", max_cycles), ("--threads", threads),
                        ("--timing", timing), ("--of", of), ("--chip", chip)):
        if value is not None:
            out += [name, value]
    if range:
        out.append("--range")
    if structure:
        out += ["--with", models.text_of(structure)]
    if model:
        out += ["--model", model]
    pairs = [f"{key}={value}" for key, value in settings.items()] if hasattr(settings, "items") else list(settings or [])
    for pair in pairs:
        out += ["--set", pair]
    return out


def run(path, *, unit=None, preset=None, settings=None, seed=None, max_cycles=None, threads=None, structure=None, model=None, timing=None, of=None, chip=None, range=None, launch=None, timeline=False, record=None,
        record_accesses=False, check=None, ignore=(), fst=None, entry=None, grid=None, block=None, cluster=None, sms=None, smem=None, args=(), extra=(), timeout=None):
    """Executes a launch file, or a PTX file with entry, grid, block, args and so on (`gsu run`): a Run.

    timing: "simple", "hopper" or "blackwell", of: the number of SMs of which these are a part, range: every figure of time also for timing.window=1
    (tb/exec/timing.md). chip: "h100", "h200" or "b200", all of its SMs. launch: in a list of launches, the one with this entry or number, or several with
    commas; None: all together, json["summed"] names them. record, fst: output files. check: "race" looks for races, record_accesses: the trace holds what
    replay(check="race") needs. ignore: findings to leave out, "RULE" or "RULE@LINE". timeline: True fills the tables slices, phases and changes. extra: more
    options of the program.
    Raises InputError for what cannot be used, InternalError if RTL and model differ; a wrong result or a hang is no exception: see verdict."""
    call = options_of(unit=unit, preset=preset, settings=settings, seed=seed, max_cycles=max_cycles, threads=threads, structure=structure, model=model,
                      timing=timing, of=of, chip=chip, range=range)
    shape = lambda value: ",".join(map(str, value)) if isinstance(value, (tuple, list)) else value
    for name, value in (("--record", record), ("--fst", fst), ("--entry", entry), ("--grid", shape(grid)), ("--block", shape(block)),
                        ("--cluster", shape(cluster)), ("--sms", sms), ("--smem", smem), ("--check", check)):
        if value is not None:
            call += [name, value]
    if record_accesses:
        call.append("--record-accesses")
    for value in ignore:
        call += ["--ignore", value]
    for value in args:
        call += ["--arg", value]
    if not timeline:
        code, result = call_json("run", path, *call, *extra, timeout=timeout)
        return _checked(Run(launches.select(result, launch, path), code))
    with tempfile.TemporaryDirectory(prefix="gsu-") as folder:
        file = os.path.join(folder, "t.pftrace")
        code, result = call_json("run", path, *call, *extra, "--timeline", file, timeout=timeout)
        result = launches.select(result, launch, path)
        # Each launch of a list has its own file.
        files = [os.path.join(folder, f"t.{i}.pftrace") for i in result["picked"]] if "picked" in result else [file]
        parts = [tables.timeline(f) for f in files if os.path.exists(f)]
        return _checked(Run(result, code, *(pa.concat_tables(t) for t in zip(*parts))))


def _checked(result):
    if result.exit_code == 3:
        from .errors import InternalError

        raise InternalError(result.json.get("fault", {}).get("message", "RTL and golden model differ"))
    return result


def replay(path, *, unit=None, preset=None, settings=None, max_cycles=None, structure=None, model=None, check=None, timeout=None):
    """Replays recorded requests (`gsu replay`) on the structure on which they were recorded: a Result; exit code 0 if everything is as recorded. check="race"
    finds races in a trace that was recorded with accesses."""
    call = options_of(unit=unit, preset=preset, settings=settings, max_cycles=max_cycles, structure=structure, model=model)
    if check is not None:
        call += ["--check", check]
    code, result = call_json("replay", path, *call, timeout=timeout)
    return _checked(Result(result, code))


def check(path, *, dialect="text"):
    """Judges a PTX module (`gsu check`): a Result whose verdict is "accept" or "reject"; json["diagnostics"] says why."""
    code, result = call_json("check", path, "--dialect", dialect)
    return Result(result, code)


def decode(*words, profile="sm_90"):
    """Explains 64-bit mbarrier words (`gsu decode`): the object that the program prints."""
    return call_json("decode", *(hex(word) if isinstance(word, int) else word for word in words), "--profile", profile)[1]


def parameters(preset="hopper", timing=None):
    """The parameters that `settings` takes, with value, unit and range (`gsu params`): a list of dictionaries. With a `timing`, also those of its servers."""
    result = call_json("params", "--preset", preset, *(["--timing", timing] if timing else []))[1]
    return result["parameters"]
