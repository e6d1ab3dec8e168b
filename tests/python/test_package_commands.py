"""`gsu sweep` called as the program: it hands over to the package, or says in one line how to install it."""
import os
import subprocess
import sys

from conftest import TESTS
from gsu.program import program_path

KERNEL = TESTS / "kernels/cluster_pipeline/cluster_pipeline.launch.json"


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


def test_outputs_are_refused_before_anything_runs(tmp_path):
    """An output file whose folder does not exist, an output folder in the place of a file: one line with the option, and the input is not even read."""
    def refused(*arguments):
        done = subprocess.run([sys.executable, "-m", "gsu", *map(str, arguments)], capture_output=True, text=True, timeout=60)
        assert done.returncode == 2 and done.stdout == "", done
        return done.stderr
    missing = tmp_path / "no/such"
    there_is_none = f"'{missing}/x' cannot be written: there is no folder '{missing}'\n"
    assert refused("report", "nix.launch.json", "-o", missing / "x") == f"gsu: --output: {there_is_none}"
    assert refused("timeline", "nix.pftrace", missing / "x") == f"gsu: T.json: {there_is_none}"
    assert refused("timeline", "nix.pftrace", tmp_path) == f"gsu: T.json: '{tmp_path}' cannot be written: it exists and is not a regular file\n"
    file = tmp_path / "file"
    file.write_text("kept")
    for to in (file, file / "x"):
        said = refused("sweep", KERNEL, "-p", "net_bytes=4", "-o", to)
        assert said == f"gsu: --output: '{to}' is not a folder, and cannot be made one: '{file}' is no folder\n"
    assert file.read_text() == "kept" and list(tmp_path.iterdir()) == [file]


def test_wrong_calls_are_one_line():
    for arguments, says in ((("sweep", "x", "--foo"), "unrecognized arguments: --foo (see gsu sweep --help)"),
                            (("diff", "a"), "the following arguments are required: B (see gsu diff --help)"),
                            (("report", "a", "--timing", "fast"), "argument --timing: invalid choice: 'fast'")):
        done = subprocess.run([sys.executable, "-m", "gsu", *arguments], capture_output=True, text=True, timeout=60)
        assert done.returncode == 2 and done.stderr.startswith(f"gsu: {says}") and done.stderr.count("\n") == 1


def test_what_neither_has_is_refused_once():
    done = call("elaborate")
    assert done.returncode == 2 and "Traceback" not in done.stderr
    done = subprocess.run([sys.executable, "-m", "gsu", "elaborate"], capture_output=True, text=True, timeout=60)
    assert done.returncode == 2
