"""The picture of measured against predicted times and the table of its page are those of tb/exec/timing/kernels.tsv."""
import importlib.machinery
import importlib.util
import pathlib
import sys

SCRIPT = pathlib.Path(__file__).resolve().parents[2] / "scripts" / "timing_picture.py"


def test_picture_and_page_are_the_tables(tmp_path, monkeypatch, capsys):
    loader = importlib.machinery.SourceFileLoader("timing_picture", str(SCRIPT))
    made = importlib.util.module_from_spec(importlib.util.spec_from_loader("timing_picture", loader))
    monkeypatch.setattr(sys, "dont_write_bytecode", True)
    loader.exec_module(made)
    monkeypatch.setattr(sys, "argv", ["timing_picture.py", "--check"])
    assert made.main() == 0
    other = tmp_path / "kernels.tsv"
    other.write_text(made.TABLE.read_text().replace("\t452\t443\t", "\t452\t500\t"))
    monkeypatch.setattr(made, "TABLE", other)
    assert made.main() == 1
    said = capsys.readouterr().out
    assert "timing.svg is not what the table gives" in said and "lacks the row | 4: 5 stages" in said
