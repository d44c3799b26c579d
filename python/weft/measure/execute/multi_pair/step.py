"""Runs a step of several pairs between two nodes, one arrangement of pairs after the other."""

from __future__ import annotations

import dataclasses
from collections.abc import Sequence

import pyarrow as pa
from msgspec import UNSET
from msgspec.structs import asdict, replace

from weft.measure.execute.crew import Crew
from weft.measure.execute.logbook import Logbook
from weft.measure.execute.multi_pair.counters import grown, interface_names, judge
from weft.measure.execute.multi_pair.evidence import PairEvidence
from weft.measure.execute.multi_pair.synchronised import PairJob, Together
from weft.measure.execute.pair import StepJob
from weft.measure.testbed.agent.agent import Agent
from weft.measure.testbed.agent.reply import BatchTime
from weft.measure.testbed.agent.request import DriveSynchronised
from weft.measure.testbed.base import Node, Testbed
from weft.plan.arrangements import Arrangement, arrangements
from weft.plan.pattern import Exchange, MultiPair, Pingpong, Stream
from weft.plan.phases import expand
from weft.plan.plan import CountRule, Step
from weft.runs.samples import SCHEMA

TRANSPORTS = {"striped": "tcp-striped", "mptcp": "mptcp", "memory": "shm"}
"""The transport of each policy that does not use plain TCP."""
SMALL_FACTOR = 10
"""Small messages are repeated this many times more often."""
WARM_UP = 10
"""A warm-up has one n-th of the messages of a timing."""


@dataclasses.dataclass
class MultiPairStep:
    """Measures what is missing of a step of several pairs in one launch."""

    _testbed: Testbed
    _job: StepJob
    _pattern: MultiPair
    _logbook: Logbook
    _late: int = 0

    def __post_init__(self) -> None:
        self._phases = expand(self._job.step, len(self._testbed.nodes))

    async def run(self, crew: Crew) -> None:
        """Start the processes of all pairs but the first and run the arrangements; raises AgentError."""
        wanted = set(self._job.phases)
        missing = [
            (one, [phase for phase in one.phases if phase in wanted])
            for one in arrangements(self._phases)
        ]
        crews = [crew]
        try:
            for arrangement, phases in missing:
                if phases:
                    await self._enlarge(crews, arrangement.pairs)
                    await self._run_arrangement(crews, arrangement, phases)
        finally:
            for one in crews[1:]:
                self._logbook.refused(one.agents.values())
                await one.close()
        self._warn_of_late()

    def _warn_of_late(self) -> None:
        if self._late:
            self._logbook.meta.warn(
                "pairs-not-together",
                f"{self._logbook.step_name}: in {self._late} timings a pair began after the others",
                "give each pair a processor of its own, and let nothing else run: such sums are low, since they count "
                "from the first start",
            )

    async def _enlarge(self, crews: list[Crew], pairs: int) -> None:
        while len(crews) < pairs:
            crews.append(await Crew.start(self._testbed, [0, 1]))
            crews[-1].need([0, 1])

    async def _run_arrangement(
        self, crews: Sequence[Crew], arrangement: Arrangement, phases: Sequence[int]
    ) -> None:
        ends = [crew.need([0, 1]) for crew in crews[: arrangement.pairs]]
        ahead_ns = await ends[0][0].clock_offset_ns()
        jobs = [self._pair_job(arrangement, pair, *both) for pair, both in enumerate(ends)]
        evidence = PairEvidence(self._logbook.evidence, arrangement.pairs)
        together = Together(jobs, ahead_ns, on_recorded=evidence.take)
        before = [await agent.counters() for agent in ends[0]]
        try:
            await together.connect()
            self._note_settings(together)
            latest: tuple[int, float] | None = None
            for phase in phases:
                latest = await self._run_phase(together, phase, ahead_ns, latest, evidence)
            await together.finish()
            self._late += together.late
        finally:
            together.drop()
            evidence.write()
        after = [await agent.counters() for agent in ends[0]]
        carried = [grown(then, now) for then, now in zip(before, after, strict=True)]
        self._logbook.carried(arrangement, phases, carried)
        largest_bytes = max(self._phases[phase].size_bytes for phase in phases)
        self._judge_interfaces(arrangement, ends[0][0], carried[0], largest_bytes)

    def _judge_interfaces(
        self,
        arrangement: Arrangement,
        driver: Agent,
        carried: dict[str, list[int]],
        largest_bytes: int,
    ) -> None:
        """Warn if an interface that should have carried a share of the data did not."""
        node, networks = self._testbed.nodes[0], self._pattern.networks
        used = arrangement.used(networks)
        addresses = [node.places[network] for network in used]
        names = interface_names(driver.facts, addresses)
        sent = {name: bytes_[1] for name, bytes_ in carried.items()}
        policy, pairs = arrangement.policy, arrangement.pairs
        if warning := judge(policy, pairs, node.name, sent, names, largest_bytes):
            self._logbook.meta.warn(warning.code, warning.message, warning.hint)

    def _pair_job(
        self, arrangement: Arrangement, pair: int, driver: Agent, server: Agent
    ) -> PairJob:
        job = dataclasses.replace(
            self._job,
            step=self._step_of(arrangement, pair, driver, server),
            nodes=self._testbed.nodes[:2],
        )
        places = [self._addresses(node, arrangement, pair) for node in job.nodes]
        drive, serve = (
            replace(job.serve_request(end, places[end]), shares_host=pair > 0) for end in (0, 1)
        )
        return PairJob(driver, server, DriveSynchronised(**asdict(drive)), serve, places[1])

    def _step_of(self, arrangement: Arrangement, pair: int, driver: Agent, server: Agent) -> Step:
        """The step of a single pair, in the form that agents take."""
        step, is_striped = self._job.step, arrangement.policy == "striped"
        return replace(
            step,
            pattern=_of_one_pair(self._pattern),
            transport=TRANSPORTS.get(arrangement.policy, "tcp"),
            options=replace(
                step.options,
                cpus=self._processors(pair, driver, server),
                stripes=self._pattern.networks if is_striped else UNSET,
            ),
        )

    def _processors(self, pair: int, driver: Agent, server: Agent) -> tuple[int, ...]:
        """Process i of a node runs on its i-th processor; nodes on one machine take turns."""
        chosen = self._job.step.options.cpus
        if chosen and self._testbed.is_here:
            return tuple(chosen[(2 * pair + end) % len(chosen)] for end in (0, 1))
        usable = [chosen or agent.facts.processors for agent in (driver, server)]
        return tuple(one[pair % len(one)] for one in usable)

    def _addresses(self, node: Node, arrangement: Arrangement, pair: int) -> list[str]:
        """Addresses of a pair's connections: of one interface, or of each if messages take several paths."""
        addresses = node.places
        if arrangement.policy in ("striped", "mptcp"):
            return list(addresses)
        if arrangement.policy == "bonded":
            return [node.with_bond[self._pattern.bonded or 0]]
        return [addresses[arrangement.networks[pair]]]

    def _note_settings(self, together: Together) -> None:
        names = [self._testbed.nodes[end].name for end in (0, 1)]
        for both in together.settings:
            for name, settings in zip(names, both, strict=True):
                self._logbook.settings(name, settings)

    async def _run_phase(
        self,
        together: Together,
        phase: int,
        ahead_ns: int,
        latest: tuple[int, float] | None,
        evidence: PairEvidence,
    ) -> tuple[int, float]:
        """Measure one size; returns it and the time of a message in ns, from which the next size is estimated."""
        size_bytes = self._phases[phase].size_bytes
        expected_ns = await self._expected_ns(together, size_bytes, latest)
        warm_up = self._most(size_bytes, expected_ns, WARM_UP)
        timings = await together.batch(size_bytes, warm_up)
        message_ns = max(timing.elapsed_ns for timing in timings) / warm_up
        messages = self._most(size_bytes, message_ns, 1)
        found = []
        for trial in range(self._job.step.stop.trials):
            found.append(await together.batch(size_bytes, messages, phase))
            evidence.keep(together.tried, trial)
        self._hand_over(phase, size_bytes, messages, ahead_ns, found)
        slowest_ns = max(timing.elapsed_ns for trial in found for timing in trial)
        return size_bytes, slowest_ns / messages

    async def _expected_ns(
        self, together: Together, size_bytes: int, latest: tuple[int, float] | None
    ) -> float | None:
        """The expected time of a message in ns: the latest size's, scaled by size; at first the time of a single
        message."""
        if latest:
            return latest[1] * max(1.0, size_bytes / latest[0])
        if self._pattern.at_most_ns is None:
            return None
        single = await together.batch(size_bytes, 1)
        return float(max(timing.elapsed_ns for timing in single))

    def _most(self, size_bytes: int, message_ns: float | None, divisor: int) -> int:
        """Messages of a timing or a part of one: as many as the plan gives, fewer if time is short."""
        small = self._pattern.small_bytes
        stop = self._job.step.stop
        assert isinstance(stop, CountRule)
        repeats = stop.repeats * (SMALL_FACTOR if small and size_bytes <= small else 1)
        each = 1 if self._pattern.test == "latency" else self._pattern.window
        messages = max(1, repeats // divisor) * each
        at_most_ns = self._pattern.at_most_ns
        if at_most_ns and message_ns:
            messages = min(messages, int(at_most_ns / divisor / message_ns))
        return max(1, messages)

    def _hand_over(
        self,
        phase: int,
        size_bytes: int,
        messages: int,
        ahead_ns: int,
        found: Sequence[Sequence[BatchTime]],
    ) -> None:
        """Write the rows of a phase: the t-th timing of pair p of k is batch t k + p."""
        same = {
            "step": self._job.step_index,
            "phase": phase,
            "launch": self._job.launch,
            "src": 0,
            "dst": 1,
            "size_bytes": size_bytes,
            "messages": messages,
        }
        epoch_ns = self._job.epoch_ns + ahead_ns
        rows = [
            {**same, "batch": at, "start_ns": one.start_ns - epoch_ns, "elapsed_ns": one.elapsed_ns}
            for at, one in enumerate(timing for trial in found for timing in trial)
        ]
        batch = pa.RecordBatch.from_pylist(rows, schema=SCHEMA)
        self._logbook.phases_measured([phase], [batch])


def _of_one_pair(pattern: MultiPair) -> Pingpong | Stream | Exchange:
    """What each pair does in a test."""
    match pattern.test:
        case "latency":
            return Pingpong()
        case "one-way":
            return Stream(pattern.window)
        case "two-way":
            return Exchange(pattern.window)
