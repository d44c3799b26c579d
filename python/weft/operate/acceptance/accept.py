"""Carries out an acceptance: a check, then as few measurements as needed, the cheapest first."""

from __future__ import annotations

import datetime
import os
import time
from collections.abc import Collection, Iterator
from dataclasses import dataclass, field
from pathlib import Path

import msgspec
from msgspec import Struct

from weft.base.errors import RequestError
from weft.measure.execute.lab_scale.load import OfferedLoad
from weft.measure.execute.lab_scale.settle import announce, fabric_to_build, settle_scale
from weft.measure.execute.progress import Reporter, Showing
from weft.measure.execute.work_folder import (
    REQUEST_NAME,
    WorkFolder,
    request_to_resume,
    side_effects_of_work,
)
from weft.measure.testbed.open import look_at_testbed, open_testbed
from weft.network.fabrics.load import load_fabric
from weft.operate.acceptance import plans
from weft.operate.acceptance.declared import Promise, refuse_other_hosts, refuse_unpromised
from weft.operate.acceptance.judgement import AcceptanceData, default_requirements, verdicts
from weft.operate.acceptance.requirements import Requirement, read_requirements
from weft.operate.acceptance.suspects import again_of, again_pairs
from weft.operate.acceptance.verdict import AcceptanceResult, RequirementVerdict
from weft.operate.preflight.probe import look
from weft.operate.preflight.reach import refuse_unreached
from weft.operate.preflight.record import ClusterRecord
from weft.runs.folder import RunFolder
from weft.runs.meta import Warning
from weft.runs.run_warnings import of_runs
from weft.runs.work_document import WorkDocument, fresh_folder, refuse_taken, write_json

COMMAND = "weft accept"
RECORD_NAME = "check.json"
ACCEPTANCE = WorkDocument("acceptance.json", AcceptanceResult, COMMAND)
MOST_LOOKS = 3
"""Pairs whose intervals do not decide are measured again at most this often."""


class AcceptRequest(Struct, frozen=True):
    """What a user asks for; `expect` is a file of requirements, `fabric` a name or a file."""

    testbed: str
    out: str
    expect: str | None = None
    fabric: str | None = None
    scale: float | None = None
    nodes: int | None = None
    ports: str | None = None
    patience_s: float = 10.0
    notes: tuple[Warning, ...] = ()
    """Warnings about the scale."""
    title: str | None = None
    """Heading of the page, in place of the testbed's name; `customer` and `order` are told on it."""
    customer: str | None = None
    order: str | None = None

    @property
    def needs_full_rates(self) -> bool:
        """Whether rates or times are required that a scaled lab cannot have."""
        wanted = read_requirements(self.expect) if self.expect else []
        return any(
            one.kind.value in ("rate", "time") and one.kind.source == "pairs" for one in wanted
        )


def accept(request: AcceptRequest, showing: Showing) -> AcceptanceResult:
    """Measure until all requirements are decided, or cannot be; raises RequestError before anything is started."""
    refuse_taken(Path(request.out), f"{COMMAND} --resume {request.out}")
    work = _Work.of(request)
    settled = _at_carried_scale(request)
    if settled != request:
        work = _Work.of(settled)
    with fresh_folder(Path(request.out)):
        write_json(Path(request.out) / REQUEST_NAME, settled)
        return work.carry_out(showing)


def _at_carried_scale(request: AcceptRequest) -> AcceptRequest:
    """The request with the scale of a lab settled; all of its hosts send at once at times."""
    fabric = fabric_to_build(request.testbed)
    if fabric is None:
        return request
    everything = OfferedLoad.of_all(fabric, request.nodes)
    given = 1.0 if request.scale is None and request.needs_full_rates else request.scale
    found = settle_scale(fabric, given, [everything])
    return msgspec.structs.replace(request, scale=found.scale, notes=found.notes)


def resume(directory: str, showing: Showing, approved: Collection[str] = ()) -> AcceptanceResult:
    """Continue an interrupted acceptance; measurements are kept. Raises RequestError, also if the folder names commands
    that were not `approved`."""
    request = request_to_resume(directory, AcceptRequest, COMMAND, approved)
    return _Work.of(request).carry_out(showing)


def side_effects_of_acceptance(directory: str) -> list[str]:
    """What resuming an acceptance does beyond starting agents; raises RequestError."""
    return side_effects_of_work(directory, AcceptRequest, COMMAND)


@dataclass
class _Work:
    """An acceptance while it is carried out."""

    _request: AcceptRequest
    _names: tuple[str, ...]
    _promise: Promise | None
    _requirements: list[Requirement]
    _is_computed: bool
    _message: str
    _began: float = field(default_factory=time.monotonic)
    _record: ClusterRecord | None = None
    _runs: dict[str, RunFolder] = field(default_factory=dict)

    @classmethod
    def of(cls, request: AcceptRequest) -> _Work:
        """Prepare an acceptance; every error in the request is found here and raised as RequestError."""
        given = read_requirements(request.expect) if request.expect else None
        if request.testbed.partition(":")[0] == "slurm" and "SLURM_JOB_ID" not in os.environ:
            raise RequestError(
                f"--on {request.testbed}: each measurement would be on other nodes",
                "do it inside of one allocation: salloc -N 8 weft accept --on slurm: ...",
            )
        with look_at_testbed(
            request.testbed, request.scale, request.nodes, request.ports
        ) as testbed:
            names = tuple(node.name for node in testbed.nodes)
            is_computed = testbed.is_computed
        promise = _promise(request, names)
        if given is not None and promise is not None:
            refuse_unpromised(given, promise)
        wanted = given or default_requirements(names, promise, is_computed)
        if not wanted:
            raise RequestError(
                f"--on {request.testbed}: nothing is declared, and there are too few nodes to compare",
                "say what is required: --expect FILE",
            )
        message = _computed_message(request, names) if is_computed else plans.MESSAGE
        return cls(request, names, promise, wanted, is_computed, message)

    @property
    def _folder(self) -> WorkFolder:
        return WorkFolder(COMMAND, self._request, self._request.notes)

    def carry_out(self, showing: Showing) -> AcceptanceResult:
        started = datetime.datetime.now(datetime.UTC).isoformat(timespec="seconds")
        if not self._is_computed:
            with showing("check") as reporter:
                announce(self._request.notes, reporter)
                self._check(reporter)
        for name, plan in self._measurements():
            with showing(name) as reporter:
                self._measure(name, plan, reporter)
        found = AcceptanceResult(
            self._request.testbed,
            self._names,
            self._expected_from,
            tuple(str(run.directory) for run in self._runs.values()),
            tuple(self._verdicts()),
            started,
            round(time.monotonic() - self._began, 1),
            of_runs(self._runs.values()),
            again_of(self._measured.pairs),
        )
        ACCEPTANCE.write(self._folder.path, found)
        return found

    @property
    def _expected_from(self) -> str:
        if self._request.expect:
            return self._request.expect
        most = "what most of the nodes do"
        return f"fabric {self._promise.fabric['name']} and {most}" if self._promise else most

    def _check(self, reporter: Reporter) -> None:
        """Run the check. A continued acceptance repeats it, because a dead node may have been repaired."""
        request = self._request
        with open_testbed(request.testbed, request.scale, request.nodes, request.ports) as testbed:
            self._record = look(testbed, reporter)
        refuse_unreached(self._record)
        write_json(self._folder.path / RECORD_NAME, self._record.to_json())

    def _measurements(self) -> Iterator[tuple[str, str]]:
        """The plans that are needed, the cheapest first; each is chosen after the previous one was carried out."""
        places = [self._names.index(name) for name in self._measured.usable]
        positions = plans.positions_of(places)
        sources = {
            one.kind.source
            for one in self._requirements
            if len(places) >= max(2, one.kind.least_nodes)
        }
        sizes = sorted({*plans.SIZES, *(one.size_bytes for one in self._requirements)} - {0})
        if sources - {"check", "limits"}:
            yield "pairs", plans.screen_plan(positions, sizes, self._message)
            yield from self._again(places, sizes)
        if "bisection" in sources:
            yield "bisection", plans.bisection_plan(positions)
        if "all-to-all" in sources:
            yield "all-to-all", plans.all_to_all_plan(positions)
        if "limits" in sources and self._promise is not None:
            yield "limits", plans.limits_plan(positions)

    def _again(self, places: list[int], sizes: list[int]) -> Iterator[tuple[str, str]]:
        """Plans for the worst pairs, until their intervals decide or have been measured often enough."""
        if self._measured.pairs is None:
            return
        wanted = again_pairs(self._measured.pairs, self._requirements)
        chosen = [(places[a], places[b]) for a, b in wanted]
        for number in range(1, MOST_LOOKS + 1):
            yield f"again-{number}", plans.again_plan(chosen, sizes, self._message)
            pairwise = [one for one in self._requirements if one.kind.source == "pairs"]
            if self._is_computed or all(
                verdict.status != "not decided" for verdict in self._verdicts(pairwise)
            ):
                return

    @property
    def _measured(self) -> AcceptanceData:
        return AcceptanceData(self._names, self._record, self._promise, self._runs)

    def _verdicts(self, requirements: list[Requirement] | None = None) -> list[RequirementVerdict]:
        return verdicts(
            self._requirements if requirements is None else requirements, self._measured
        )

    def _measure(self, name: str, plan: str, reporter: Reporter) -> None:
        """Measure a plan; one that fails decides nothing."""
        self._runs[name] = self._folder.measure(name, plan, reporter)


def _promise(request: AcceptRequest, names: tuple[str, ...]) -> Promise | None:
    """What the given fabric, or the testbed's own, declares; raises RequestError."""
    kind, _, name = request.testbed.partition(":")
    if request.fabric is None and kind not in ("lab", "sim"):
        return None
    scale = 1.0 if request.scale is None else request.scale
    found = Promise(load_fabric(request.fabric or name, scale), names)
    try:
        refuse_other_hosts(found)
        found.network.limits  # noqa: B018  # refuses fabrics with several ways
    except RequestError:
        if request.fabric:
            raise
        return None
    return found


def _computed_message(request: AcceptRequest, names: tuple[str, ...]) -> str:
    """A message size that the slowest port of a simulated network carries in a trial, whatever another fabric
    promises."""
    own = _promise(msgspec.structs.replace(request, fabric=None), names)
    if own is None:
        return plans.MESSAGE
    routes = [(node, (node + 1) % len(names)) for node in range(len(names))]
    return plans.computed_message(float(own.each_alone_mbps(routes).min()))
