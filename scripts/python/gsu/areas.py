"""Area and time of an SM as hardware at the structures of a sweep, as scripts/synth of the checkout measures them (rtl/doc/area.md)."""
import json
import pathlib
import subprocess
import sys

from . import models
from .errors import GsuError

COLUMNS = {"ge": "area_ge", "fo4": "longest_path_fo4", "ram": "ram_bits", "other": "other_memory_bits"}  # names of scripts/synth: columns of a sweep's table


def of_structure(with_, source=None):
    """{column: value} of one structure, NAME=VALUE,... or "" for the built-in one. The values come from the table of the checkout if it has the structure.
    Otherwise the units that differ are synthesised (seconds to minutes each) and kept in the cache."""
    info = models.describe(with_)
    script = pathlib.Path(source or models.sources()) / "scripts/synth"
    if not script.is_file():
        raise GsuError(f"{script.parent.parent}: no scripts/synth: area and time need a checkout of GSU (GSU_SOURCE)")
    pathlib.Path(info["cache"]).mkdir(parents=True, exist_ok=True)
    command = [sys.executable, script, "--structure", info["with"], "--parts", pathlib.Path(info["cache"]) / "area_parts.tsv"]
    done = subprocess.run(list(map(str, command)), capture_output=True, text=True, stdin=subprocess.DEVNULL)
    if done.returncode:
        raise GsuError((done.stderr.strip().splitlines() or [f"{script}: code {done.returncode}"])[-1])
    row = json.loads(done.stdout)
    return {column: row[name] for name, column in COLUMNS.items()}
