"""Does LAWS hold on this machine?

LAWS on this machine: p by the throughputs of a sweep beside p by processor time, and what waiting has to do with it.

usage: bench/run.py laws_live [--launches 8] [--on local:2] [--cpus 0,1]

A stream's receiver computes gamma times what receiving costs it. p is the share of receiving that its processor does
not do. Directly: by processor time, before the sweep and at each gamma of it. By the sweep: the fit of LAWS to
throughput over gamma, with the work that was really done. LAWS assumes that p is the same at all gammas; the table has
it at each, and which part of the frames the receiver's own processor took out of the queue. So the fit is held against
the middle of p over those gammas.

A receiver that waits is put to sleep and woken, which takes its processor time too, but only where no application
computes: p with that time in it is printed as well, and the table compares the receiver's own time at each gamma with
what receiving and its waits are said to take.

Takes about a minute. Needs processors that nothing else uses, over which root takes precedence: the share that other
programs took is printed.
"""

from __future__ import annotations

import argparse
import os
import tempfile
from collections import Counter
from collections.abc import Sequence
from contextlib import nullcontext
from pathlib import Path
from statistics import median

import pyarrow as pa
import pyarrow.compute as pc

from common.machine import machine
from common.precedence import precedence
from common.results import Goal, save
from weft.base.interval import Interval
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, start_run
from weft.network.model.estimate import Estimate
from weft.network.model.laws_fit import fit_laws
from weft.runs.columns.tables import EVIDENCE_NAME
from weft.runs.folder import RunFolder
from weft.understand.kinds.loads.gamma_runs import sweep_of_runs
from weft.understand.kinds.loads.live_loads import ReceivingTime
from weft.understand.kinds.loads.loaded import LoadedPoint, loaded_points
from weft.understand.kinds.loads.p_over_gamma import p_over_gamma, p_over_gamma_text

GAMMAS = "'0:4:0.5'"
CONGESTION = "'cubic'"
"""BBR paces, by a model of the path that changes while it measures."""
MOST_OTHER_PCT = 15
"""Of the receiver's time, in which it waits for the sender or for other programs."""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("--launches", type=int, default=8)
    parser.add_argument("--on", default="local:2")
    parser.add_argument("--cpus", default="0,1", help="of the sender and of the receiver")
    arguments = parser.parse_args()
    print(machine(), flush=True)
    first = precedence() if os.geteuid() == 0 else nullcontext()
    with first, tempfile.TemporaryDirectory() as folder:
        run = sweep(Path(folder, "run"), arguments.on, arguments.launches, arguments.cpus)
        points = loaded_points(run)
        fitted = {one.name: one for one in fit_laws(sweep_of_runs([run]).points, {}).estimates}
        shares = frame_shares(run, int(arguments.cpus.split(",")[1]))
    direct = next(one.live.p for one in points if one.live and one.live.p)
    loaded = [load.p_at_gamma for _, load in p_over_gamma(points)]
    by_gamma = [one.median for one in loaded if one]
    print_p(direct, by_gamma, fitted["p"], points)
    off_pct = print_own_times(points, shares)
    save("laws_live", goals(direct, by_gamma, fitted["p"], off_pct))


def sweep(folder: Path, on: str, launches: int, cpus: str) -> RunFolder:
    overrides = [
        ("launches", str(launches)),
        ("steps.*.gamma", GAMMAS),
        ("steps.*.options.congestion", CONGESTION),
        ("steps.*.options.cpus", f"[{cpus}]"),
    ]
    return start_run(
        RunRequest("gamma-sweep", on, RunOptions(out=folder, settings=dict(overrides)))
    )


def frame_shares(run: RunFolder, cpu: int) -> dict[int, float]:
    """By phase: the part of the node's frames that a processor took out of its queue."""
    evidence = run.side_table(EVIDENCE_NAME)
    counter = evidence["counter"].cast(pa.string())
    of_receiver = pc.and_(pc.equal(counter, "softnet_processed"), pc.equal(evidence["node"], 1))
    rows = evidence.filter(of_receiver).select(["phase", "cpu", "value"]).to_pylist()
    every, own = Counter[int](), Counter[int]()
    for row in rows:
        every[row["phase"]] += row["value"]
        own[row["phase"]] += row["value"] * (row["cpu"] == cpu)
    return {phase: own[phase] / every[phase] for phase in every}


def print_p(
    direct: Interval, by_gamma: Sequence[float], fitted: Estimate, points: Sequence[LoadedPoint]
) -> None:
    low, high = ends(fitted)
    print(
        f"p by processor time:        {direct.median:.3f} ({direct.low:.3f} to {direct.high:.3f})"
    )
    print(f"over the sweep's gammas:    {median(by_gamma):.3f} (middle)")
    print(p_over_gamma_text(points))
    print(f"p by the sweep's throughputs: {fitted.value:.3f} ({low:.3f} to {high:.3f})")
    shares = zip(*(idle_and_taken(one) for one in points[1:]), strict=True)
    idle, taken = (100 * max(each) for each in shares)
    print(
        f"above gamma 0 the receiver's processor was idle for at most {idle:.0f} % of a gamma's time, "
        f"and other programs had it for at most {taken:.0f} %"
    )
    if max(idle, taken) > MOST_OTHER_PCT:
        print(
            "that is too much: its own work was not what limited the stream, "
            "so the sweep says nothing of p"
        )
    else:
        place = "in" if low <= median(by_gamma) <= high else "outside"
        print(f"that over the sweep's gammas lies {place} the interval by throughputs")
    cost = receiving(points)
    if cost.wait_ns is not None:
        message_ns = cost.waits * cost.wait_ns / points[0].size_bytes
        whole_ns = cost.own_ns + message_ns + cost.elsewhere_ns
        print(
            f"p where its waits at gamma 0 count as receiving: {cost.elsewhere_ns / whole_ns:.3f}"
        )


def idle_and_taken(one: LoadedPoint) -> tuple[float, float]:
    """Shares of the receiver's time: neither it nor another program ran; another program ran instead of it."""
    assert one.live is not None
    message_ns = 8e3 * one.size_bytes / one.throughput_mbps
    used_ns = sum(list(one.live.processor_ns.values())[-1][task] for task in ("user", "system"))
    return max(0.0, 1 - used_ns / message_ns - one.live.taken), one.live.taken


def print_own_times(points: Sequence[LoadedPoint], shares: dict[int, float]) -> float:
    """The receiver's processor time without the application's work, over gamma; how far it is from what is said."""
    cost = receiving(points)
    each_us = (cost.wait_ns or 0.0) / 1e3
    print(
        f"\nreceiving {cost.own_ns:.4f} ns a byte, elsewhere {cost.elsewhere_ns:.4f}, a wait {each_us:.1f} us"
    )
    print(
        " gamma  work done  waits a message  own ns/byte  said ns/byte  idle, %  taken, %      p  frames, %"
    )
    off = []
    for one in points:
        assert one.live is not None
        own_ns = one.live.host_ns / one.size_bytes
        said_ns = cost.own_ns + one.live.waits * each_us * 1e3 / one.size_bytes
        off.append(abs(own_ns / said_ns - 1))
        idle, taken = idle_and_taken(one)
        p, frames_pct = one.live.p_at_gamma, 100 * shares.get(one.phase, 0.0)
        print(
            f"{one.gamma:6g} {one.gamma_done:10.3f} {one.live.waits:16.3f} {own_ns:12.4f} {said_ns:13.4f} "
            f"{100 * idle:8.1f} {100 * taken:9.1f} {p.median if p else 0.0:6.2f} {frames_pct:10.0f}"
        )
    print(f"off by {100 * median(off):.1f} % (median)")
    return 100 * median(off)


def receiving(points: Sequence[LoadedPoint]) -> ReceivingTime:
    return next(one.live.receiving for one in points if one.live)


def ends(fitted: Estimate) -> tuple[float, float]:
    return fitted.low or 0.0, 1.0 if fitted.high is None else fitted.high


def goals(
    direct: Interval, by_gamma: Sequence[float], fitted: Estimate, off_pct: float
) -> list[Goal]:
    low, high = ends(fitted)
    return [
        Goal(
            "live gamma: p by processor time over the sweep's gammas, in the interval of p by the sweep",
            median(by_gamma),
            at_least=float(f"{low:.3g}"),
            at_most=float(f"{high:.3g}"),
        ),
        Goal("live gamma: p by the sweep", fitted.value),
        Goal("live gamma: p by processor time before the sweep", direct.median),
        Goal("live gamma: p by processor time at the greatest gamma", by_gamma[-1]),
        Goal("live gamma: receiver's own time from receiving and waits, off by, %", off_pct),
    ]


if __name__ == "__main__":
    main()
