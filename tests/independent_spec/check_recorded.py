"""python check_recorded.py TRACE.gsut ...: checks recorded streams; the commits are beside each trace as TRACE.commits."""
import sys
from collections import Counter

from checker import Checker
from records import merged


def judged(trace):
    header, events = merged(trace, trace.removesuffix(".gsut") + ".commits")
    return Checker(header).run(events)


def main(traces):
    total, wrong = Counter(), 0
    for trace in traces:
        checker = judged(trace)
        total += checker.counts
        wrong += len(checker.differences)
        for line in checker.differences[:10]:
            print(f"{trace}: {line}")
    for name, count in sorted(total.items()):
        print(f"{name:<32}{count:>10}")
    print(f"{len(traces)} streams, {wrong} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
