"""Exceptions of the package. Their text is that of the program or of the C library: place and reason in one line."""


class GsuError(Exception):
    """What can go wrong with GSU; all others are kinds of it."""


class InputError(GsuError):
    """Unusable input or call: the program's exit code 2, GSU_E_ARGUMENT, GSU_E_VERSION.

    file, line, column: where, as far as the program says.
    """

    def __init__(self, text, file=None, line=None, column=None):
        super().__init__(text)
        self.file, self.line, self.column = file, line, column


class BusyError(GsuError):
    """Not in this cycle: ask can_present() first."""


class StateError(GsuError):
    """The call contradicts the past: a lane or a tag is in use, a slot was not launched."""


class InternalError(GsuError):
    """An error of GSU itself: RTL and golden model differ, an assertion failed, the program broke down."""


class Missing(GsuError):
    """A Python package that this needs is not installed; the text says which."""


_BY_STATUS = {-1: InputError, -2: InputError, -3: BusyError, -4: StateError, -5: StateError, -6: MemoryError}


def of_status(status, text):
    """The exception for a gsu_status of the C library."""
    return _BY_STATUS.get(status, InternalError)(text)


def need(module, extra):
    """Imports a package of an extra, or says how to install it."""
    import importlib

    try:
        return importlib.import_module(module)
    except ImportError as error:
        raise Missing(f"{module.split('.')[0]} is not installed: pip install 'gsu[{extra}]'") from error
