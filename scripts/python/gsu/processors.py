"""How runs share the processors: one rule for whatever starts several of them at the same time."""
import os

MOST_THREADS = 2  # that one run can use


def usable():
    """Processors that this process may use: fewer than the machine has under taskset, in a container or a batch job."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def jobs_for(asked=None):
    """Runs at the same time: as many as asked for, else one on each processor."""
    return asked or usable()


def threads_for(jobs):
    """Threads of each of so many runs at the same time, so that all together are no more than the processors."""
    return max(1, min(MOST_THREADS, usable() // jobs))
