"""The command line of a script. An error in a call is one line and exit code 2, as in the program gsu."""
import argparse
import pathlib


def output_file(text):
    """The type of an argument that names a file to write: its folder has to exist, as for the program (sc_model/base/output_path.hpp)."""
    path = pathlib.Path(text)
    if not path.parent.is_dir():
        raise argparse.ArgumentTypeError(f"'{path}' cannot be written: there is no folder '{path.parent}'")
    return path


class Parser(argparse.ArgumentParser):
    """A parser whose help keeps the line breaks of the description."""

    def __init__(self, **options):
        super().__init__(**{"formatter_class": argparse.RawDescriptionHelpFormatter, **options})

    def error(self, message):
        self.exit(2, f"{self.prog}: {message} (see --help)\n")
