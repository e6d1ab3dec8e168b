"""Where the kernels are, and a cache of one's own for each test."""
import pathlib
import signal
import sys

import pytest

# A shell's background job ignores SIGINT, and so would the programs that the tests interrupt.
signal.signal(signal.SIGINT, signal.default_int_handler)

TESTS = pathlib.Path(__file__).resolve().parent.parent
sys.path.append(str(TESTS.parent / "scripts"))  # where scripts find each other


@pytest.fixture(autouse=True)
def own_cache(tmp_path, monkeypatch):
    monkeypatch.setenv("XDG_CACHE_HOME", str(tmp_path / "cache"))


@pytest.fixture
def pipeline():
    return str(TESTS / "kernels/cluster_pipeline/cluster_pipeline.launch.json")


@pytest.fixture
def stuck():
    """A kernel that hangs, as its launch file expects."""
    return str(TESTS / "cli/data/mbar_stuck.ptx"), str(TESTS / "cli/data/stuck.launch.json")


@pytest.fixture
def data():
    return TESTS / "cli/data"
