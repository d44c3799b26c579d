"""Untested recommendations from a run: the rules applied to its evidence."""

from __future__ import annotations

import shlex
from collections.abc import Iterator, Sequence

from msgspec.structs import replace

from weft.base.condition import Fact
from weft.knobs import commands
from weft.knobs.catalog import knobs
from weft.knobs.knob import Knob
from weft.knobs.recommendation import Recommendation
from weft.runs.columns.tables import EVIDENCE_NAME
from weft.runs.folder import RunFolder
from weft.understand.advice.facts import Facts, eager_facts, facts_of, hole_facts, interface_of
from weft.understand.advice.rule import AdviceRule, rules, said
from weft.understand.curve.thresholds import Threshold
from weft.understand.explain.finding import Explanation
from weft.understand.explain.path_mtu import path_mtu_holes
from weft.understand.explain.stretches import of_step


def recommendations(
    run: RunFolder, explanations: Sequence[Explanation], thresholds: Sequence[Threshold]
) -> list[Recommendation]:
    """The changes that the evidence between two nodes suggests, in the order of the rules; empty if there are none."""
    found: dict[tuple[str, str], Recommendation] = {}
    for one in _all(run, explanations, thresholds):
        key = one.knob, one.proposed
        found[key] = _joined(found[key], one) if key in found else one
    return list(found.values())


def _all(
    run: RunFolder, explanations: Sequence[Explanation], thresholds: Sequence[Threshold]
) -> Iterator[Recommendation]:
    nodes = [str(one["name"]) for one in run.meta.nodes[:2]]  # other nodes of the testbed are idle
    evidence = run.side_table(EVIDENCE_NAME)
    steps = run.meta.plan.steps
    known = {
        index: [facts_of(run, index, of_step(run, evidence, index), node) for node in (0, 1)]
        for index, step in enumerate(steps)
        if not (step.is_ensemble or step.is_program) and len(nodes) > 1
    }
    holes = {one.step: hole_facts(one) for one in path_mtu_holes(run)}
    for rule in rules():
        for index, of_nodes in known.items():
            name = steps[index].name
            told = _first_limits([one for one in explanations if one.step == name])
            limits = [*eager_facts([one for one in thresholds if one.step == index])]
            for node in (0, 1):
                own = {"step": name, **holes.get(index, {})} | _beside(
                    of_nodes[node], of_nodes[1 - node]
                )
                about = nodes[1 - node if rule.of == "peer" else node]
                for more in _more(rule, told, limits, about):
                    yield from _recommended(run, rule, node, own | more)


def _first_limits(told: Sequence[Explanation]) -> list[Explanation]:
    """Drops all limits but the first, which can cause the others: other traffic on the interface can cause losses."""
    first = next((one for one in told if one.kind == "limit"), None)
    return [one for one in told if one is first or one.kind != "limit"]


def _beside(own: Facts, peer: Facts) -> Facts:
    return own | {f"peer_{name}": value for name, value in peer.items()}


def _more(
    rule: AdviceRule, explanations: Sequence[Explanation], limits: Sequence[Facts], node: str
) -> Iterator[Facts]:
    """Additional facts for a rule, once for each match: its cause on the node, an eager limit, or the step itself."""
    if not rule.cause:
        yield from limits or [{}]
    for one in explanations:
        if rule.cause and rule.cause == one.cause and one.kind in rule.kinds and node in one.nodes:
            yield {"text": one.text, "strength": one.strength, "counter": one.evidence[0].counter}


def _recommended(
    run: RunFolder, rule: AdviceRule, node: int, facts: Facts
) -> Iterator[Recommendation]:
    knob = _of_variable(knobs()[rule.knob], facts.get("eager_variable"))
    proposed = rule.proposed(facts, knob.form) if rule.holds(facts) else None
    if proposed is None:
        return
    current, interface = rule.now(facts, knob.form), interface_of(run, node)
    texts = [str(facts["text"])] if rule.cause else []
    yield Recommendation(
        knob.name,
        knob.title,
        knob.scope,
        (str(run.meta.nodes[node]["name"]),),
        current,
        proposed,
        evidence=(*texts, *(said(one, facts) for one in rule.says)),
        apply=commands.by_hand(knob, proposed, interface),
        permanent=commands.permanent(knob, proposed, interface),
        undo=commands.undo(knob, current, interface),
        test=_test(run, rule, facts),
    )


def _of_variable(knob: Knob, variable: Fact | None) -> Knob:
    """The knob of an MPI library with the variable that this library obeys; unchanged if that is unknown."""
    if variable is None:
        return knob
    permanent = (f"export {variable}={{value}} in the environment of the jobs",)
    return replace(knob, environment={"": str(variable)}, permanent=permanent)


def _test(run: RunFolder, rule: AdviceRule, facts: Facts) -> str:
    """The command that tests a recommendation; empty for imported runs, which have no testbed."""
    if "spec" not in run.meta.testbed:
        return ""
    spec = shlex.quote(run.meta.testbed["spec"])
    if rule.test:
        return rule.test.format(spec=spec)
    goal = "stream" if facts["pattern"] == "stream" else "latency"
    return f"weft tune --on {spec} --for {goal} --knobs {rule.knob}"


def _joined(one: Recommendation, other: Recommendation) -> Recommendation:
    """One recommendation for the nodes and evidence of two."""
    return replace(
        one,
        nodes=tuple(dict.fromkeys((*one.nodes, *other.nodes))),
        evidence=tuple(dict.fromkeys((*one.evidence, *other.evidence))),
    )
