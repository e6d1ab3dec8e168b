"""python third.py TRACE.gsut ...: judges recorded streams; the commits lie beside each trace as TRACE.commits."""
import sys
from collections import Counter

from judge import Judge
from records import merged


def judged(trace):
    header, events = merged(trace, trace.removesuffix(".gsut") + ".commits")
    return Judge(header).run(events)


def main(traces):
    total, wrong = Counter(), 0
    for trace in traces:
        judge = judged(trace)
        total += judge.counts
        wrong += len(judge.differences)
        for line in judge.differences[:10]:
            print(f"{trace}: {line}")
    for name, count in sorted(total.items()):
        print(f"{name:<32}{count:>10}")
    print(f"{len(traces)} streams, {wrong} differences")
    return 1 if wrong else 0


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
