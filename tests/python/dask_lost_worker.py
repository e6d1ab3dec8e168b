"""A sweep on a real Dask scheduler with two workers, of which one is killed on the way: the table is complete and the same as that of a local
sweep, and only runs of the lost worker are repeated. Slower tier: scripts/test --slow calls it.

    python tests/python/dask_lost_worker.py LAUNCH.json
"""
import os
import pathlib
import re
import signal
import subprocess
import sys
import tempfile
import time


def start(folder, *arguments):
    log = open(folder / f"{len(list(folder.glob('*.log')))}.log", "w", encoding="utf-8")
    return subprocess.Popen([sys.executable, "-m", *arguments], stdout=log, stderr=subprocess.STDOUT, start_new_session=True)


def wait_for(what, seconds=240):
    for _ in range(seconds * 10):
        found = what()
        if found:
            return found
        time.sleep(0.1)
    sys.exit("NOT as it should be: nothing came within four minutes")


def main(launch):
    with tempfile.TemporaryDirectory() as name:
        folder = pathlib.Path(name)
        processes = [start(folder, "distributed.cli.dask_scheduler", "--port", "0", "--host", "127.0.0.1", "--no-dashboard", "--scheduler-file",
                           str(folder / "scheduler.json"))]
        try:
            wait_for((folder / "scheduler.json").exists)
            address = re.search(r'"address": "(.*?)"', (folder / "scheduler.json").read_text()).group(1)
            for number in (1, 2):
                processes.append(start(folder, "distributed.cli.dask_worker", address, "--nworkers", "1", "--nthreads", "1", "--no-dashboard",
                                       "--local-directory", str(folder / str(number)), "--no-nanny"))
            command = [sys.executable, "-m", "gsu", "sweep", launch, "-p", "mbar_lat=4:43", "--seed", "1", "--cache", str(folder / "runs")]
            sweep = subprocess.Popen([*command, "--scheduler", address, "-o", str(folder / "dask")], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True)
            wait_for(lambda: len(list((folder / "runs").glob("*/*.json"))) >= 8)
            os.killpg(processes[1].pid, signal.SIGKILL)
            before = len(list((folder / "runs").glob("*/*.json")))
            out, err = sweep.communicate(timeout=300)
            if sweep.returncode != 0 or "40 of 40 runs: 40 executed" not in out or not 8 <= before < 40:
                sys.exit(f"NOT as it should be: {before} runs before the kill, then\n{out}{err}")
            subprocess.run([*command[:-2], "--cache", str(folder / "local"), "-o", str(folder / "local-out")], check=True, capture_output=True)
            import pyarrow.parquet

            drop = lambda where: pyarrow.parquet.read_table(folder / where / "results.parquet").drop_columns(["seconds"])
            if not drop("dask").equals(drop("local-out")):
                sys.exit("NOT as it should be: the tables differ")
            print(f"40 runs on two workers, one killed after {before}: same table as on this machine alone")
        finally:
            for process in processes:
                try:
                    os.killpg(process.pid, signal.SIGKILL)
                except ProcessLookupError:
                    pass
                process.wait()


if __name__ == "__main__":
    main(sys.argv[1])
