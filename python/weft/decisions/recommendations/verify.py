"""Whether an action had its expected effect: the measurement is repeated and compared with the one before."""

from __future__ import annotations

from collections.abc import Collection, Iterator
from dataclasses import dataclass
from pathlib import Path
from typing import Literal

from msgspec import Struct

from weft.base.errors import RequestError
from weft.base.files.text_file import parse_toml
from weft.base.interval import Interval
from weft.base.nodeset import fold
from weft.base.result import Documented, Said
from weft.decisions.recommendations.action import (
    AcceptanceCheck,
    Action,
    Basis,
    ByHand,
    ExpectedEffect,
    FindingCheck,
    PlanCheck,
)
from weft.decisions.recommendations.folder import read_folder
from weft.decisions.recommendations.measured import measured, ratio
from weft.decisions.recommendations.words import gain_text
from weft.measure.execute.gate import refuse_unapproved, side_effects
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.progress import Showing
from weft.measure.execute.request import RunRequest, start_run
from weft.measure.testbed.hosts.spec import named_commands
from weft.measure.testbed.open import open_testbed
from weft.operate.acceptance.accept import AcceptRequest, accept
from weft.operate.preflight.assess import judge
from weft.operate.preflight.probe import look
from weft.operate.preflight.reach import unseen
from weft.plan.load import parse_plan
from weft.runs.folder import RunFolder
from weft.runs.meta import FILE_NAME
from weft.runs.run_warnings import RunWarning, doubts, in_doubt, lines, of_folders, of_runs
from weft.runs.work_document import write_json
from weft.understand.host.disturbed import not_usable

RESULT_NAME = "verification.json"
HELD_WITHIN = 0.10
"""Gains that differ by less count as equal, even if narrow intervals do not overlap, because launches are few."""
NO_EFFECT = 1.02

Outcome = Literal["held", "less", "more", "no effect", "worse", "gone", "still there", "unknown"]
_SAID = {"unknown": "unknown, it may also be nothing: verify again with the machine left alone"}
GOOD: tuple[Outcome, ...] = ("held", "more", "gone")


class VerifyRequest(Struct, frozen=True):
    """Which recommendation of which folder; `testbed` and `scale` default to those of the evidence."""

    folder: str
    id: str
    out: str
    testbed: str | None = None
    scale: float | None = None
    nodes: int | None = None
    ports: str | None = None


class VerifiedItem(Struct, frozen=True):
    """One thing that was checked again. For a plan: the expected and the measured ratio of a step at a size over the
    state before, which was measured or predicted (`basis`), and the run's `warnings`."""

    what: str
    outcome: Outcome
    text: str
    predicted: Interval | None = None
    measured: Interval | None = None
    basis: Basis | None = None
    warnings: tuple[str, ...] = ()


class Verification(Documented, Said, Struct, frozen=True):
    """The whole result; `folder` has the measurements, and `warnings` are those of its runs."""

    DERIVED = ("held",)

    id: str
    do: str
    testbed: str
    folder: str
    shown: tuple[VerifiedItem, ...]
    warnings: tuple[RunWarning, ...] = ()

    @property
    def held(self) -> bool:
        """Whether everything that was checked is as expected, or better."""
        return bool(self.shown) and all(one.outcome in GOOD for one in self.shown)

    @property
    def measured(self) -> dict[str, Interval]:
        """The improvement of each step, by its name and size."""
        return {one.what: one.measured for one in self.shown if one.measured is not None}

    def lines(self) -> list[str]:
        """What was done, then the result of each check, and warnings about the measurement."""
        warned = (f"warning: {line}" for line in lines(self.warnings))
        return [self.do, *(one.text for one in self.shown), *warned]


def side_effects_of_verification(request: VerifyRequest) -> list[str]:
    """What verifying does beyond starting agents, as the folder says; raises RequestError."""
    found = read_folder(Path(request.folder))
    checks = [one for one in found.find(request.id).checks if isinstance(one, PlanCheck)]
    plans = [parse_plan(one.plan, request.folder, one.settings) for one in checks]
    wanted = list(side_effects(request.testbed or found.testbed, plans))
    own = named_commands(request.testbed) if request.testbed else []
    return [one for one in wanted if one not in own]


def verify(
    request: VerifyRequest, showing: Showing, approved: Collection[str] = ()
) -> Verification:
    """Repeat the measurements that show the action's effect; raises RequestError if that is impossible, and if the
    folder names commands or settings that were not `approved`."""
    found = read_folder(Path(request.folder))
    action = found.find(request.id)
    _refuse_unshown(action)
    testbed = request.testbed or found.testbed
    if not testbed:
        raise RequestError("a testbed is needed: what was read names none", "give --on TESTBED")
    refuse_unapproved(Path(request.folder), side_effects_of_verification(request), approved)
    scale = request.scale or found.scale
    place = _Place(request, testbed, scale, Path(request.out))
    shown = tuple(
        one for number, _ in enumerate(action.checks) for one in place.show(action, number, showing)
    )
    folders = (file.parent for file in sorted(place.out.glob(f"**/{FILE_NAME}")))
    warnings = of_folders(folders)
    result = Verification(action.id, action.do, testbed, request.out, shown, warnings)
    write_json(place.out / RESULT_NAME, result.to_json())
    return result


def _refuse_unshown(action: Action) -> None:
    if action.kind == "measure":
        raise RequestError(
            f"{action.id}: is itself a measurement", f"run it: {' or '.join(action.commands)}"
        )
    by_hand = [one.text for one in action.checks if isinstance(one, ByHand)]
    if len(by_hand) == len(action.checks):
        hint = (
            "; ".join(by_hand) or "a prediction would tell what to measure: recommend with --twin"
        )
        raise RequestError(f"{action.id}: cannot be shown by one measurement", hint)


@dataclass(frozen=True)
class _Place:
    """Where to measure, and the folder for it."""

    request: VerifyRequest
    testbed: str
    scale: float
    out: Path

    def show(self, action: Action, number: int, showing: Showing) -> Iterator[VerifiedItem]:
        check = action.checks[number]
        match check:
            case PlanCheck():
                yield from self._plan(check, f"run-{number + 1}", showing)
            case FindingCheck():
                yield self._finding(check, showing)
            case AcceptanceCheck():
                yield from self._acceptance(check, showing)

    def _plan(self, check: PlanCheck, name: str, showing: Showing) -> Iterator[VerifiedItem]:
        plan = parse_toml(check.plan, "the plan of a check")
        with showing(str(plan["name"])) as reporter:
            request = RunRequest(
                plan,
                self.testbed,
                RunOptions(
                    out=self.out / name,
                    scale=self.scale,
                    settings=dict(check.settings),
                    nodes=self.request.nodes,
                    ports=self.request.ports,
                ),
            )
            run = start_run(request, reporter)
        yield from (_compared(one, run) for one in check.expected)

    def _finding(self, check: FindingCheck, showing: Showing) -> VerifiedItem:
        place = self.request.nodes, self.request.ports
        with (
            showing("check") as reporter,
            open_testbed(self.testbed, self.scale, *place) as testbed,
        ):
            record = look(testbed, reporter)
        write_json(self.out / "check.json", record)
        again = [
            one
            for one in judge(record).findings
            if one.code == check.code and (not check.nodes or set(one.nodes) & set(check.nodes))
        ]
        if again:
            return VerifiedItem(check.code, "still there", again[0].message)
        if silent := unseen(record, check.code, check.nodes):
            why = f"{fold(silent)} could not be looked at, so that {check.code} may still be there"
            return VerifiedItem(check.code, "unknown", why)
        return VerifiedItem(check.code, "gone", f"`weft check` does not find {check.code} any more")

    def _acceptance(self, check: AcceptanceCheck, showing: Showing) -> Iterator[VerifiedItem]:
        request = AcceptRequest(
            self.testbed,
            str(self.out / "accept"),
            check.expect,
            check.fabric,
            self.scale,
            self.request.nodes,
            self.request.ports,
        )
        by_key = {one.requirement: one for one in accept(request, showing).verdicts}
        outcomes: dict[str, Outcome] = {"met": "gone", "not met": "still there"}
        for key in check.requirements:
            one = by_key.get(key)
            if one is None:
                yield VerifiedItem(key, "unknown", f"{key} is no requirement any more")
            else:
                told = in_doubt(f"{one.status}: {one.title}", one.doubts)
                yield VerifiedItem(key, outcomes.get(one.status, "unknown"), told)


def _compared(one: ExpectedEffect, run: RunFolder) -> VerifiedItem:
    what = f"{one.step}, {one.size_bytes} B"
    if reason := not_usable(run.meta):
        return VerifiedItem(what, "unknown", f"{what}: {reason}", one.ratio)
    after = measured(run, one.step, one.size_bytes, one.measure)
    if after is None:
        return VerifiedItem(
            what, "unknown", f"{what}: nothing was measured ({run.meta.status})", one.ratio
        )
    found = ratio(one.before, after, one.measure)
    outcome = outcome_of(one.ratio, found)
    before = "" if one.basis == "measured" else " over what was predicted of before"
    text = (
        f"{what}: predicted {gain_text(one.ratio)}, measured {gain_text(found)}{before}: {outcome}"
    )
    warnings = of_runs([run])
    told = in_doubt(text, doubts(warnings))
    return VerifiedItem(what, outcome, told, one.ratio, found, one.basis, tuple(lines(warnings)))


def outcome_of(predicted: Interval, found: Interval) -> Outcome:
    """The outcome: held if nearly as predicted; unknown if it may also be no effect."""
    if abs(found.median / predicted.median - 1) <= HELD_WITHIN:
        return "held"
    if found.low <= predicted.high and predicted.low <= found.high:
        return "unknown" if found.low <= 1 else "held"
    if found.median > predicted.median:
        return "more"
    if found.high < 1 / NO_EFFECT:
        return "worse"
    return "less" if found.low >= 1 and found.median >= NO_EFFECT else "no effect"
