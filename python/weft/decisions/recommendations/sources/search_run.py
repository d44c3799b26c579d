"""Proposals from a run between many nodes: slow nodes and routes, limits, and what is undecided."""

from __future__ import annotations

import datetime
import shlex
from collections.abc import Iterator
from dataclasses import replace
from functools import cached_property
from pathlib import Path

from weft.base import catalog
from weft.base.nodeset import fold
from weft.base.quantity import format_mbps, part_of_mbps, range_mbps
from weft.decisions.recommendations.action import Action, ActionEvidence, id_of
from weft.decisions.recommendations.remedy import LikePeers, Proposal, Widen
from weft.decisions.recommendations.sources.source import ClusterIdentity
from weft.plan.pattern import Search
from weft.runs.folder import RunFolder
from weft.runs.run_warnings import RunWarning, of_runs
from weft.understand.host.disturbed import not_usable
from weft.understand.limits.diagnosis import diagnose, searched_steps
from weft.understand.limits.findings import LimitFinding, LimitFindings, SlowPart
from weft.understand.limits.folded import capacity_of, directions_text
from weft.understand.limits.wording import MACHINE_WARNINGS, slow_text

MORE_S = 120
"""Time that a search with open questions gets in addition."""
_WIDER = 2.0
"""Factor with which a wider limit is predicted."""


def started_s(run: RunFolder) -> float:
    """The start of a run in Unix time; 0 if unknown."""
    return datetime.datetime.fromisoformat(run.meta.started).timestamp() if run.meta.started else 0


def cluster_of(run: RunFolder) -> ClusterIdentity:
    """The nodes of a run, and its testbed."""
    nodes = {str(one["name"]): str(one.get("address") or "") for one in run.meta.nodes}
    return ClusterIdentity.of_testbed(run.meta.testbed, nodes)


class SearchRun:
    """A run of `xray`, or of another plan between many nodes."""

    def __init__(self, path: Path, run: RunFolder) -> None:
        self.path, self.run = path, run
        self.cluster = cluster_of(run)
        self.when = started_s(run)

    @property
    def is_search(self) -> bool:
        """Whether it searched for limits."""
        return bool(searched_steps(self.run.meta))

    @property
    def subject(self) -> tuple[object, ...]:
        return "search" if self.is_search else self.run.meta.plan.name, *self.cluster.nodes

    @cached_property
    def findings(self) -> LimitFindings:
        """The findings about the network."""
        return diagnose(self.run)

    @property
    def said(self) -> str:
        if reason := not_usable(self.run.meta):
            return f"nothing follows from it: {reason}"
        slow = f"{len(self.findings.slow) or 'nothing'} slow"
        if not self.is_search:
            return f"{len(self.cluster.nodes)} nodes, {slow}"
        limits = len(self.findings.limits)
        inner = "no inner limit" if not limits else f"{limits} limit{'s' if limits > 1 else ''}"
        return f"{len(self.cluster.nodes)} nodes, {slow}, {inner}"

    @property
    def warnings(self) -> tuple[RunWarning, ...]:
        """Its own warnings."""
        return of_runs([self.run])

    def proposals(self) -> Iterator[Proposal]:
        """Proposals to repair what is slow, widen limits, and measure open questions."""
        if not_usable(self.run.meta):
            return
        yield from (self._slow(one) for one in self.findings.slow)
        if self.is_search:
            yield from self._limits()
        yield from self._again()

    def _evidence(self, text: str, code: str) -> tuple[ActionEvidence, ...]:
        return (ActionEvidence(str(self.path), text, code),)

    def _slow(self, one: SlowPart) -> Proposal:
        if one.kind == "route":
            return Proposal(self._slow_route(one))
        action = Action(
            id=id_of("link", one.nodes[0]),
            kind="fix",
            do=f"fix the cable, port or interface of {one.name}: it {_deed(one)}",
            element=one.name if one.kind == "node" else f"{one.name} {one.direction}",
            nodes=one.nodes,
            effort="minutes",
            evidence=self._evidence(
                f"{slow_text(one)}, {one.evidence}: {range_mbps(one.rate_mbps)}", f"slow-{one.kind}"
            ),
        )
        return Proposal(action, LikePeers(one.nodes))

    def _slow_route(self, one: SlowPart) -> Action:
        return Action(
            id=id_of("route", *one.nodes),
            kind="fix",
            do=f"look for what is on the way from {one.nodes[0]} to {one.nodes[1]} only, such as one link of "
            f"several or a route: {slow_text(one)}",
            element=one.name,
            nodes=one.nodes,
            effort="hours",
            evidence=self._evidence(f"{slow_text(one)}, {one.evidence}", "slow-route"),
        )

    def _limits(self) -> Iterator[Proposal]:
        """A proposal for each set of members: both directions of an uplink are bought together."""
        by_members: dict[tuple[str, ...], list[LimitFinding]] = {}
        for one in self.findings.limits:
            by_members.setdefault((one.kind, *one.members), []).append(one)
        yield from map(self._limit, by_members.values())

    def _limit(self, same: list[LimitFinding]) -> Proposal:
        one = max(same, key=lambda each: each.oversubscription)
        what, members = _named(one), fold(one.members)
        capacity, way = capacity_of(same), directions_text(same)
        action = Action(
            id=id_of("widen", one.kind, members),
            kind="upgrade",
            do=f"widen {what}, such as to {format_mbps(_WIDER * capacity.median)}",
            element=what,
            nodes=one.members,
            effort="purchase",
            evidence=self._evidence(
                f"{what} carries {range_mbps(capacity)} {way}, {one.oversubscription:.1f} times as much could be "
                f"asked of it ({one.evidence})",
                "limit",
            ),
        )
        instead = f"do not widen {what}"
        is_switch = one.kind in ("switch", "core")
        return Proposal(action, Widen(one.members, is_switch, _WIDER), instead)

    def _again(self) -> Iterator[Proposal]:
        """Proposals for what the run leaves open."""
        meta, path = self.run.meta, str(self.path)
        machine = [one for one in meta.warnings if one.code in MACHINE_WARNINGS]
        if meta.status != "complete":
            why = meta.warnings[0].message if meta.warnings else f"it is {meta.status}"
            command = f"weft run --resume {shlex.quote(path)}"
            yield self._measure(f"finish {path}", why, (command,), meta.status)
        elif machine:
            slower = replace(self.cluster, scale=(self.cluster.scale or 1.0) / 2)
            plan = plan_of(self.path, self.run)
            commands = (f"weft run {shlex.quote(plan)} {slower.on()}",) if plan else ()
            why = machine[0].message
            yield self._measure("measure again at half the rates", why, commands, machine[0].code)
        elif self.is_search and self.findings.undecided:
            yield self._more_time()

    def _more_time(self) -> Proposal:
        (step,) = searched_steps(self.run.meta)[:1]
        planned = self.run.meta.plan.steps[step]
        time_s = MORE_S + planned.pattern_as(Search).time_ns // 10**9
        command = (
            f"""weft run xray {self.cluster.on()} --set steps.{planned.name}.time='"{time_s} s"'"""
        )
        do = f"search for limits for {MORE_S // 60} minutes more"
        return self._measure(do, "; ".join(self.findings.undecided), (command,), "undecided")

    def _measure(self, do: str, why: str, commands: tuple[str, ...], code: str) -> Proposal:
        action = Action(
            id=id_of("measure", code),
            kind="measure",
            do=f"{do}: {why}",
            element="what was measured",
            nodes=tuple(self.cluster.nodes),
            effort="minutes",
            evidence=self._evidence(why, code),
            commands=commands,
        )
        return Proposal(action)


def plan_of(path: Path, run: RunFolder) -> str:
    """The plan of a run as `weft run` takes it: a name of the catalogue, or the file beside a run of `weft accept` or
    `weft tune`; empty if the plan is only in run.json."""
    if run.meta.plan.name in catalog.names("plan"):
        return run.meta.plan.name
    beside = path.with_name(f"{path.name}.toml")
    return str(beside) if beside.exists() else ""


def _deed(one: SlowPart) -> str:
    """What is slow about a node, as text."""
    ways = {"out": "sends", "in": "receives"}
    rate = part_of_mbps(one.rate_mbps.median, one.expected_mbps)
    return f"{ways.get(one.direction or '', 'sends and receives')} {rate}"


def _named(limit: LimitFinding) -> str:
    members = fold(limit.members)
    if limit.kind == "trunk":
        return f"the uplink between {members} and {fold(limit.against or ())}"
    if limit.kind == "uplink":
        return f"the uplink of {members}"
    between = "the parts of " if limit.kind == "core" else ""
    return f"the switch between {between}{members}"
