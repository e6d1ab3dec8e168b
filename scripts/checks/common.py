"""Shared parts of the checks: the list of checks, the files of the repository, commands."""
import concurrent.futures
import functools
import os
import pathlib
import shutil
import subprocess

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
VENV = pathlib.Path(os.environ.get("GSU_VENV", ROOT / ".venv")) / "bin"
JOBS = os.cpu_count() or 2
CHECKS = {}


def check(fast):
    def register(function):
        CHECKS[function.__name__] = (function, fast)
        return function
    return register


@functools.cache
def committed():
    names = subprocess.run(["git", "ls-files"], cwd=ROOT, capture_output=True, text=True, check=True).stdout.split("\n")
    return sorted(ROOT / n for n in names if n and (ROOT / n).exists())


def tracked(*suffixes):
    return [path for path in committed() if path.name.endswith(suffixes)]


def rel(path):
    return str(path.relative_to(ROOT))


def run(command, **options):
    try:
        done = subprocess.run([str(c) for c in command], cwd=ROOT, capture_output=True, text=True, **options)
    except FileNotFoundError as missing:
        return 127, f"{missing.filename} is missing: scripts/test installs it and makes .venv"
    return done.returncode, done.stdout + done.stderr


def tool(name):
    """A program of the virtual environment, otherwise of the machine; None if neither has it."""
    return VENV / name if (VENV / name).exists() else shutil.which(name)


def rtl_sources():
    return [ROOT / line for line in (ROOT / "rtl/gsu.f").read_text().split("\n") if line.endswith(".sv")]


def modules():
    return [p for p in rtl_sources() if not p.stem.endswith("_pkg")]


def parallel(function, items):
    with concurrent.futures.ThreadPoolExecutor(JOBS) as pool:
        return [line for lines in pool.map(function, items) for line in lines]
