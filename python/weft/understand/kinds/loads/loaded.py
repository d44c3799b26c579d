"""Streams whose receiver also computes: throughput over the LAWS ratio gamma, the gain of offload, and its bound."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Any

from weft.runs.columns.tables import APPLICATIONS_NAME
from weft.runs.folder import RunFolder
from weft.understand.curve.curve import column, message_times_us, to_mbps
from weft.understand.kinds.loads.live_loads import LiveLoad, LiveStep, RecordedLoads, live_steps
from weft.understand.kinds.loads.receiving_cost import elsewhere_byte_ns, host_byte_ns


@dataclass(frozen=True)
class LoadedPoint:
    """A stream of messages of one size under one load.

    `before_mbps` is the throughput under the same load if the application's processor does everything. `laws_mbps` is
    the bound by LAWS (equations 1.5 to 1.7), from the work of each stage measured at gamma 0: `host_share` and
    `other_share` are relative to the work of the application's processor before offload.
    """

    step: int
    phase: int
    transport: str
    size_bytes: int
    gamma: float
    throughput_mbps: float
    before_mbps: float
    laws_mbps: float
    laws_before_mbps: float
    host_share: float
    other_share: float
    live: LiveLoad | None = None
    """Set if the point was measured, not simulated."""

    @property
    def gamma_done(self) -> float:
        """The work actually done over that of communication; a simulated machine does exactly `gamma`."""
        return self.live.gamma_done if self.live else self.gamma

    @property
    def own_mbps(self) -> float:
        """Throughput over the time that other programs left to the receiver."""
        return self.throughput_mbps / (1.0 - self.live.taken if self.live else 1.0)

    @property
    def gain(self) -> float:
        """The relative gain over `before_mbps` (equation 1.8): 0.3 if it is 30 % faster."""
        return self.throughput_mbps / self.before_mbps - 1.0

    @property
    def laws_gain(self) -> float:
        """The largest gain that LAWS allows."""
        return self.laws_mbps / self.laws_before_mbps - 1.0

    @property
    def load(self) -> str:
        """The name of the load."""
        return f"gamma {self.gamma:g}"

    def to_json(self) -> dict[str, Any]:
        """The point as `weft show --json` prints it: the keys of other points, and its own."""
        return {
            "step": self.step,
            "pattern": "stream",
            "transport": self.transport,
            "size_bytes": self.size_bytes,
            "latency_us": None,
            "throughput_mbps": dict.fromkeys(("median", "low", "high"), self.throughput_mbps),
            "launches": 1,
            "modes": 1,
            "gamma": self.gamma,
            "before_mbps": self.before_mbps,
            "gain": self.gain,
            "laws_mbps": self.laws_mbps,
            "laws_gain": self.laws_gain,
            **(self.live.to_json() if self.live else {}),
        }


def loaded_points(run: RunFolder) -> list[LoadedPoint]:
    """The loaded points by step, size and gamma; empty if the run has no application load."""
    rows = run.side_table(APPLICATIONS_NAME).to_pylist()
    rates = phase_rates(run) if rows else {}
    if run.meta.costs:
        return _live_points(run)
    return [_point(run, row, *rates[row["step"], row["phase"]]) for row in rows]


def phase_rates(run: RunFolder) -> dict[tuple[int, int], tuple[int, float]]:
    """Message size and throughput in Mb/s over all batches, by (step, phase)."""
    samples, found = run.samples, dict[tuple[int, int], list[float]]()
    names = ("step", "phase", "size_bytes", "messages")
    rows = zip(*(column(samples, name).tolist() for name in names), strict=True)
    for (step, phase, size_bytes, messages), each_us in zip(
        rows, message_times_us(run).tolist(), strict=True
    ):
        sums = found.setdefault((step, phase), [size_bytes, 0.0, 0.0])
        sums[1] += messages
        sums[2] += messages * each_us
    return {
        key: (int(size), float(to_mbps(size, took_us / messages)))
        for key, (size, messages, took_us) in found.items()
    }


def _point(run: RunFolder, row: dict[str, Any], size_bytes: int, mbps: float) -> LoadedPoint:
    gamma, whole_ns, link_ns = row["gamma"], row["communication_ns"], row["link_ns"]
    host_ns = row["host_ns"] + gamma * whole_ns
    return LoadedPoint(
        step=row["step"],
        phase=row["phase"],
        transport=run.meta.plan.steps[row["step"]].transport,
        size_bytes=size_bytes,
        gamma=gamma,
        throughput_mbps=mbps,
        before_mbps=_mbps(row["before_ns"]),
        laws_mbps=_mbps(max(host_ns, row["other_ns"], link_ns)),
        laws_before_mbps=_mbps(max(whole_ns * (1.0 + gamma), link_ns)),
        host_share=row["host_ns"] / whole_ns,
        other_share=row["other_ns"] / whole_ns,
    )


def _live_points(run: RunFolder) -> list[LoadedPoint]:
    seen = RecordedLoads(run)
    return [
        _live_point(step, phase, step.load(phase, seen))
        for step in live_steps(run)
        for phase in step.phases
        if phase in step.times_us
    ]


def _live_point(step: LiveStep, phase: int, live: LiveLoad) -> LoadedPoint:
    """The throughput before offload is measured in an earlier step with the same work, or else computed by LAWS.

    The busiest other stage is the sender, or the soft interrupts on other processors of the receiver's node; the link's
    rate is unknown.
    """
    whole_ns, cost = step.communication_ns, step.cost
    host_ns = host_byte_ns(cost)
    other_ns = max(cost["sender_ns"] / cost["bytes"], elsewhere_byte_ns(cost))
    before_mbps = _mbps(whole_ns * (1.0 + live.gamma_done))
    throughput_mbps = live.throughput_mbps.median
    return LoadedPoint(
        step=step.step,
        phase=phase,
        transport=step.run.meta.plan.steps[step.step].transport,
        size_bytes=step.size_bytes,
        gamma=step.phases[phase],
        throughput_mbps=throughput_mbps,
        before_mbps=throughput_mbps / (1 + live.gain.median) if live.gain else before_mbps,
        laws_mbps=_mbps(max(host_ns + live.gamma_done * whole_ns, other_ns)),
        laws_before_mbps=before_mbps,
        host_share=host_ns / whole_ns,
        other_share=other_ns / whole_ns,
        live=live,
    )


def _mbps(byte_ns: float) -> float:
    return 8e3 / byte_ns
