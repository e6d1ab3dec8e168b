"""Exceptions of the package. Their text is that of the program or of the C library: one line with place and reason."""


class GsuError(Exception):
    """Base class of all errors of GSU."""


class InputError(GsuError):
    """Unusable input or call: the program's exit code 2, GSU_E_ARGUMENT, GSU_E_VERSION.

    file, line, column: the place, as far as the program reports it.
    """

    def __init__(self, text, file=None, line=None, column=None):
        super().__init__(text)
        self.file, self.line, self.column = file, line, column


class BusyError(GsuError):
    """The call is not possible in this cycle: ask can_present() first."""


class StateError(GsuError):
    """The call contradicts the state: a lane or a tag is in use, or a slot was not launched."""


class InternalError(GsuError):
    """An error of GSU itself: RTL and golden model differ, an assertion failed, or the program crashed."""


class Missing(GsuError):
    """A required Python package is not installed; the text names it."""


_BY_STATUS = {-1: InputError, -2: InputError, -3: BusyError, -4: StateError, -5: StateError, -6: MemoryError}


def of_status(status, text):
    """The exception for a gsu_status of the C library."""
    return _BY_STATUS.get(status, InternalError)(text)


def need(module, extra):
    """Imports a package of an extra; if it is missing, the error says how to install it."""
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise Missing(f"{module.split('.')[0]} is not installed: pip install 'gsu[{extra}]'") from error
