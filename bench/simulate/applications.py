"""Are published gains of offloading predicted?

Applications inside simulated nodes beside the published study of offloading (catalog/published/nic_offload.toml).

usage: bench/run.py applications [--speed]
tier: quick

Prints where the gain over gamma peaks (Table 4.16) at two wire ratios, beside what weft-node predicts, whether LAWS
bounds it, and the web server's published trend. Nothing here was fitted; p4-400 was to latency and throughput alone.
`--speed` only times the sweeps.

Takes about 2 minutes. The published peaks cannot be met together with the study's own machine: see
docs/applications.md. The web server's gain stops growing where all placements are saturated.
"""

from __future__ import annotations

import argparse
import statistics
import time
from collections.abc import Iterator
from dataclasses import dataclass
from itertools import pairwise
from pathlib import Path
from tempfile import TemporaryDirectory

from common.machine import machine
from common.results import Goal, KnownMiss, save
from simulate.inside import print_orders, shown
from simulate.laws import HIGH, LOW, SCHEMES, Peak, read_peaks, read_published
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, start_run
from weft.runs.folder import RunFolder
from weft.understand.kinds.loads.loaded import LoadedPoint, loaded_points
from weft.understand.kinds.loads.web import WebPoint, web_points
from weft.understand.node.occupation import occupation

EXPECTED = {
    "curves of the web server whose gain grows with users, of 6": KnownMiss(
        "the gain stops growing where all placements are saturated", 3
    )
}
PLACEMENTS = ("base", "offload", "onload", "hybrid")
STEP = 0.05
USERS = (100, 500, 1000, 1500, 2000, 2500)
WHOLE = ("steps.stream.compute", '"message"')
"""The study's load thread waits for a message."""
WIRE = 9038 / 8948
"""Bytes on the wire for each of a full segment."""


def carry_out(plan: str, on: str, *settings: tuple[str, str]) -> Iterator[RunFolder]:
    with TemporaryDirectory() as folder:
        request = RunRequest(
            plan, f"node:{on}", RunOptions(out=Path(folder) / "run", settings=dict(settings))
        )
        yield start_run(request)


def sweep(placement: str, link_mbps: float, gammas: str) -> list[LoadedPoint]:
    on = f"p4-400(placement={placement},link.rate={link_mbps:.3f} Mb/s)"
    (points,) = map(
        loaded_points, carry_out("gamma-sweep", on, ("steps.stream.gamma", gammas), WHOLE)
    )
    return points


def visits(placement: str, page: str, users: str) -> list[WebPoint]:
    settings = (("steps.webserver.users", users), ("steps.webserver.sizes", f'["{page}"]'))
    (points,) = (
        web_points(run, occupation(run))
        for run in carry_out("webserver", f"p4-400-{placement}", *settings)
    )
    return points


@dataclass(frozen=True)
class Predicted:
    """A peak of Table 4.16, and what the simulator has: all its points, and that at the measured peak's gamma."""

    peak: Peak
    points: list[LoadedPoint]
    there: LoadedPoint

    @property
    def best(self) -> LoadedPoint:
        return max(self.points, key=lambda one: one.gain)

    @property
    def ratio_error_pct(self) -> float:
        """How far throughput after over before is off at the measured peak's gamma."""
        return 100 * ((1 + self.there.gain) / (1 + self.peak.gain_pct / 100) - 1)


def predict(peak: Peak, host_mbps: float) -> Predicted:
    """With a link that is so fast that the host alone fills the peak's share of it."""
    link_mbps = host_mbps * WIRE / peak.sigma
    points = sweep(peak.scheme, link_mbps, f"{LOW}:{HIGH}:{STEP}")
    (there,) = sweep(peak.scheme, link_mbps, f"[{peak.gamma}]")
    return Predicted(peak, points, there)


def print_peaks() -> list[Goal]:
    print("Table 4.16, peaks of the gain over gamma, in per cent; there: at the published gamma")
    found = predict_all()
    for one in found:
        peak, best, there = one.peak, one.best, one.there
        print(
            f"  {peak.scheme:8s} sigma {peak.sigma:<4g} published {peak.gain_pct:6.2f} at {peak.gamma:.2f}"
            f"   computed {100 * best.gain:6.2f} at {best.gamma:.2f}"
            f"   there {100 * there.gain:6.2f} ({100 * there.gain - peak.gain_pct:+6.2f} points,"
            f" ratio {one.ratio_error_pct:+5.1f} %)   LAWS there {100 * there.laws_gain:6.2f}"
        )
    errors = [abs(one.ratio_error_pct) for one in found]
    median_pct = statistics.median(errors)
    print(f"  median error of throughput after over before: {median_pct:.1f} %")
    what = "median error of throughput after over before, at the published peaks' gamma"
    every = [one for each in found for one in each.points]
    excess = max(one.throughput_mbps / one.laws_mbps for one in every)
    print(f"  throughput is at most {excess:.3f} of LAWS's")
    return [
        Goal(what, median_pct, "%", at_most=10),
        *print_orders(orders(found)),
        Goal("highest throughput, of what LAWS allows", excess),
    ]


def predict_all() -> list[Predicted]:
    """All peaks of Table 4.16."""
    # The rate of a host that only communicates: LAWS's 1/(o X), on a link that does not limit it.
    (alone,) = sweep("base", 10_000, "[0]")
    return [predict(peak, alone.laws_before_mbps) for peak in read_peaks(read_published())]


def orders(found: list[Predicted]) -> Iterator[tuple[str, bool, str]]:
    low, high = 0.2, 1.0
    best = {(one.peak.scheme, one.peak.sigma): one.best for one in found}
    gains = shown({f"{s} {sigma}": 100 * one.gain for (s, sigma), one in best.items()})
    gammas = shown({f"{s} {sigma}": one.gamma for (s, sigma), one in best.items()})
    grows = all(best[s, low].gain > best[s, high].gain for s in SCHEMES)
    yield "laws_sigma_trend, peak", grows, gains
    moves = all(best[s, low].gamma < best[s, high].gamma for s in SCHEMES)
    yield "laws_sigma_trend, its gamma", moves, gammas
    onload = all(best["onload", s].gain > best["offload", s].gain for s in (low, high))
    yield "laws_onload_vs_offload", onload, gains


def web_order() -> tuple[str, bool, str]:
    """Published is the improvement at 2500 users above that at 100."""
    ends = str([USERS[0], USERS[-1]])
    rates = {at: [one.pages_per_s for one in visits(at, "5 kB", ends)] for at in PLACEMENTS}
    gains = {
        at: [100 * (rate / before - 1) for rate, before in zip(mine, rates["base"], strict=True)]
        for at, mine in rates.items()
        if at != "base"
    }
    grows = all(few < many for few, many in gains.values())
    text = "; ".join(f"{at} {few:+.1f}, {many:+.1f} %" for at, (few, many) in gains.items())
    return "web_load_trend", grows, text


def print_web() -> list[Goal]:
    print("\nweb server, pages in a second over users; gain over base in per cent")
    trends = []
    for page in ("5 kB", "300 kB"):
        found = {at: visits(at, page, str(list(USERS))) for at in PLACEMENTS}
        print(f"  {page:8s}" + "".join(f"{users:>16d}" for users in USERS))
        base = [one.pages_per_s for one in found["base"]]
        for at, points in found.items():
            rates = [one.pages_per_s for one in points]
            gains = [100 * (rate / before - 1) for rate, before in zip(rates, base, strict=True)]
            cells = zip(rates, gains, strict=True)
            row = "".join(f"{rate:9.0f} {gain:+6.1f}" for rate, gain in cells)
            # Below 1 % it is chance: users think at random.
            steps = all(later > earlier - 1.0 for earlier, later in pairwise(gains))
            grows = steps and gains[-1] > gains[0]
            trend = "" if at == "base" else f"   web_load_trend, grows with users: {said(grows)}"
            print(f"  {at:8s}{row}{trend}")
            trends += [grows] if trend else []
    count = len(trends)
    what = f"curves of the web server whose gain grows with users, of {count}"
    return [Goal(what, sum(trends), at_least=count)]


def speeds() -> Iterator[Goal]:
    """Each sweep with each placement; the slowest of these counts."""
    for plan, page in (("gamma-sweep", ""), ("webserver", "5 kB"), ("webserver", "300 kB")):
        settings = [("steps.webserver.sizes", f'["{page}"]')] if page else []
        took_s = [timed(plan, placement, settings) for placement in PLACEMENTS]
        name = " ".join(filter(None, (plan, page)))
        yield Goal(f"{name}, slowest placement", max(took_s), "s", at_most=20 if page else None)


def timed(plan: str, placement: str, settings: list[tuple[str, str]]) -> float:
    began = time.perf_counter()
    (simulation,) = (
        run.meta.testbed["simulation"] for run in carry_out(plan, f"p4-400-{placement}", *settings)
    )
    took_s = time.perf_counter() - began
    rate = simulation["events"] / took_s / 1e6
    sizes = "".join(f", {value}" for _, value in settings)
    print(
        f"{plan}, {placement}{sizes}: {took_s:.2f} s, {simulation['events']:,} events, "
        f"{rate:.1f} million/s"
    )
    return took_s


def said(holds: bool) -> str:
    return "yes" if holds else "NO"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--speed", action="store_true", help="only how long it takes")
    chosen = parser.parse_args()
    print(machine(), flush=True)
    if not chosen.speed:
        save("applications", print_peaks() + print_web(), expected=EXPECTED)
    save("applications", list(speeds()), "speed")


if __name__ == "__main__":
    main()
