"""The plan of a sweep: kernels, presets, seeds, values of parameters, and the runs that follow from them."""
import dataclasses
import difflib
import itertools
import pathlib
import random
import re

from . import models
from .commands import parameters
from .errors import InputError, need
from .program import TARGET, TIMINGS

LIMIT = 1_000_000  # limit of the runs of one sweep
WITH = "with."  # prefix of a name that is a member of the structure, not a parameter


@dataclasses.dataclass
class Plan:
    kernels: list
    values: dict = dataclasses.field(default_factory=dict)  # parameter: list of values
    presets: list = dataclasses.field(default_factory=lambda: ["hopper"])
    seeds: list = dataclasses.field(default_factory=lambda: [1])
    settings: dict = dataclasses.field(default_factory=dict)  # the same in all runs
    structure: dict = dataclasses.field(default_factory=dict)  # the same in all runs: {"Waits": 64}
    unit: str = "rtl"
    sample: int = 0  # runs for each kernel, preset and seed; 0: all combinations
    sample_seed: int = 1
    max_cycles: int = None
    timing: str = TARGET  # of all runs; TARGET: the launch file's timing comes first
    of: int = None
    launch: str = None  # the launches of lists that count
    area: bool = False  # columns with area and time of an SM at each structure

    def combinations(self):
        """Values of the parameters, one dictionary for each point."""
        names = list(self.values)
        if not self.sample:
            return [dict(zip(names, point)) for point in itertools.product(*(self.values[n] for n in names))]
        return latin_hypercube(self.values, self.sample, self.sample_seed)

    def structure_of(self, values):
        """NAME=VALUE,... of a point: the common members, and those of the point."""
        return models.text_of({**self.structure, **{k.removeprefix(WITH): v for k, v in values.items() if k.startswith(WITH)}})

    def structures(self):
        return list(dict.fromkeys(self.structure_of(values) for values in self.combinations()))

    def runs(self):
        """(kernel, preset, seed, values) of each run."""
        return list(itertools.product(self.kernels, self.presets, self.seeds, self.combinations()))

    def check(self):
        """Raises InputError for a plan that cannot be run, before any run."""
        if not self.kernels:
            raise InputError("no kernel: name a launch file")
        for kernel in self.kernels:
            if not pathlib.Path(kernel).is_file():
                raise InputError(f"{kernel}: no such file", str(kernel))
        if self.unit not in ("rtl", "golden", "lockstep"):
            raise InputError(f"unit '{self.unit}' is not rtl, golden or lockstep")
        if self.timing not in TIMINGS:
            raise InputError(f"timing '{self.timing}' is not {', '.join(TIMINGS[:-1])} or {TIMINGS[-1]}")
        for preset in self.presets:
            if preset not in ("hopper", "ampere", "blackwell", "ideal"):
                raise InputError(f"preset '{preset}' is not hopper, ampere, blackwell or ideal")
        self._check_structure()
        # The program determines which timing TARGET is, and refuses parameters that this timing does not use.
        known = {p["key"]: p for t in (("simple", "hopper") if self.timing == TARGET else (self.timing,)) for p in parameters(timing=t)}
        waits = self.values.get(WITH + "Waits") or [self.structure.get("Waits", 0)]
        known["trywait_slots"]["max"] = max(known["trywait_slots"]["max"], *waits)  # the program knows whether one structure has them
        for key, values in {**self.values, **{k: [v] for k, v in self.settings.items()}}.items():
            if key.startswith(WITH):
                continue
            if key not in known:
                near = difflib.get_close_matches(key, known, 1)
                raise InputError(f"no parameter '{key}'" + (f"; is it {near[0]}?" if near else "") + " (gsu params)")
            if not values:
                raise InputError(f"parameter {key}: no values")
            if key in self.values and key in self.settings:
                raise InputError(f"parameter {key} is swept and set")
            low, high = known[key].get("min"), known[key].get("max")
            for value in values:
                if low is not None and not low <= value <= high:
                    raise InputError(f"{key}={value}: the range is {low} to {high}")
        count = len(self.kernels) * len(self.presets) * len(self.seeds)
        points = self.sample
        if not points:
            points = 1
            for values in self.values.values():
                points *= len(values)
        if count * points > LIMIT:
            raise InputError(f"{count * points} runs: at most {LIMIT}; sample them (--sample N)")


    def _check_structure(self):
        axes = {k.removeprefix(WITH): v for k, v in self.values.items() if k.startswith(WITH)}
        if not axes and not self.structure:
            return
        if any(key.startswith(WITH) for key in self.settings):
            raise InputError("the structure that is the same in all runs is given by --with NAME=VALUE, not by --set")
        for key in set(axes) & set(self.structure):
            raise InputError(f"{key} is swept and given by --with")
        for key, values in {**axes, **{k: [v] for k, v in self.structure.items()}}.items():
            if not values:
                raise InputError(f"{WITH}{key}: no values")
            for value in values:
                models.describe(f"{key}={value}")  # the program reports an unknown name, a value out of range or one that is no power of two


def latin_hypercube(values, count, seed):
    """`count` points in which each parameter takes its values as evenly as possible: each parameter is cut into `count` strata, and each stratum is used
    once."""
    rng = random.Random(seed)
    columns = {}
    for name, choices in values.items():
        strata = [(i + rng.random()) / count for i in range(count)]
        rng.shuffle(strata)
        columns[name] = [choices[int(s * len(choices))] for s in strata]
    return [{name: column[i] for name, column in columns.items()} for i in range(count)]


def number(text, what):
    try:
        return int(str(text), 0)
    except ValueError:
        raise InputError(f"{what}: '{text}' is not a whole number") from None


def values_of(text, what):
    """The numbers of 1,2,4 or FROM:TO or FROM:TO:STEP, or of several of these with commas: a list, each number once."""
    out = []
    for part in str(text).split(","):
        bounds = part.split(":")
        if len(bounds) > 3 or not all(bounds):
            raise InputError(f"{what}: '{part}' is not a number, FROM:TO or FROM:TO:STEP")
        first, last, step = ([number(b, what) for b in bounds] + [None, None])[:3]
        if last is None:
            out.append(first)
            continue
        step = 1 if step is None else step
        if step < 1 or last < first:
            raise InputError(f"{what}: '{part}' is empty")
        if (last - first) // step > LIMIT:
            raise InputError(f"{what}: '{part}' has too many values")
        out += range(first, last + 1, step)
    return list(dict.fromkeys(out))


def assignment(text, what):
    match = re.fullmatch(r"([\w.]+)=(.+)", text)
    if not match:
        raise InputError(f"{what} '{text}' is not KEY=VALUES")
    return match.groups()


_KEYS = {"kernels", "parameters", "presets", "seeds", "settings", "unit", "sample", "sample_seed", "max_cycles", "with", "timing", "of", "launch", "area"}


def _loader(yaml):
    """A YAML loader whose whole numbers are those of YAML 1.2: 1:3 is a text (the documents' range) and 010 is 10. PyYAML reads YAML 1.1, in which 1:3 is 63
    in base sixty and 010 is 8."""
    class Loader(yaml.SafeLoader):
        yaml_implicit_resolvers = {first: [(tag, pattern) for tag, pattern in known if tag != "tag:yaml.org,2002:int"]
                                   for first, known in yaml.SafeLoader.yaml_implicit_resolvers.items()}
    Loader.add_implicit_resolver("tag:yaml.org,2002:int", re.compile(r"(?:[-+]?[0-9]+|0o[0-7]+|0x[0-9a-fA-F]+)$", re.ASCII), list("-+0123456789"))
    Loader.add_constructor("tag:yaml.org,2002:int", lambda loader, node: int(node.value, 0 if node.value[:2] in ("0o", "0x") else 10))
    return Loader


def from_yaml(path):
    """A plan from a YAML file; paths of kernels are relative to that file."""
    yaml = need("yaml", "sweep")
    try:
        spec = yaml.load(pathlib.Path(path).read_text(encoding="utf-8"), _loader(yaml))
    except OSError as error:
        raise InputError(f"{path}: {(error.strerror or 'cannot be read').lower()}", str(path)) from error
    except (yaml.YAMLError, UnicodeDecodeError) as error:
        mark = getattr(error, "problem_mark", None)
        line = mark.line + 1 if mark else None
        raise InputError(f"{path}{f':{line}' if line else ''}: {getattr(error, 'problem', None) or 'not YAML'}", str(path), line) from error
    if not isinstance(spec, dict):
        raise InputError(f"{path}: not a mapping of {', '.join(sorted(_KEYS))}", str(path))
    for key in spec:
        if key not in _KEYS:
            raise InputError(f"{path}: no key '{key}': {', '.join(sorted(_KEYS))}", str(path))
    try:
        return _plan(spec, pathlib.Path(path).parent)
    except InputError as error:
        raise InputError(f"{path}: {error}", str(path)) from error


def _many(value, what):
    """A list, one value, or a text that values_of() takes."""
    if isinstance(value, dict):
        if set(value) - {"from", "to", "step"} or not {"from", "to"} <= set(value):
            raise InputError(f"{what}: a range has from, to and step")
        return values_of(f"{value['from']}:{value['to']}:{value.get('step', 1)}", what)
    if isinstance(value, list):
        return list(dict.fromkeys(n for v in value for n in values_of(v, what)))
    return values_of(value, what)


def _plan(spec, folder):
    mapping = lambda key: spec.get(key) or {}
    listed = lambda key, default: [spec[key]] if isinstance(spec.get(key), str) else list(spec.get(key) or default)
    for key in ("parameters", "settings", "with"):
        if not isinstance(mapping(key), dict):
            raise InputError(f"{key}: a mapping of names to values")
    return Plan(kernels=[str(folder / k) for k in listed("kernels", [])],
                values={k: _many(v, k) for k, v in mapping("parameters").items()},
                presets=listed("presets", ["hopper"]),
                seeds=_many(spec.get("seeds", 1), "seeds"),
                settings={k: number(v, k) for k, v in mapping("settings").items()},
                structure={k: number(v, k) for k, v in mapping("with").items()},
                unit=str(spec.get("unit", "rtl")),
                sample=number(spec.get("sample") or 0, "sample"),
                sample_seed=number(spec.get("sample_seed", 1), "sample_seed"),
                max_cycles=None if spec.get("max_cycles") is None else number(spec["max_cycles"], "max_cycles"),
                timing=str(spec.get("timing") or TARGET),
                of=None if spec.get("of") is None else number(spec["of"], "of"),
                launch=None if spec.get("launch") is None else str(spec["launch"]),
                area=bool(spec.get("area", False)))
