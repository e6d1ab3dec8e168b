"""scripts/on_gpu and litmus.py without a GPU: gsu exec stands in for one."""
import json
import os
import shutil
import subprocess
import sys
from pathlib import Path

import pytest

ROOT = Path(__file__).resolve().parents[2]
GSU = os.environ["GSU_PROGRAM"]


def on_gsu(script, *arguments):
    """The exit code and the output of a script that finds GSU where it looks for a GPU."""
    done = subprocess.run([GSU, "exec", "--unit", "golden", "--sms", "16", "--", sys.executable, str(ROOT / script), *map(str, arguments)], capture_output=True, text=True,
                          timeout=300)
    return done.returncode, done.stdout


@pytest.mark.parametrize("kernel", ["cluster_pipeline", "cluster_softmax", "dependent_chain", "dsmem_histogram", "gemm_sm90", "grid_scale"])
def test_launch_files_run_as_gsu_run_has_them(kernel):
    code, text = on_gsu("scripts/on_gpu", ROOT / "tests/kernels" / kernel / f"{kernel}.launch.json")
    assert text.startswith("right\t") and "1 right, 0 differs" in text
    assert code == 0


def test_what_differs_is_said_with_its_place(tmp_path):
    folder = ROOT / "tests/kernels/cluster_pipeline"
    launch = json.loads((folder / "cluster_pipeline.launch.json").read_text())
    name = next(iter(launch["expect"]))
    name["values"] = [123456789]
    name.pop("file", None), name.pop("fill", None), name.pop("first", None)
    shutil.copy(folder / launch["ptx"], tmp_path)
    for data in folder.glob("*.bin"):
        shutil.copy(data, tmp_path)
    (tmp_path / "wrong.launch.json").write_text(json.dumps(launch))
    code, text = on_gsu("scripts/on_gpu", tmp_path / "wrong.launch.json")
    assert code == 1
    assert text.startswith("differs\t") and "not 123456789" in text


def test_what_hangs_is_skipped_and_what_does_not_load_fails(tmp_path):
    (tmp_path / "hang.launch.json").write_text('{"ptx": "none.ptx", "verdict": "hang"}')
    (tmp_path / "none.launch.json").write_text('{"ptx": "none.ptx"}')
    code, text = on_gsu("scripts/on_gpu", tmp_path / "hang.launch.json", tmp_path / "none.launch.json")
    assert "skipped\t" in text and "expects a hang" in text
    assert "failed\t" in text and "0 right, 0 differs, 1 failed, 1 skipped" in text
    assert code == 1


def kernels(tmp_path, *names):
    shapes = [ROOT / "tests/litmus/shapes" / f"{name}.litmus" for name in names]
    subprocess.run([GSU, "litmus", "--kernels", str(tmp_path), *map(str, shapes)], check=True, capture_output=True)


def test_litmus_tests_run_many_times(tmp_path):
    kernels(tmp_path, "mp_cta_own_none", "cluster_barrier_other", "mbar_remote_other_release_cluster")
    code, text = on_gsu("tests/hardware/litmus.py", tmp_path, "--seconds", "0", "--runs", "16")
    lines = [line.split("\t") for line in text.split("\n")[2:5]]
    assert [line[0] for line in lines] == ["cluster_barrier_other", "mbar_remote_other_release_cluster", "mp_cta_own_none"]
    assert [line[1] for line in lines] == ["forbidden", "forbidden", "allowed"]
    assert all(line[2] == "64" for line in lines)
    assert code == 0


def test_a_forbidden_outcome_is_an_error(tmp_path):
    kernels(tmp_path, "cluster_barrier_other")
    path = tmp_path / "cluster_barrier_other.json"
    test = json.loads(path.read_text())
    test["condition"] = "~ exists (P1:r0 == 1)"  # which every run shows
    path.write_text(json.dumps(test))
    code, text = on_gsu("tests/hardware/litmus.py", tmp_path, "--seconds", "0", "--runs", "8")
    assert code == 1 and "FORBIDDEN SEEN" in text


def test_tests_without_a_kernel_say_why(tmp_path):
    kernels(tmp_path, "constant_not_fenced")
    assert not list(tmp_path.glob("*.ptx"))
    code, text = on_gsu("tests/hardware/litmus.py", tmp_path)
    assert code == 0 and "accesses of the constant proxy" in text


COPY = """.version 8.6
.target sm_90
.address_size 64
.visible .entry k()
{
  .reg .pred %p; .reg .b32 %a;
  .shared .align 128 .b8 smem[256];
  mov.u32 %a, smem;
  mbarrier.init.shared::cta.b64 [smem], 1;
  mbarrier.arrive.expect_tx.shared::cta.b64 _, [smem], 16;
  cp.async.bulk.shared::cluster.shared::cta.mbarrier::complete_tx::bytes [%a+128], [%a+64], 16, [smem];
W: mbarrier.try_wait.parity.shared::cta.b64 %p, [smem], 0;
  @!%p bra W;
  ret;
}
"""


@pytest.mark.parametrize("cluster, warned", [([], True), (["--cluster", "1"], False), (["--cluster", "2"], False)])
def test_what_traps_on_a_gpu_is_warned_of(tmp_path, cluster, warned):
    (tmp_path / "copy.ptx").write_text(COPY)
    done = subprocess.run([GSU, "run", str(tmp_path / "copy.ptx"), "--grid", "2", "--block", "1", "--unit", "golden", *cluster], capture_output=True, text=True)
    assert done.returncode == 0
    assert ("HW-001" in done.stdout) == warned
