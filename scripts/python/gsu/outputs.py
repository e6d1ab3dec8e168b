"""The places of output files and folders, decided as in the program (sc_model/base/output_path.hpp): an output folder is made, with its parents; an output
file in a folder that does not exist is refused. Called before anything runs; `option` is the name of the option or argument, for the message."""
import os
import pathlib

from .errors import InputError


def check_file(option, path):
    """InputError if the file cannot be written: its folder does not exist or is not writable, or the path is something other than a regular file."""
    path = pathlib.Path(path)
    why = (f"there is no folder '{path.parent}'" if not path.parent.is_dir() else
           f"folder '{path.parent}' is not writable" if not os.access(path.parent, os.W_OK) else
           "it exists and is not a regular file" if path.exists() and not path.is_file() else None)
    if why:
        raise InputError(f"{option}: '{path}' cannot be written: {why}")


def check_folder(option, path):
    """InputError if the folder, which is made when something is written to it, is none and cannot be made."""
    path = pathlib.Path(path)
    there = next(p for p in (path, *path.absolute().parents) if p.exists())
    if not there.is_dir() or not os.access(there, os.W_OK):
        raise InputError(f"{option}: '{path}' is not a folder, and cannot be made one: '{there}' is {'not writable' if there.is_dir() else 'no folder'}")
