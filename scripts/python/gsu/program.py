"""The program gsu of the package, in a separate process: a failure there does not reach the interpreter."""
import json
import os
import pathlib
import shutil
import subprocess
import threading

from .errors import GsuError, InputError, InternalError

TARGET = "target"  # the timing for which the kernel's PTX is: hopper or blackwell; simple for older targets
TIMINGS = ("simple", "hopper", "blackwell", TARGET)


def program_path():
    """GSU_PROGRAM, otherwise the program of the package, otherwise that of the PATH."""
    own = pathlib.Path(__file__).parent / "bin" / "gsu"
    named = os.environ.get("GSU_PROGRAM")
    if named:
        return pathlib.Path(named)
    if own.is_file():
        return own
    found = shutil.which("gsu-program")
    if found:
        return pathlib.Path(found)
    raise GsuError("the program gsu is not part of this installation: pip install . in the checkout, or set GSU_PROGRAM")


def text_of(complaint):
    """The one line that the program would print."""
    place = complaint.get("file", "")
    for key in ("line", "column"):
        if key in complaint:
            place += f":{complaint[key]}"
    return f"{place}: {complaint['message']}" if place else complaint["message"]


_running = set()
_lock = threading.Lock()


def _communicate(call, timeout, cwd):
    try:
        process = subprocess.Popen(call, stdout=subprocess.PIPE, stderr=subprocess.PIPE, stdin=subprocess.DEVNULL, cwd=cwd, text=True,
                                   encoding="utf-8", errors="replace")
    except OSError as error:
        raise GsuError(f"{call[0]}: {error.strerror}") from error
    with _lock:
        _running.add(process)
    try:
        out, err = process.communicate(timeout=timeout)
    except BaseException:
        process.kill()
        process.communicate()
        raise
    finally:
        with _lock:
            _running.discard(process)
    return process.returncode, out, err


def call_json(*arguments, timeout=None, cwd=None):
    """Runs the program with --json: (exit code, object). Raises for unusable input and for a program that crashed. The exit codes 0, 1 and 3 come with an
    object, which says what happened."""
    call = [str(program_path()), *map(str, arguments), "--json"]
    code, out, err = _communicate(call, timeout, cwd)
    last = err.strip().splitlines()[-1] if err.strip() else ""
    if code < 0:
        raise InternalError(f"gsu {arguments[0]} was ended by signal {-code}. {last}".strip())
    try:
        result = json.loads(out)
    except ValueError as error:
        raise InternalError(last or f"gsu {arguments[0]} ended with code {code} and no result") from error
    if "error" in result:
        complaint = result["error"]
        if code == 2:
            raise InputError(text_of(complaint), complaint.get("file"), complaint.get("line"), complaint.get("column"))
        raise InternalError(text_of(complaint))
    return code, result
