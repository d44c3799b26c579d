"""Findings in sentences."""

from __future__ import annotations

import shlex
from collections.abc import Sequence

from weft.base.nodeset import fold
from weft.base.quantity import format_mbps, part_of_mbps
from weft.runs.meta import RunMeta
from weft.runs.records.records import TestbedRecord
from weft.understand.host.other_traffic import OtherTraffic, other_traffic_text
from weft.understand.limits.fabric_tree import has_one_way
from weft.understand.limits.findings import LimitFinding, LimitFindings, SlowPart
from weft.understand.limits.folded import (
    capacity_of,
    directions_text,
    fold_limits,
    fold_slow,
    members_text,
)
from weft.understand.limits.networks import named
from weft.understand.xray.decision import FULL_SHARE
from weft.understand.xray.flows import Members
from weft.understand.xray.limit.limit import SharedLimit
from weft.understand.xray.study import SearchStudy

_MOST_NAMED = 4

MACHINE_WARNINGS = {"lab-late", "lab-busy"}
"""Warnings of a machine that was too slow for its lab, which looks like a limit that all nodes share."""


def verdict_text(
    limits: Sequence[LimitFinding],
    slow: Sequence[SlowPart],
    cuts: str,
    searched: bool,
    undecided: list[str],
) -> str:
    """The verdict: the limits, tightest first, then slow parts; or that nothing was found."""
    sentences = []
    if limits:
        tightest = fold_limits(sorted(limits, key=lambda limit: -limit.oversubscription))
        count = f"{len(limits)} limits" if len(limits) > 1 else "One limit"
        named = "; ".join(limit_text(*alike) for alike in tightest[:_MOST_NAMED])
        rest = sum(map(len, tightest[_MOST_NAMED:]))
        more = f"; and {rest} more" if rest else ""
        sentences.append(f"{count} inside the network: {named}{more}.")
    elif not searched:
        sentences.append("No limits were searched for: `weft run xray` does that.")
    elif undecided:
        questions = "one question" if len(undecided) == 1 else f"{len(undecided)} questions"
        sentences.append(f"No inner limit found so far, {questions} undecided.")
    else:
        sentences.append(f"No inner limit found. {cuts}".strip())
    if slow:
        found = fold_slow(slow)
        named = "; ".join(slow_text(one) for one in found[:_MOST_NAMED])
        more = f"; and {len(found) - _MOST_NAMED} more" if len(found) > _MOST_NAMED else ""
        sentences.append(f"Slow: {named}{more}.")
    return " ".join(sentences)


def limit_text(limit: LimitFinding, *others: LimitFinding) -> str:
    """One limit, or several similar ones, as a clause."""
    same = (limit, *others)
    members = members_text(same)
    each = "" if len({one.members for one in same}) == 1 else " each"
    capacity = format_mbps(capacity_of(same).median)
    whole = f"{capacity}{each} ({limit.oversubscription:.1f}x oversubscribed)"
    match limit.kind, directions_text(same):
        case "trunk", direction:
            against = fold(limit.against or ())
            ends = (members, against) if direction == "out" else (against, members)
            return f"{ends[0]} to {ends[1]} {whole}"
        case "uplink", direction:
            way = {"out": "out of", "in": "into"}.get(direction, "out of and into")
            return f"{way} {members} {whole}"
        case "core", _:
            return f"between the parts of {members} {whole}"
    return f"everything that {members} send or receive {whole}"


def slow_text(slow: SlowPart) -> str:
    """A slow part as a clause."""
    rate = part_of_mbps(slow.rate_mbps.median, slow.expected_mbps)
    if slow.kind == "route":
        return f"from {slow.nodes[0]} to {slow.nodes[1]} {rate}"
    way = {"out": " sending", "in": " receiving"}.get(slow.direction or "", "")
    return f"{fold(slow.nodes)}{way} {rate}"


def limit_evidence(limit: SharedLimit) -> str:
    """The evidence for a limit, in words."""
    low, high = (
        f"{100 * end:.0f}" for end in (limit.decision.ratio.low, limit.decision.ratio.high)
    )
    shares = low if low == high else f"{low} to {high}"
    rounds = len(limit.decision.ratios)
    what = {
        "uplink": "exchanged with others",
        "switch": "exchanged among themselves",
        "core": "exchanged between their parts",
    }[limit.kind]
    return (
        f"{rounds} rounds in which all {len(limit.members)} members {what}: together "
        f"{shares} % of what the rest of the network would let them have"
    )


def cut_text(study: SearchStudy) -> str:
    """The results of random bisections, in words, for a search that found no limit; empty if none was tried."""
    shares = study.bisection_shares
    if not shares:
        return ""
    # Both are rounded down, so that the statement still holds.
    worst, most = (int(100 * share) for share in (min(*shares, 1.0), 0.05 ** (1 / len(shares))))
    return (
        f"The worst of {len(shares)} random bisections delivered {worst} % of full, so with 95 % "
        f"confidence at least {most} % of all bisections deliver that much."
    )


def several_paths_text(found: LimitFindings, testbed: TestbedRecord) -> str:
    """A note that limits cover all paths together, on which networks, and which command separates them; empty if
    several paths are not known."""
    if not found.has_several_paths:
        return ""
    numbers = [str(one.network) for one in found.networks if one.has_several_paths]
    where = f" on {named(numbers).lower()}" if numbers else ""
    why = f"There are several paths between hosts{where}"
    if has_one_way(testbed.get("fabric")):
        why = f"Flows between the same leaves are held up unevenly{where}, as over several paths"
    scale = testbed.get("scale", 1)
    at_scale = f" --scale {scale:g}" if scale != 1 else ""
    on = f" --on {shlex.quote(testbed['spec'])}{at_scale}" if "spec" in testbed else ""
    return f"{why}, and limits are what flows over all of them had together: `weft run paths{on}` tells them apart."


def doubt_text(
    limit: SharedLimit, all_nodes: Members, meta: RunMeta, beside: Sequence[OtherTraffic]
) -> str:
    """The open question about a limit that may be due to the testbed or to other traffic; empty if there is none."""
    share = (
        f"whether {len(limit.members)} nodes share a limit of "
        f"{format_mbps(limit.capacity_mbps.median)} or"
    )
    if may_be_the_machine(limit, all_nodes, meta):
        return f"{share} the machine that carries the lab was the limit"
    sides = (limit.direction,) if limit.direction != "inside" else ("out", "in")
    taken = max(
        sum(one.mbps for one in beside if one.node in limit.members and one.side == side)
        for side in sides
    )
    if taken and limit.capacity_mbps.median + taken >= FULL_SHARE * limit.demand_mbps:
        return f"{share} other traffic took {format_mbps(taken)} of what they have"
    return ""


def may_be_the_machine(limit: SharedLimit, all_nodes: Members, meta: RunMeta) -> bool:
    """Whether all nodes share the limit and the lab was late or busy."""
    is_of_all = limit.members == all_nodes and limit.kind in ("switch", "core")
    return is_of_all and any(warning.code in MACHINE_WARNINGS for warning in meta.warnings)


def slow_doubt_text(slow: SlowPart, meta: RunMeta, beside: Sequence[OtherTraffic]) -> str:
    """The open question about a slow part if other traffic accounts for its missing rate; else empty."""
    names = [str(node["name"]) for node in meta.nodes]
    taken = max(
        (one.mbps for one in beside if names[one.node] in slow.nodes and _passes(slow, names, one)),
        default=0.0,
    )
    if not taken or slow.rate_mbps.median + taken < FULL_SHARE * slow.expected_mbps:
        return ""
    return f"whether it is slow or other traffic took {format_mbps(taken)}: {slow_text(slow)}"


def _passes(slow: SlowPart, names: Sequence[str], traffic: OtherTraffic) -> bool:
    """Whether traffic at one of its nodes has the same direction."""
    if slow.kind == "route":
        return names[traffic.node] == slow.nodes[0 if traffic.side == "out" else 1]
    return slow.direction in (None, traffic.side)


def aside_texts(meta: RunMeta, beside: Sequence[OtherTraffic]) -> list[str]:
    """Caveats of a run in words: lost nodes, and traffic of others."""
    said = []
    if lost := {entry["node"] for entry in meta.lost}:
        said.append(f"Lost during the run: {fold(lost)}, of which nothing is said.")
    if beside:
        said.append(
            f"Beside other traffic: {other_traffic_text(meta, beside)}; what is slow, lossy or limited on its way may "
            "be due to it."
        )
    return said
