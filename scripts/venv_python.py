"""For scripts that import packages of .venv: `import venv_python; venv_python.need("pyslang")` before those imports."""
import importlib.util
import os
import sys
from pathlib import Path

VENV = Path(os.environ.get("GSU_VENV", Path(__file__).resolve().parent.parent / ".venv"))


def need(package):
    """Restarts the script with the Python of .venv ($GSU_VENV) if this one lacks the package. --help is answered without it."""
    if importlib.util.find_spec(package):
        return
    python, script = VENV / "bin/python", sys.modules["__main__"]
    if python.exists() and Path(sys.executable) != python:
        os.execv(python, [str(python), *sys.argv])
    if {"-h", "--help"} & set(sys.argv[1:]):
        print(script.__doc__.strip())
        sys.exit(0)
    print(f"{Path(sys.argv[0]).name}: {package} is missing: run scripts/test once, it makes .venv", file=sys.stderr)
    sys.exit(2)
