"""How runs share the processors: one rule for everything that starts several runs at the same time."""
import os

MOST_THREADS = 2  # threads that one run can use


def usable():
    """Processors that this process may use: under taskset, in a container or in a batch job these are fewer than those of the machine."""
    return len(os.sched_getaffinity(0)) if hasattr(os, "sched_getaffinity") else os.cpu_count() or 1


def jobs_for(asked=None):
    """Number of runs at the same time: the requested one, otherwise one per processor."""
    return asked or usable()


def threads_for(jobs):
    """Threads of each of several runs at the same time; all runs together use no more threads than there are processors."""
    return max(1, min(MOST_THREADS, usable() // jobs))
