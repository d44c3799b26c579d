"""What one step of one launch leaves in the run: samples, and what is needed to interpret them."""

from __future__ import annotations

import statistics
from collections.abc import Callable, Collection, Iterable, Iterator, Mapping, Sequence
from dataclasses import dataclass, field
from typing import cast

import pyarrow as pa
import pyarrow.compute as pc
from msgspec.structs import asdict

from weft.base.nodeset import fold
from weft.measure.execute.evidence import EvidenceLog
from weft.measure.testbed.agent.agent import Agent
from weft.measure.testbed.agent.reply import (
    Activities,
    Activity,
    Delivery,
    Driven,
    JoinReply,
    Responses,
    Settings,
)
from weft.plan.arrangements import Arrangement
from weft.plan.pattern import Traffic
from weft.plan.phases import Phase
from weft.runs.columns.tables import ACTIVITIES_NAME, LAPS_NAME, PAGES_NAME, SCHEMAS, TRAFFIC_NAME
from weft.runs.experiment import Experiment, chosen_record
from weft.runs.folder import RunWriter
from weft.runs.meta import RunMeta
from weft.runs.records import records
from weft.runs.samples import SCHEMA
from weft.understand.host.disturbed import Tally


@dataclass
class Logbook:
    """Writes to the run on behalf of one step and launch. `on_phases` is called with phases that are over, and `tally`
    sums up the evidence of the launch."""

    writer: RunWriter
    step: int
    launch: int
    on_phases: Callable[[Collection[int]], None]
    tally: Tally = field(default_factory=Tally)

    def __post_init__(self) -> None:
        self.evidence = EvidenceLog(self.writer, self.step, self.launch, self.tally)
        self.knobs: dict[str, dict[str, str]] = {}
        """Settings that were changed for this step and read back, by the name of the node."""
        self._pauses: dict[tuple[int, ...], list[float]] = {}

    @property
    def meta(self) -> RunMeta:
        return self.writer.meta

    @property
    def step_name(self) -> str:
        return self.meta.plan.steps[self.step].name

    def name(self, node: int) -> str:
        """A node's name."""
        return str(self.meta.nodes[node]["name"])

    def names(self, nodes: Iterable[int]) -> list[str]:
        return [self.name(node) for node in sorted(nodes)]

    def phases_measured(self, phases: Collection[int], batches: Sequence[pa.RecordBatch]) -> None:
        """Write complete phases. Their samples reach the run together, so that a kill leaves all of them or none; their
        evidence goes first, since it is ignored without samples."""
        self.evidence.phases_measured(phases)
        table = pa.Table.from_batches(batches, schema=SCHEMA).combine_chunks()
        for batch in table.to_batches():
            self.writer.append(batch)
        self.on_phases(phases)

    def deliveries(self, rows: Sequence[Delivery]) -> None:
        """Record the delivery of the messages of batches, replacing earlier records of the same phases."""
        self.counted([asdict(row) for row in rows])

    def counted(self, rows: Sequence[dict[str, int]]) -> None:
        """Record deliveries given as dictionaries, replacing earlier records of the same phases."""
        kept = [
            one
            for one in self.meta.deliveries
            if not self._is_of(one, {row["phase"] for row in rows})
        ]
        added = [{"step": self.step, "launch": self.launch} | row for row in rows]
        self.meta.deliveries = [*kept, *cast(list[records.DeliveryRecord], added)]

    def spent(self, by_node: Mapping[int, Activities]) -> None:
        """Record how the nodes spent their time in a phase that is a program, before its samples; earlier rows of the
        phase are replaced. Times count from when the last node has begun."""
        phases = {one.phase for one in by_node.values()}
        rows = [row for phase in phases for row in _spent_rows(by_node, phase)]
        self._replace(ACTIVITIES_NAME, phases, rows)
        if any(one.laps for one in by_node.values()):
            laps = [row for phase in phases for row in _lap_rows(by_node, phase)]
            self._replace(LAPS_NAME, phases, laps)

    def driven(self, by_node: Mapping[int, Driven], activities: Mapping[int, Activities]) -> None:
        """Record where cars are after a traffic phase, and how long it took, before its samples."""
        phase = next(iter(by_node.values())).phase
        seconds = self.meta.plan.steps[self.step].pattern_as(Traffic).seconds
        row = driven_row(by_node.values(), [one.activities[0] for one in activities.values()])
        key = {"phase": phase, "nodes": len(by_node), "seconds": seconds, "steps": seconds}
        self._replace(TRAFFIC_NAME, {phase}, [key | row])

    def _replace(
        self, name: str, phases: Collection[int], rows: Sequence[Mapping[str, int]]
    ) -> None:
        """Replace a table's rows of these phases in this step and launch."""
        before = self.writer.stored_table(name)
        mine = pc.and_(
            pc.equal(before["step"], self.step),
            pc.and_(
                pc.equal(before["launch"], self.launch),
                pc.is_in(before["phase"], pa.array(sorted(phases), pa.int32())),
            ),
        )
        schema = SCHEMAS[name]
        key = {"step": self.step, "launch": self.launch}
        added = pa.Table.from_pylist([key | dict(row) for row in rows], schema)
        table = pa.concat_tables([before.filter(pc.invert(mine)), added])
        self.writer.write_table(name, table)

    def pages(self, found: Responses) -> None:
        """Record what the users of a web server measured in a phase, before its samples; an earlier row is replaced."""
        row = asdict(found) | {"step": self.step, "launch": self.launch}
        schema = SCHEMAS[PAGES_NAME]
        before = self.writer.stored_table(PAGES_NAME)
        key = [pc.equal(before[name], row[name]) for name in ("step", "launch", "phase")]
        others = before.filter(pc.invert(pc.and_(pc.and_(key[0], key[1]), key[2])))
        columns = {name: [row[name]] for name in schema.names}
        table = pa.concat_tables([others, pa.table(columns, schema=schema)])
        self.writer.write_table(PAGES_NAME, table)

    def carried(
        self,
        arrangement: Arrangement,
        phases: Collection[int],
        by_node: Sequence[dict[str, list[int]]],
    ) -> None:
        """Record what the interfaces of the two nodes received and sent in an arrangement of pairs."""
        for node, grown in enumerate(by_node):
            carried: records.CarriedRecord = {
                "step": self.step,
                "launch": self.launch,
                "policy": arrangement.policy,
                "pairs": arrangement.pairs,
                "first": arrangement.networks[0],
                "phases": sorted(phases),
                "node": self.name(node),
                "bytes": grown,
            }
            self.meta.carried.append(carried)

    def barrier(self, phase: int, by_node_us: Sequence[float]) -> None:
        """Record the time of each node in a phase's barrier, in us; each waits for the last."""
        if by_node_us:
            median_us = round(statistics.median(by_node_us), 1)
            self.meta.barriers.append(
                {"step": self.step, "launch": self.launch, "phase": phase, "barrier_us": median_us}
            )

    def phase_incomplete(self, phase: int, nodes: Collection[int], reason: str) -> None:
        """Record that something is missing in a phase; what is known of it is kept."""
        names = self.names(nodes)
        for entry in self.meta.incomplete:
            if self._is_of(entry, [phase]):
                entry["nodes"] = sorted({*entry["nodes"], *names})
                if reason not in entry["reason"]:
                    entry["reason"] += f"; {reason}"
                return
        self.meta.incomplete.append(
            records.Incomplete(
                step=self.step, launch=self.launch, phase=phase, nodes=names, reason=reason
            )
        )

    def forget(self, phases: Collection[int]) -> None:
        """Drop the records of what is missing in phases that are about to be measured (again)."""
        again = {*phases, None}
        meta = self.meta
        meta.incomplete = [one for one in meta.incomplete if not self._is_of(one, again)]
        meta.lost = [one for one in meta.lost if not self._is_of(one, again)]

    def phase_chosen(self, phase: Phase, experiments: Sequence[Experiment]) -> None:
        """Record a phase that was chosen and is about to run."""
        self.meta.phases.append(chosen_record(self.step, self.launch, phase, experiments))

    def nodes_lost(self, reasons: Mapping[int, str], phase: int | None) -> None:
        """Record failed nodes each time; warn of each once in a run, in one warning for nodes that share a reason."""
        since = self.step_name if phase is None else f"phase {phase} of {self.step_name}"
        known = {entry["node"] for entry in self.meta.lost}
        together: dict[str, list[str]] = {}
        for node, reason in reasons.items():
            if self.name(node) not in known:
                together.setdefault(reason, []).append(self.name(node))
            self._note_lost(node, phase, reason)
        for reason, names in together.items():
            self.meta.warn(
                "node-lost",
                f"{fold(names)}: {reason}; from {since} on the others went on without "
                f"{'it' if len(names) == 1 else 'them'}",
                "what the others measured is complete; to have all, mend what is wrong and measure again",
            )

    def _note_lost(self, node: int, phase: int | None, reason: str) -> None:
        self.meta.lost.append(
            {
                "node": self.name(node),
                "step": self.step,
                "launch": self.launch,
                "phase": phase,
                "reason": reason,
            }
        )

    def node_missing(self, node: int, reason: str, is_told: bool = False) -> None:
        """Record a node that was lost before this step, once a launch. `is_told`: it was warned of already."""
        lost = {(entry["node"], entry["launch"]) for entry in self.meta.lost}
        if (self.name(node), self.launch) not in lost:
            if is_told:
                self._note_lost(node, None, reason)
            else:
                self.nodes_lost({node: reason}, None)

    def joined(self, node: int, answer: JoinReply) -> None:
        """Record a node's clock and its settings as the kernel reports them."""
        name = self.name(node)
        clock: records.ClockOffset = {
            "node": name,
            "offset_ns": answer.offset_ns,
            "error_ns": answer.error_ns,
        }
        others = [one for one in self.meta.clocks if one["node"] != name]
        self.meta.clocks = [*others, clock]
        self.settings(name, answer.effective)

    def settings(self, name: str, settings: Settings) -> None:
        """Record the effective settings of a node, once a step and launch; warns if the kernel granted less."""
        if knobs := self.knobs.get(name):
            settings = {**settings, "knobs": knobs}
        known = ((one["step"], one["launch"], one["node"]) for one in self.meta.effective)
        if (self.step, self.launch, name) in known:
            return
        self.meta.effective.append(
            {"step": self.step, "launch": self.launch, "node": name, "settings": settings}
        )
        self._check_buffers(name, settings)

    def refused(self, agents: Iterable[Agent]) -> None:
        """Count the connections that agents have refused; one warning for each node states the sum of all launches."""
        for agent in agents:
            if count := agent.take_refused():
                self.meta.count_refused(agent.node, count)

    def held_up(self, nodes: tuple[int, ...], pause_s: float) -> None:
        """Record that nothing moved for `pause_s` while others waited for these nodes, and that all then continued."""
        self._pauses.setdefault(nodes, []).append(pause_s)

    def _warn_of_pauses(self) -> None:
        for nodes, pauses_s in self._pauses.items():
            names = fold(self.names(nodes))
            often = "once" if len(pauses_s) == 1 else f"{len(pauses_s)} times"
            self.meta.warn(
                "held-up",
                f"{self.step_name}: nothing moved {often}, for up to {max(pauses_s):.1f} s, while others waited for "
                f"{names}",
                "look for a link that comes and goes (`ip -s link`, the switch's log), or a machine that is too busy",
            )

    def finish(self) -> None:
        """Record that the step ran to its end in this launch."""
        self._warn_of_pauses()
        if [self.step, self.launch] not in self.meta.done:
            self.meta.done.append([self.step, self.launch])
        self.writer.sync()

    def _is_of(
        self,
        entry: records.Incomplete | records.LostNode | records.DeliveryRecord,
        phases: Collection[int | None],
    ) -> bool:
        """Whether a record is about one of these phases of the step in this launch."""
        return (entry["step"], entry["launch"]) == (self.step, self.launch) and entry[
            "phase"
        ] in phases

    def _check_buffers(self, name: str, settings: Settings) -> None:
        options = self.meta.plan.steps[self.step].options
        for key, limit in (("send_buffer_bytes", "wmem_max"), ("receive_buffer_bytes", "rmem_max")):
            asked = getattr(options, key)
            given = settings.get(key)
            if asked is not None and isinstance(given, int) and given < 2 * asked:
                self.meta.warn(
                    "buffer-capped",
                    f"{name}: asked for a {key.removesuffix('_bytes').replace('_', ' ')} of {asked} bytes, "
                    f"the kernel gave {given // 2}",
                    f"raise net.core.{limit} on {name}, or take less",
                )


def driven_row(driven: Collection[Driven], spent: Sequence[Activity]) -> dict[str, int]:
    """The sum over all nodes: cars and messages add up; a phase lasts from the last node's start to the last node's
    end."""
    counts = ("home", "waiting", "driving", "arrived", "passed", "messages", "bytes")
    row = {name: sum(getattr(one, name) for one in driven) for name in counts}
    row |= {
        f"{kind}_ns": sum(getattr(one, f"{kind}_ns") for one in spent)
        for kind in ("compute", "communicate", "wait")
    }
    hash_sum = sum(one.hash for one in driven) % 2**64
    row["hash"] = hash_sum - 2**64 if hash_sum >= 2**63 else hash_sum
    row["elapsed_ns"] = max(one.end_ns for one in spent) - max(one.start_ns for one in spent)
    return row


def _lap_rows(by_node: Mapping[int, Activities], phase: int) -> Iterator[dict[str, int]]:
    begun_ns = max(one.activities[0].start_ns for one in by_node.values())
    for node, said in by_node.items():
        for one in said.laps:
            row = {"phase": phase, "node": node} | asdict(one)
            yield row | {
                "begin_ns": one.begin_ns - begun_ns,
                "end_ns": one.end_ns - begun_ns,
            }


def _spent_rows(by_node: Mapping[int, Activities], phase: int) -> Iterator[dict[str, int]]:
    trials = zip(*(one.activities for one in by_node.values()), strict=True)
    for trial, spent in enumerate(trials):
        begun_ns = max(one.start_ns for one in spent)
        for node, one in zip(by_node, spent, strict=True):
            yield {
                "phase": phase,
                "trial": trial,
                "node": node,
                "compute_ns": one.compute_ns,
                "communicate_ns": one.communicate_ns,
                "wait_ns": one.wait_ns,
                "end_ns": max(0, one.end_ns - begun_ns),
            }
