"""GSU, the GPU Sync Unit, for Python: kernels on the RTL, the unit cycle by cycle, sweeps, reports. See scripts/python/README.md."""
from ._native import operations as OPERATIONS
from ._native import version as __version__
from .commands import Result, Run, check, decode, parameters, replay, run
from .models import build
from .errors import BusyError, GsuError, InputError, InternalError, Missing, StateError
from .tables import timeline, trace
from .unit import ALL_LANES, NEVER, Event, Unit

__all__ = ["ALL_LANES", "BusyError", "Event", "GsuError", "InputError", "InternalError", "Missing", "NEVER", "OPERATIONS", "Result", "Run",
           "StateError", "Unit", "build", "check", "decode", "parameters", "replay", "run", "timeline", "trace"]
