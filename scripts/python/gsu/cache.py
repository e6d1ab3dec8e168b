"""Finished runs by content. A run is a function of the program, the files of its launch and its options, so a stored result with the same hash is the result
of the run. Processes may share a cache; a file appears whole or not at all."""
import functools
import hashlib
import json
import os
import pathlib
import tempfile

from .errors import GsuError, InputError


def default_folder():
    if os.environ.get("GSU_CACHE"):
        return pathlib.Path(os.environ["GSU_CACHE"]) / "runs"
    base = os.environ.get("XDG_CACHE_HOME") or pathlib.Path.home() / ".cache"
    return pathlib.Path(base) / "gsu" / "runs"


@functools.lru_cache(maxsize=None)
def _hash_of(path, _stamp):
    return hashlib.sha256(pathlib.Path(path).read_bytes()).hexdigest()


def file_hash(path):
    """Hash of a file's content. The file is read again if it was written meanwhile."""
    try:
        state = os.stat(path)
        return _hash_of(str(path), (state.st_mtime_ns, state.st_size))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror or error}", str(path)) from error


def _strings(value):
    if isinstance(value, str):
        yield value
    elif isinstance(value, dict):
        for item in value.values():
            yield from _strings(item)
    elif isinstance(value, list):
        for item in value:
            yield from _strings(item)


def launch_files(path):
    """The files of a launch: the launch file and every file that it names, as {name in its folder: path}."""
    path = pathlib.Path(path)
    try:
        spec = json.loads(path.read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: {(error.strerror or 'cannot be read').lower()}", str(path)) from error
    except ValueError as error:
        raise InputError(f"{path}: not a launch file ({error})", str(path)) from error
    files = {path.name: path}
    for text in _strings(spec):
        named = path.parent / text
        try:
            if text and len(text) < 1024 and named.is_file():
                files[text] = named
        except (OSError, ValueError):
            continue
    return files


def key_of(program_hash, files, options):
    """The key of a run. files: {name: hash}; options: the program's options, in order."""
    text = json.dumps([1, program_hash, sorted(files.items()), [str(o) for o in options]])
    return hashlib.sha256(text.encode()).hexdigest()


def write_whole(path, data):
    """Writes bytes under a temporary name, then renames the file."""
    path = pathlib.Path(path)
    try:
        path.parent.mkdir(parents=True, exist_ok=True)
        handle, part = tempfile.mkstemp(dir=path.parent, prefix=f".{path.name}.")
        try:
            with os.fdopen(handle, "wb") as file:
                file.write(data)
            os.chmod(part, 0o644)
            os.replace(part, path)
        except BaseException:
            os.unlink(part)
            raise
    except OSError as error:
        raise GsuError(f"{path}: cannot be written: {error.strerror or error}") from error


class Cache:
    def __init__(self, folder=None):
        self.folder = pathlib.Path(folder) if folder else default_folder()

    def _file(self, key):
        return self.folder / key[:2] / f"{key}.json"

    def get(self, key):
        """The stored result; None: there is none, or it is damaged."""
        try:
            return json.loads(self._file(key).read_text(encoding="utf-8"))
        except (OSError, ValueError):
            return None

    def put(self, key, result):
        write_whole(self._file(key), json.dumps(result).encode())
