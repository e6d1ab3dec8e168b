"""`gsu sweep` called as the program: it hands over to the package, or says in one line how to install it."""
import os
import subprocess
import sys

from gsu.program import program_path


def call(*arguments, **environment):
    return subprocess.run([str(program_path()), *arguments], capture_output=True, text=True, env={**os.environ, **environment}, timeout=60)


def test_program_hands_over():
    done = call("sweep", "nix.launch.json", GSU_PYTHON=sys.executable)
    assert (done.returncode, done.stderr) == (2, "nix.launch.json: no such file\n")
    for command in ("build", "sweep", "diff", "report", "timeline"):
        done = call(command, "--help", GSU_PYTHON=sys.executable)
        assert done.returncode == 0 and done.stdout.startswith(f"usage: gsu {command}")


def test_without_the_package_it_says_how_to_install_it():
    for python in ("/usr/bin/python3", "/no/such/python"):
        done = call("report", "x", GSU_PYTHON=python, PYTHONPATH="")
        assert done.returncode == 2 and done.stderr.count("\n") == 1
        assert "is a command of the Python package" in done.stderr and "pip install ." in done.stderr
        assert done.stderr.endswith("python for the one of this build\n") and ", or PYTHONPATH=" in done.stderr


def test_what_neither_has_is_refused_once():
    done = call("elaborate")
    assert done.returncode == 2 and "Traceback" not in done.stderr
    done = subprocess.run([sys.executable, "-m", "gsu", "elaborate"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
