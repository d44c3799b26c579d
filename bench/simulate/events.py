"""Is the node simulator faster than SimPy?

weft-node and SimPy (MIT licence), a discrete-event library, carrying out the same pattern of events.

usage: bench/run.py events
tier: peers

A ping-pong of 1 MiB between two p4-400-base is recorded: which processor, bus or link does what, when, how long.
SimPy then does the same: a resource for each processor, bus and link, a process for each frame or message, which
waits for its time, takes the resource, holds it as long, and releases it. It computes nothing of what weft-node
computes on the way (who preempts whom, how collisions stretch work), so the ratio is a lower bound.

Takes seconds.
"""

from __future__ import annotations

import argparse
import importlib.util
import sys
import time
from collections.abc import Callable, Iterator
from tempfile import TemporaryDirectory
from typing import Any

from common.machine import machine
from common.results import Goal, save
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, start_run
from weft.measure.testbed.computed.node import open_nodes
from weft.plan.plan import Step, to_json
from weft.simulation.trace.replay import MessageTrace, record

SPEC = "p4-400-base"
SIZE_BYTES = 1 << 20
TIMES = 5
"""Each is timed so often; the fastest counts, as the others were disturbed."""
LEAST_ROUNDS = 2
"""SimPy does the recording so often in one go."""
REPEATS = 50
Hold = tuple[int, int, int]
"""Which resource, from when, how long, in ps."""


def recorded() -> tuple[MessageTrace, Step]:
    """What happens in a ping-pong, and the step that it is."""
    with TemporaryDirectory() as folder:
        sizes = [("steps[0].sizes", f'["{SIZE_BYTES} B"]')]
        run = start_run(
            RunRequest(
                "netpipe", f"node:{SPEC}", RunOptions(out=f"{folder}/run", settings=dict(sizes))
            )
        )
        return record(run, SIZE_BYTES), run.meta.plan.steps[0]


def chains(recording: MessageTrace) -> list[list[Hold]]:
    """The holds of each frame and message in order; what belongs to none is by itself."""
    columns = ("track", "begin_ps", "end_ps", "flow")
    together: dict[int, list[Hold]] = {}
    rows = zip(*(recording.slices[name].tolist() for name in columns), strict=True)
    for index, (track, begin_ps, end_ps, flow) in enumerate(rows):
        key = flow if flow >= 0 else -1 - index
        together.setdefault(key, []).append((track, begin_ps, end_ps - begin_ps))
    return list(together.values())


def simpy_s(holds: list[list[Hold]], tracks: int, end_ps: int) -> float:
    """Processor time that SimPy takes for the recording, one after the other `LEAST_ROUNDS` times."""
    import simpy

    environment = simpy.Environment()
    resources = [simpy.Resource(environment) for _ in range(tracks)]

    def chain(members: list[Hold], later_ps: int) -> Iterator[Any]:
        for track, begin_ps, hold_ps in members:
            wait_ps = begin_ps + later_ps - environment.now
            if wait_ps > 0:
                yield environment.timeout(wait_ps)
            with resources[track].request() as mine:
                yield mine
                yield environment.timeout(hold_ps)

    for number in range(LEAST_ROUNDS):
        for members in holds:
            environment.process(chain(members, number * end_ps))
    began = time.process_time()
    environment.run()
    elapsed_s = time.process_time() - began
    assert environment.now == LEAST_ROUNDS * end_ps, "SimPy ends at another time"
    return elapsed_s


def weft_s(step: Step) -> tuple[float, int]:
    """Processor time of weft-node for the same round trips, and its events; a mean, as one takes milliseconds."""
    nodes = open_nodes(SPEC)
    text = to_json(step)
    began = time.process_time()
    rounds = LEAST_ROUNDS * REPEATS
    events = sum(nodes.model.simulate(text, 0, 1)["events"] for _ in range(rounds))
    return (time.process_time() - began) / REPEATS, events // REPEATS


def fastest(work: Callable[[], float]) -> float:
    return min(work() for _ in range(TIMES))


def main() -> None:
    argparse.ArgumentParser(description=__doc__.splitlines()[0]).parse_args()
    print(machine())
    recording, step = recorded()
    holds = chains(recording)
    slices = sum(map(len, holds)) * LEAST_ROUNDS
    end_ps = int(recording.slices["end_ps"].max())
    mine_s, events = min(weft_s(step) for _ in range(TIMES))
    print(f"a ping-pong of {SIZE_BYTES} B on {SPEC}, {slices:,} times something is done")
    print(f"weft-node: {mine_s:.3f} s, {events:,} events, {events / mine_s / 1e6:.1f} million/s")
    if importlib.util.find_spec("simpy") is None:
        hint = "pip install simpy==4.1.2"
        print(f"SimPy is left out: it is not installed ({hint})", file=sys.stderr)
        return
    goals = [Goal("events", events / mine_s / 1e6, "million/s", at_least=10)]
    tracks = len(recording.nodes) * len(recording.tracks)
    theirs_s = fastest(lambda: simpy_s(holds, tracks, end_ps))
    print(
        f"SimPy:     {theirs_s:.3f} s for the same, so that weft-node is {theirs_s / mine_s:.0f} times as fast"
    )
    save("events", [*goals, Goal("processor time of SimPy / weft-node", theirs_s / mine_s)])


if __name__ == "__main__":
    main()
