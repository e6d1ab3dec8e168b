"""gsu sweep: runs of a plan, from the cache, on this machine's processors or on a Dask scheduler; tables, sensitivity, best points."""
import concurrent.futures
import io
import json
import os
import pathlib
import sys
import tempfile
import time

import pyarrow as pa
import pyarrow.csv
import pyarrow.parquet

from . import analysis, areas, launches, models, processors
from .cache import Cache, file_hash, key_of, launch_files, write_whole
from .commands import options_of
from .errors import GsuError, InputError, need
from .plan import WITH
from .program import call_json, program_path


def row_of(result):
    """The columns that a run adds to a sweep's table."""
    kinds = {"named": 0, "cluster": 0, "warp": 0, "mbarrier": 0}
    longest = never = 0
    for b in result.get("barriers", []):
        kinds[b["kind"]] = kinds.get(b["kind"], 0) + b["blocked_clocks"]
        longest = max(longest, b["longest_wait"])
        never += b["never_answered"]
    return {"verdict": result.get("verdict"), "as_expected": result.get("as_expected"), "cycles": result.get("cycles"),
            "timing": launches.timing_of(result), "instructions": result.get("instructions"), "sync_requests": result.get("sync_requests"),
            "blocked_clocks": sum(kinds.values()), "blocked_named": kinds["named"], "blocked_cluster": kinds["cluster"], "blocked_warp": kinds["warp"],
            "blocked_mbarrier": kinds["mbarrier"], "longest_wait": longest, "never_answered": never}


def execute(path, options, timeout=None, launch=None, threads=1):
    """One run in this process: its row; for a list, the row of the chosen launches. `threads` does not change results, so it is not in the cache's key."""
    started = time.monotonic()
    alone = ["--threads", 1] if threads == 1 else []  # otherwise the program uses idle processors
    code, result = call_json("run", path, *options, *alone, timeout=timeout)
    result = launches.select(result, launch if "launches" in result else None, path)
    row = row_of(result)
    if "summed" in result:
        row["launches"] = ",".join(result["summed"])
    if code == 3:
        raise GsuError(result.get("fault", {}).get("message", "RTL and golden model differ"))
    row["seconds"] = round(time.monotonic() - started, 3)
    return row


def execute_shipped(files, name, options, program_hash, timeout=None, launch=None):
    """One run on a worker of Dask, which may have none of our files: `files` is {name in the launch's folder: bytes}. The worker's program must be the same.
    A worker runs as many runs at the same time as it has threads, so each run uses one thread."""
    if file_hash(str(program_path())) != program_hash:
        raise GsuError("this worker has another build of gsu than the one that sweeps")
    with tempfile.TemporaryDirectory(prefix="gsu-") as folder:
        for relative, data in files.items():
            target = (pathlib.Path(folder) / "k" / relative).resolve()
            target.parent.mkdir(parents=True, exist_ok=True)
            if not str(target).startswith(str(pathlib.Path(folder).resolve()) + os.sep):
                raise GsuError(f"the launch file names {relative}, outside its folder's parent")
            target.write_bytes(data)
        return execute(str(pathlib.Path(folder) / "k" / name), options, timeout, launch)


def check_shipped(kernel, names):
    """Raises InputError for a launch whose files a worker cannot place where the launch file names them."""
    for name in names:
        if os.path.isabs(name) or os.path.normpath(os.path.join("k", name)).startswith(".."):
            raise InputError(f"{kernel}: names {name}; with --scheduler files lie in the launch file's folder or that folder's parent, "
                             "and are named relative to it", str(kernel))


class Sweep:
    """Runs a plan. `progress` is called with (done, of, cached, failed) whenever a run ends; `stop()` makes run() return the finished rows."""

    def __init__(self, plan, *, cache=None, jobs=None, scheduler=None, timeout=None, progress=None):
        plan.check()
        self.files = {k: launch_files(k) for k in plan.kernels}
        for kernel, files in self.files.items() if scheduler else ():
            check_shipped(kernel, files)
        if plan.unit != "golden":
            models.ensure(plan.structures())
        self.areas = {text: areas.of_structure(text) for text in plan.structures()} if plan.area else {}
        self.plan, self.cache, self.jobs, self.scheduler, self.timeout = plan, cache or Cache(), processors.jobs_for(jobs), scheduler, timeout
        self.progress = progress or (lambda *_: None)
        self.program_hash = file_hash(str(program_path()))
        self.hashes = {k: {name: file_hash(str(p)) for name, p in files.items()} for k, files in self.files.items()}
        self.rows, self.executed, self.cached, self.failed, self.complete = [], 0, 0, 0, False

    def options(self, preset, seed, values):
        return [str(o) for o in options_of(unit=self.plan.unit, preset=preset, seed=seed, max_cycles=self.plan.max_cycles, timing=self.plan.timing, of=self.plan.of,
                                           settings={**self.plan.settings, **{k: v for k, v in values.items() if not k.startswith(WITH)}},
                                           structure=self.plan.structure_of(values))]

    def run(self):
        """The table with one row for each run. After an interrupt `complete` is False and the table has the finished runs."""
        runs = self.plan.runs()
        self.rows = [None] * len(runs)
        todo = []
        for index, (kernel, preset, seed, values) in enumerate(runs):
            options = self.options(preset, seed, values)
            key = key_of(self.program_hash, self.hashes[kernel], [*options, "launches", self.plan.launch])
            row = self.cache.get(key)
            if row is None:
                todo.append((index, key, kernel, options))
            else:
                self.cached += 1
                self._done(index, runs[index], row)
        try:
            (self._on_dask if self.scheduler else self._here)(todo, runs)
            self.complete = True
        except KeyboardInterrupt:
            pass
        return self.table()

    def _done(self, index, run, row):
        kernel, preset, seed, values = run
        self.rows[index] = {"kernel": pathlib.Path(kernel).name.removesuffix(".launch.json"), "preset": preset, "seed": seed, **values,
                            **self.areas.get(self.plan.structure_of(values), {}), **row}
        self.progress(sum(r is not None for r in self.rows), len(self.rows), self.cached, self.failed)

    def _result(self, job, runs, get):
        index, key, _, _ = job
        try:
            row = get()
        except (GsuError, OSError, MemoryError) as error:
            self.failed += 1
            row = {"verdict": "error", "as_expected": False, "error": str(error)}
        except Exception as error:  # an error of the worker
            if type(error).__name__ not in ("TimeoutExpired", "KilledWorker", "CancelledError"):
                raise
            self.failed += 1
            row = {"verdict": "error", "as_expected": False, "error": f"{type(error).__name__}: {error}"}
        else:
            self.executed += 1
            self.cache.put(key, row)
        self._done(index, runs[index], row)

    def _here(self, todo, runs):
        threads = processors.threads_for(min(self.jobs, max(len(todo), 1)))
        with concurrent.futures.ThreadPoolExecutor(self.jobs) as pool:
            jobs = {pool.submit(execute, kernel, options, self.timeout, self.plan.launch, threads): job for job in todo for _, _, kernel, options in [job]}
            try:
                for future in concurrent.futures.as_completed(jobs):
                    self._result(jobs[future], runs, future.result)
            except BaseException:
                pool.shutdown(wait=False, cancel_futures=True)
                raise

    def _on_dask(self, todo, runs):
        distributed = need("distributed", "dask")
        try:
            client = distributed.Client(self.scheduler, timeout="20s", set_as_default=False)
        except (OSError, ValueError) as error:
            raise InputError(f"--scheduler {self.scheduler}: no scheduler answers ({error})") from error
        with client:
            contents = {k: {name: p.read_bytes() for name, p in files.items()} for k, files in self.files.items()}
            data = {k: client.scatter(c) for k, c in contents.items() if any(job[2] == k for job in todo)}
            jobs = {}
            for job in todo:
                _, key, kernel, options = job
                future = client.submit(execute_shipped, data[kernel], pathlib.Path(kernel).name, options, self.program_hash, self.timeout, self.plan.launch,
                                       key=f"gsu-{key}", pure=True, retries=3)
                jobs[future.key] = (future, job)
            for future in distributed.as_completed([f for f, _ in jobs.values()], loop=client.loop):
                self._result(jobs[future.key][1], runs, future.result)

    def table(self):
        rows = [r for r in self.rows if r is not None]
        names = list(dict.fromkeys(name for row in rows for name in row))
        return pa.table({name: [row.get(name) for row in rows] for name in names}) if rows else pa.table({})


def write(folder, plan, table, complete):
    """results.parquet, results.csv and sweep.json in a folder."""
    folder = pathlib.Path(folder)
    for name, writer in (("results.parquet", pa.parquet.write_table), ("results.csv", pa.csv.write_csv)):
        sink = io.BytesIO()
        writer(table, sink)
        write_whole(folder / name, sink.getvalue())
    summary = {"plan": vars(plan), "complete": complete, "runs": len(plan.runs()), "done": table.num_rows, **analysis.summary(table, list(plan.values))}
    write_whole(folder / "sweep.json", json.dumps(summary, indent=1).encode())
    return summary


class Progress:
    """Progress: one line on a terminal's standard error, otherwise a line per tenth of the runs."""

    def __init__(self, stream=None):
        self.stream, self.started, self.told = stream or sys.stderr, time.monotonic(), -1
        self.live = self.stream.isatty()

    def __call__(self, done, of, cached, failed):
        tenth = done * 10 // of
        if not self.live and tenth == self.told:
            return
        self.told = tenth
        spent, fresh = time.monotonic() - self.started, done - cached
        left = f", {spent / fresh * (of - done):.0f} s left" if fresh and done < of else ""
        text = f"{done} of {of} runs, {cached} from the cache, {failed} failed{left}"
        self.stream.write(f"\r{text}\x1b[K" if self.live else text + "\n")
        if self.live and done == of:
            self.stream.write("\n")
        self.stream.flush()
