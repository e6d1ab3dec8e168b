"""gsu build: models of other structures of the SM (CTA slots, wait slots, ...), in a cache from which run, replay and sweep take them.

A model is stored in CACHE/models/DIGEST/STRUCTURE/model.so. The digest covers the sources and the tools of the model. A program takes only models
with its own digest, so a model in the cache may be unused, but never wrong."""
import contextlib
import fcntl
import json
import os
import pathlib
import re
import shutil
import signal
import subprocess
import sys
import tempfile
import time

from . import processors
from .cache import write_whole
from .errors import GsuError, InputError
from .program import call_json, program_path

FILE = "model.so"
_NAME = re.compile(r"[A-Za-z0-9][\w.-]*")


def describe(with_=""):
    """The program's description of a structure: its normalised text ("with"), digest and tools of its models, the file of this model, the cache, all
    members."""
    return call_json("params", "--structure", *(["--with", with_] if with_ else []))[1]


def text_of(values):
    """{"Waits": 64} as NAME=VALUE,...; a text is returned unchanged."""
    return ",".join(f"{k}={v}" for k, v in values.items()) if hasattr(values, "items") else str(values)


def sources(given=None):
    """The folder with the RTL and the sources of the models: `given`, GSU_SOURCE, the one installed with the program or the package, or the checkout around
    the program or the current folder."""
    program = program_path().resolve()
    package = pathlib.Path(__file__).resolve().parent
    named = given or os.environ.get("GSU_SOURCE")
    if named:
        folders = [pathlib.Path(named)]
    else:
        folders = [package / "src", program.parent.parent / "src", program.parent.parent / "share/gsu/src", *program.parents, *package.parents,
                   pathlib.Path.cwd(), *pathlib.Path.cwd().parents]
    for folder in folders:
        if all((folder / f).is_file() for f in ("CMakeLists.txt", "rtl/gsu.f", "sc_model/verilated/model.cpp")):
            return folder
    if named:
        raise InputError(f"{named}: not the sources of GSU: no rtl/gsu.f, sc_model/verilated/model.cpp", str(named))
    raise GsuError("the sources that a model is built from are not part of this installation: gsu build --source CHECKOUT, or set GSU_SOURCE")


def _tool(name, variable, package):
    found = os.environ.get(variable) or shutil.which(name)
    if not found:
        raise GsuError(f"gsu build needs {name}, which is not installed (Debian: {package})")
    return found


def _call(command, log, what):
    """Runs a step with its output in the log; its process group ends with this one."""
    with open(log, "ab") as output:
        process = subprocess.Popen(list(map(str, command)), stdout=output, stderr=subprocess.STDOUT, stdin=subprocess.DEVNULL, start_new_session=True)
        try:
            code = process.wait()
        except BaseException:
            with contextlib.suppress(ProcessLookupError):
                os.killpg(process.pid, signal.SIGTERM)
            process.wait()
            raise
    if code == 0:
        return
    text = pathlib.Path(log).read_text(encoding="utf-8", errors="replace")
    if "No space left on device" in text:
        raise GsuError(f"{what}: no space left on the device of {pathlib.Path(log).parent.parent}; nothing was added to the cache")
    lines = [line for line in text.splitlines() if re.search(r"error|%Error|CMake Error|not found", line, re.I)] or text.splitlines()[-1:]
    raise GsuError(f"{what} failed (code {code}): {' | '.join(line.strip() for line in lines[:3])}")


@contextlib.contextmanager
def _locked(path, tell):
    """Locks a model: one process at a time builds it, others wait."""
    with open(path, "w", encoding="utf-8") as file:
        try:
            fcntl.flock(file, fcntl.LOCK_EX | fcntl.LOCK_NB)
        except BlockingIOError:
            tell("another gsu build makes this model: waiting for it")
            fcntl.flock(file, fcntl.LOCK_EX)
        yield


@contextlib.contextmanager
def _terminable():
    """Turns a termination signal into an interrupt, so that unfinished files are removed."""
    def stop(*_):
        raise KeyboardInterrupt
    try:
        before = signal.signal(signal.SIGTERM, stop)
    except ValueError:  # this is not the main thread
        before = None
    try:
        yield
    finally:
        if before is not None:
            signal.signal(signal.SIGTERM, before)


def _sweep_old(folder):
    """Removes leftovers of builds that were killed."""
    for old in folder.glob("build-*"):
        with contextlib.suppress(ValueError, PermissionError, IndexError):
            pid = int(old.name.split("-")[1])
            try:
                os.kill(pid, 0)
            except ProcessLookupError:
                shutil.rmtree(old, ignore_errors=True)


def meta_of(file):
    try:
        return json.loads((file.parent / "model.json").read_text(encoding="utf-8"))
    except (OSError, ValueError):
        return {}


def is_built(info, full=False):
    file = pathlib.Path(info["file"])
    return file.is_file() and (not full or meta_of(file).get("full", False))


def build(with_, *, full=False, name=None, source=None, jobs=None, tell=lambda text: None):
    """Builds the model of a structure unless the cache has it, and returns its file. full: with assertions and waves, which takes three times as long."""
    if name is not None and not _NAME.fullmatch(name):
        raise InputError(f"--name '{name}': letters, digits, _ . - and no folder")
    info = describe(text_of(with_))
    if not info["with"]:
        raise InputError(f"--with '{text_of(with_)}' is the structure that is built in")
    cache, file = pathlib.Path(info["cache"]), pathlib.Path(info["file"])
    try:
        file.parent.parent.mkdir(parents=True, exist_ok=True)
        with _terminable(), _locked(file.parent.parent / f".{info['with']}.lock", tell):
            if not is_built(info, full):
                _make(info, file, full, sources(source), processors.jobs_for(jobs), tell)
        if name is not None:
            write_whole(cache / "names" / name, f"{info['with']}\n".encode())
    except OSError as error:
        raise GsuError(f"{error.filename or cache}: {error.strerror or error}; nothing was added to the cache") from error
    return file


def _make(info, file, full, source, jobs, tell):
    cmake = _tool("cmake", "GSU_CMAKE", "cmake")
    work = pathlib.Path(info["cache"]) / "work"
    work.mkdir(parents=True, exist_ok=True)
    _sweep_old(work)
    started = time.monotonic()
    folder = pathlib.Path(tempfile.mkdtemp(prefix=f"build-{os.getpid()}-", dir=work))
    try:
        log = folder / "log"
        configure = [cmake, "-S", source, "-B", folder / "b", "-DCMAKE_BUILD_TYPE=Release", f"-DGSU_WITH={info['with']}", f"-DGSU_FULL={'ON' if full else 'OFF'}"]
        if shutil.which("ninja"):
            configure += ["-G", "Ninja"]
        if shutil.which("ccache"):
            configure += ["-DCMAKE_CXX_COMPILER_LAUNCHER=ccache"]
        if os.environ.get("GSU_VERILATOR"):
            configure += [f"-DGSU_VERILATOR={os.environ['GSU_VERILATOR']}"]
        tell(f"Verilator translates the RTL with {info['with']}")
        _call(configure, log, "cmake")
        _call([cmake, "--build", folder / "b", "--target", "gsu_model_header"], log, "cmake --build")
        _require_same(info, folder / "b/model/model_digest.hpp", source)
        tell(f"compiling the model{' with assertions and waves' if full else ''}")
        _call([cmake, "--build", folder / "b", "--target", "gsu_model", "-j", jobs], log, "cmake --build")
        built = folder / "b" / FILE
        if not built.is_file():
            raise GsuError(f"cmake --build made no {FILE}")
        file.parent.mkdir(parents=True, exist_ok=True)
        write_whole(file.parent / "model.json", json.dumps({"with": info["with"], "full": full, "digest": info["digest"], "tools": info["tools"],
                                                            "seconds": round(time.monotonic() - started, 1)}).encode())
        os.replace(built, file)
    except BaseException:
        if not file.is_file():
            shutil.rmtree(file.parent, ignore_errors=True)
        raise
    finally:
        shutil.rmtree(folder, ignore_errors=True)


def _require_same(info, header, source):
    """Checks before minutes are spent: the program would refuse a model of other sources or tools."""
    text = header.read_text(encoding="utf-8") if header.is_file() else ""
    found = dict(re.findall(r'#define GSU_MODEL_(\w+) "(.*)"', text))
    if found.get("DIGEST") == info["digest"]:
        return
    if found.get("TOOLS") != info["tools"]:
        raise GsuError(f"this gsu was built with {info['tools']}; here are {found.get('TOOLS', 'other tools')}: set CXX and GSU_VERILATOR to the former")
    raise GsuError(f"the sources in {source} are not those that this gsu was built from: build gsu from them first, or name its own with --source")


def models():
    """The models in the cache: a list of dictionaries."""
    info = describe()
    cache = pathlib.Path(info["cache"])
    names = {}
    for file in sorted((cache / "names").glob("*")) if (cache / "names").is_dir() else []:
        names.setdefault(file.read_text(encoding="utf-8").strip(), []).append(file.name)
    found = []
    for file in sorted((cache / "models").glob(f"*/*/{FILE}")):
        meta = meta_of(file)
        found.append({"with": file.parent.name, "names": names.get(file.parent.name, []), "full": meta.get("full", False), "bytes": file.stat().st_size,
                      "usable": file.parent.parent.name == info["digest"], "seconds": meta.get("seconds"), "file": str(file)})
    return found


def remove(what):
    """Removes models: by structure or name, "stale" (those of other builds of gsu) or "all". Returns the number of models."""
    info = describe()
    cache = pathlib.Path(info["cache"])
    every = models()
    if what == "all":
        chosen = every
    elif what == "stale":
        chosen = [m for m in every if not m["usable"]]
    else:
        text = what if "=" not in what else describe(what)["with"]
        chosen = [m for m in every if text == m["with"] or text in m["names"]]
        if not chosen:
            raise InputError(f"no model '{what}' in {cache} (gsu build --list)")
    for model in chosen:
        folder = pathlib.Path(model["file"]).parent
        shutil.rmtree(folder, ignore_errors=True)
        with contextlib.suppress(OSError):
            (folder.parent / f".{folder.name}.lock").unlink()
            folder.parent.rmdir()
    left = {m["with"] for m in models()}
    for file in (cache / "names").glob("*") if (cache / "names").is_dir() else []:
        if file.read_text(encoding="utf-8").strip() not in left:
            file.unlink()
    return len(chosen)


def listing(found):
    if not found:
        return "no models (gsu build --with NAME=VALUE,...; gsu params --structure lists what there is)\n"
    lines = []
    for m in found:
        notes = [f"name {n}" for n in m["names"]] + (["assertions and waves"] if m["full"] else []) + ([] if m["usable"] else ["of another build of gsu"])
        lines.append(f"{m['with']:<32} {m['bytes'] / 1e6:6.1f} MB  {', '.join(notes) or '-'}\n  {m['file']}\n")
    return "".join(lines)


def ensure(structures, tell=lambda text: print(f"gsu: {text}", file=sys.stderr)):
    """Builds the missing models of several structures. The program's own structure, under whatever name, is built in."""
    for with_ in structures:
        info = describe(with_)
        if info["with"] and not is_built(info):
            tell(f"building the model of {with_} (once)")
            build(with_, tell=tell)
