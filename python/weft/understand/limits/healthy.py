"""The health of nodes and uplinks from a quick check, in words."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import replace

from weft.runs.folder import RunFolder
from weft.understand.limits.findings import LimitFindings, SlowPart
from weft.understand.limits.naming import Namer
from weft.understand.xray.quick.betting import ERROR
from weft.understand.xray.quick.elements import QuickElement
from weft.understand.xray.quick.health import MOST_ODD, HealthReport, Odd, judge
from weft.understand.xray.survey import survey_of
from weft.understand.xray.trial import trials

NOT_SEEN = (
    "Not seen: what is alike everywhere, what joins the racks beyond their uplinks, single routes, and loss or delay "
    "that costs less than a tenth of an uplink's rate or a fifth of a node's."
)
MOST_NAMED = 8
"""The most odd or undecided elements that are named in words."""

MOST_DOUBTFUL = MOST_ODD // 2
"""Half of MOST_ODD, because there a node that is slow both ways counts twice."""


def health_of(run: RunFolder, step: int) -> HealthReport:
    """The health report of a quick step of a run."""
    meta = run.meta
    names = [str(node["name"]) for node in meta.nodes]
    lost = frozenset(names.index(one["node"]) for one in meta.lost if one["node"] in names)
    survey = survey_of(run.samples, meta, step, lost)
    done = trials(run.samples, step, meta.phases)
    return judge(survey, [one.without(lost) for one in done] if lost else done)


def health_findings(run: RunFolder, step: int) -> LimitFindings:
    """The health report of a quick step as findings: slow nodes as rows, all else in the verdict."""
    health, named = health_of(run, step), Namer(run.meta)
    odd = _both_ways_as_one(health.odd)
    texts = [_odd_text(one, named) for one in odd[:MOST_NAMED]]
    if not texts:
        texts = [f"{_counted(health.compared)} are like the others."]
    else:
        texts += _more_text(odd)
        error = f"of such findings {ERROR:.0%} are wrong on average"
        texts.append(f"Compared were {_counted(health.compared)}; {error}.")
    undecided = [_name(one, named) for one in health.undecided]
    return LimitFindings(
        " ".join([*texts, NOT_SEEN]),
        groups=[named.names(group) for group in health.groups],
        slow=[_slow(one, named) for one in odd if _is_port(one)],
        undecided=[f"whether {one} is like the others" for one in undecided[:MOST_NAMED]]
        + ([f"and {len(undecided) - MOST_NAMED} more"] if len(undecided) > MOST_NAMED else []),
    )


def _both_ways_as_one(odd: Sequence[Odd]) -> list[Odd]:
    """Lists a node that is slow in both directions once, with its worse direction."""
    found: dict[tuple[object, ...], Odd] = {}
    for one in sorted(odd, key=lambda one: one.share.median):
        key = (one.element.kind, one.element.members, one.element.fault)
        if key in found and one.element.kind == "node":
            found[key] = replace(found[key], element=replace(one.element, way="both"))
        else:
            found[(*key, one.element.way) if one.element.kind != "node" else key] = one
    return list(found.values())


def _odd_text(odd: Odd, named: Namer) -> str:
    share = odd.share.median
    does = (
        f"gets {share:.0%} of what the others do"
        if odd.element.fault == "slow"
        else f"takes {1 / share:.2g} times as long as the others"
    )
    return f"{_name(odd.element, named)} {does} ({odd.rounds} rounds)."


def _more_text(odd: Sequence[Odd]) -> list[str]:
    """How many elements are not named, and a doubt if there are so many that the others no longer define "normal"."""
    more = len(odd) - MOST_NAMED
    if more <= 0:
        return []
    count = f"So are {more} more, less so."
    if len(odd) < MOST_DOUBTFUL:
        return [count]
    return [count, "Of so many the cause is rather what all share: busy nodes, or a narrow core."]


def _name(element: QuickElement, named: Namer) -> str:
    nodes = named.text(element.members)
    is_said = nodes.startswith("node")
    way = {"out": " out", "in": " in", "both": ""}[element.way]
    if element.kind == "node":
        return f"{nodes}{way}" if is_said else f"node {nodes}{way}"
    return f"the uplink of {nodes}{way}" if element.kind == "uplink" else f"what joins {nodes}"


def _counted(elements: Sequence[QuickElement]) -> str:
    nodes = {one.members for one in elements if one.kind == "node"}
    uplinks = {one.members for one in elements if one.kind == "uplink"}
    return f"{len(nodes)} nodes and {len(uplinks)} uplinks"


def _is_port(odd: Odd) -> bool:
    return odd.element.kind == "node" and odd.element.fault == "slow"


def _slow(odd: Odd, named: Namer) -> SlowPart:
    is_node = odd.element.way == "both"
    return SlowPart(
        "node" if is_node else "direction",
        named.names(odd.element.members),
        None if is_node else odd.element.way,
        odd.own_mbps,
        odd.usual_mbps,
        f"{odd.rounds} rounds beside others that did the same",
    )
