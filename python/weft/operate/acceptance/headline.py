"""Faults in sentences: one that leads, with the direction, and what was seen."""

from __future__ import annotations

from weft.base.quantity import format_mbps, format_us, part_of_mbps
from weft.operate.acceptance.causes import vocabulary
from weft.operate.acceptance.faults import ElementFault
from weft.operate.acceptance.verdict import Symptom

RATES = ("rate-low", "asymmetry")
VERBS = {"out": "sends", "in": "receives"}
OTHER = {"out": "receives", "in": "sends"}


def headline(fault: ElementFault) -> str:
    """The sentence that leads a fault: "n11 sends at 24 % of what the others reach (22.6 of 94 Mb/s); it receives
    well."."""
    return sentences(fault)[0]


def sentences(fault: ElementFault) -> list[str]:
    """What was seen of a fault, a sentence for each kind of symptom: rates first."""
    kinds = {one.kind: one for one in sorted(fault.symptoms, key=_share, reverse=True)}
    rates = [kinds.pop(kind) for kind in RATES if kind in kinds]
    told = [*([_rate(fault, rates[0])] if rates else []), *map(_other, kinds.values())]
    return [f"{text}." for text in told]


def remarks(fault: ElementFault) -> list[str]:
    """What else was seen that is either so or not, a sentence for each."""
    labels = {name: one.label for name, one in vocabulary().facts.items() if one.label}
    seen = (
        labels[name]
        for one in fault.symptoms
        for name, value in one.facts.items()
        if value is True and name in labels and name not in ("one_direction", "single_route")
    )
    return [f"{text[0].upper()}{text[1:]}." for text in dict.fromkeys(seen)]


def _share(symptom: Symptom) -> float:
    """What is left of the usual rate; the worst symptom of a kind is told."""
    return float(symptom.facts.get("share_of_group", symptom.facts.get("share_of_expected", 1.0)))


def _rate(fault: ElementFault, symptom: Symptom) -> str:
    direction = _direction(fault)
    single = bool(symptom.facts.get("single_route"))
    where = symptom.element.removesuffix(f" {symptom.direction}")
    verb = "carries" if single else VERBS.get(direction, "sends and receives")
    well = "" if single or direction not in OTHER else f"; it {OTHER[direction]} well"
    well = "; other routes of both nodes are normal" if single else well
    return f"{where} {verb} {_of_others(symptom)}{well}"


def _direction(fault: ElementFault) -> str:
    """The direction in which all slow rates of the fault are, else "both"."""
    ways = {one.direction or "both" for one in fault.symptoms if one.kind in RATES}
    return ways.pop() if len(ways) == 1 else "both"


def _of_others(symptom: Symptom) -> str:
    """ "at 24 % of what the others reach (22.6 of 94 Mb/s)", as far as it is known."""
    rate, share = (float(symptom.facts.get(name, 0)) for name in ("rate_mbps", "share_of_group"))
    if rate and share:
        parts = part_of_mbps(rate, rate / share)
        return f"at {100 * share:.2g} % of what the other nodes reach ({parts})"
    if share:
        return f"at {100 * share:.2g} % of what the other nodes reach"
    return f"at {format_mbps(rate)}" if rate else "less than required"


def _other(symptom: Symptom) -> str:
    facts = {name: float(v) for name, v in symptom.facts.items() if isinstance(v, int | float)}
    where = symptom.element
    match symptom.kind:
        case "latency-high" if "latency_us" in facts and "added_us" in facts:
            usual = format_us(facts["latency_us"] - facts["added_us"])
            return f"{where} has a latency of {format_us(facts['latency_us'])}; ordinary pairs have {usual}"
        case "loss" if "lost_share" in facts:
            way = VERBS.get(symptom.direction or "", "sends and receives")
            share = 100 * facts["lost_share"]
            return f"{where} loses, or has to repeat, {share:.2g} % of what it {way}"
        case "limit-narrow" if "share_of_expected" in facts:
            share = 100 * facts["share_of_expected"]
            return f"{where} carries {share:.2g} % of what is declared"
        case "clock" if "offset_us" in facts:
            way = "ahead of" if facts["offset_us"] > 0 else "behind"
            return f"{where}: its clock is {format_us(abs(facts['offset_us']))} {way} the others"
    return f"{where}: {vocabulary().kinds.get(symptom.kind, symptom.kind)}"
