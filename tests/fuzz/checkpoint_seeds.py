"""Checkpoints to begin fuzzing with: python checkpoint_seeds.py FOLDER, with the package gsu. Each is the journal of a golden unit under random calls, of
which those that it refuses are not in it."""
import pathlib
import random
import sys

import gsu

SEEDS, CALLS, SMS = 40, 60, 4


def start(unit, rng):
    ctas = rng.choice([1, 2, 4])
    if ctas > 1:
        for rank in range(ctas):
            unit.route(0, rank, sm=rank, ctas=ctas)
    grid = rng.choice([0, 2])  # 0: of no grid that the unit knows
    if grid:
        unit.grid(1, ctas=0)
        unit.grid(grid, ctas=ctas, prerequisites=[1])
    for rank in range(ctas):
        unit.launch_now(rank, threads=128, rank=rank, ctas=ctas, smem_size=4096, era=5, grid=grid)
        unit.present_now("MbarInit", rank, lanes=1, tag=4000, addr=8 * rng.randrange(4), data=rng.randrange(1, 4))
        unit.step(40)
    return ctas


def call(unit, rng, ctas):
    sm, warp, addr = rng.randrange(ctas), rng.randrange(4), 8 * rng.randrange(4)
    kind = rng.randrange(12)
    if kind < 7:
        op = rng.choice(list(gsu.OPERATIONS))
        lanes = gsu.ALL_LANES if rng.random() < 0.5 else 1 << rng.randrange(32)
        arg0 = lanes if "Sync" in op and "Bar" not in op or op in ("Redux", "Elect", "MatchAny", "MatchAll") else rng.randrange(4)
        unit.present(op, sm, 0, warp, lanes, arg0=arg0, arg1=rng.choice([0, 64]), addr=addr, data=rng.randrange(3), want_value=rng.random() < 0.3,
                     limit=rng.choice([None, 60]), remote=rng.random() < 0.1, scope=rng.choice([None, "cta", "cluster", "gpu"]))
    elif kind == 7:
        unit.complete_tx(addr, 16, sm, era=5)
    elif kind == 8:
        rng.choice([unit.arrive_on, unit.agent_arrive])(addr, 1, sm, era=5)
    elif kind == 9:
        unit.performed(1, sm, warp=warp, epoch=unit.announce(1, sm, warp=warp))
    elif kind == 10:
        unit.stored(sm, addr, 4)
    else:
        unit.exit(sm, warp=warp, lanes=1 << rng.randrange(32), trap=rng.random() < 0.1)


def checkpoint(seed):
    """Bytes, and the number of calls that the unit took."""
    rng, taken = random.Random(seed), 0
    unit = gsu.Unit("golden", sms=SMS, events=(), journal=True)
    ctas = start(unit, rng)
    for _ in range(CALLS):
        try:
            call(unit, rng, ctas)
            taken += 1
        except (gsu.InputError, gsu.StateError):
            pass
        unit.step(rng.choice([1, 1, 5, 50]))
    return unit.save(), taken


def main():
    total = 0
    for seed in range(SEEDS):
        data, taken = checkpoint(seed)
        total += taken
        (pathlib.Path(sys.argv[1]) / f"seed-{seed:04d}").write_bytes(data)
    print(f"{SEEDS} checkpoints with {total} calls")


if __name__ == "__main__":
    main()
