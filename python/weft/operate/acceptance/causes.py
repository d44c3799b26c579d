"""Likely causes of a symptom: rules from catalog/causes, in the order of their weight.

A rule has `title`, `text`, `check`, `remedy` and `when`: clauses with a symptom's kind, conditions on its facts, and a
`weight`. A clause holds if all its conditions do; an unknown fact meets no condition. A number is compared by `{
at_least = ..., at_most = ... }`, anything else must be equal. A cause has the weight of its heaviest clause that holds;
ties are in the order of the catalogue. catalog/symptoms.toml lists the kinds and facts.
"""

from __future__ import annotations

from collections.abc import Iterator, Mapping, Sequence
from functools import cache
from itertools import groupby
from pathlib import Path
from typing import Literal, Self

import msgspec
from msgspec import Struct

from weft import _core
from weft.base import catalog
from weft.base.condition import Fact, Range, meets
from weft.base.markdown import markdown_table
from weft.base.toml_file import TomlFile, TomlTable, decode
from weft.operate.acceptance.verdict import Cause, Symptom

MOST_CAUSES = 5
_TYPES = {"flag": bool, "text": str}


class Clause(Struct, frozen=True):
    """When a rule applies: the symptom's kind, the conditions on its facts, and the weight."""

    kind: str
    weight: float
    facts: dict[str, Range | Fact]

    def holds(self, kind: str, facts: Mapping[str, Fact | None]) -> bool:
        return kind == self.kind and all(
            meets(facts.get(name), wanted) for name, wanted in self.facts.items()
        )


class CauseRule(Struct, frozen=True):
    """A cause, when it applies, and its `section` in the catalogue."""

    cause: Cause
    clauses: tuple[Clause, ...]
    section: str

    def weight(self, kind: str, facts: Mapping[str, Fact | None]) -> float:
        """The weight of its heaviest clause that holds; 0 if none does."""
        return max((one.weight for one in self.clauses if one.holds(kind, facts)), default=0.0)


class _Clauses(tuple[Clause, ...]):
    @classmethod
    def read(cls, value: object) -> Self:
        if not isinstance(value, list) or not all(isinstance(one, dict) for one in value):
            raise ValueError("must be a list of tables")
        return cls(map(_clause, value))


class _Text(TomlTable, frozen=True):
    """A rule as written in the file."""

    title: str
    text: str
    check: str
    remedy: str
    when: _Clauses


def causes(symptom: Symptom) -> list[Cause]:
    """The causes that a symptom's facts suggest, likeliest first."""
    return causes_of([symptom])


def causes_of(symptoms: Sequence[Symptom]) -> list[Cause]:
    """The causes that the symptoms of one element suggest, likeliest first; a cause has its greatest weight for any of
    them."""
    known = [(one.kind, _known(one)) for one in symptoms]
    weights = [
        (max((rule.weight(*one) for one in known), default=0.0), rule.cause) for rule in rules()
    ]
    found = sorted((one for one in weights if one[0]), key=lambda one: -one[0])
    return [cause for _, cause in found[:MOST_CAUSES]]


def _known(symptom: Symptom) -> dict[str, Fact | None]:
    """A symptom's facts, its direction, and its rate's share of the best available reference."""
    share = symptom.facts.get("share_of_expected", symptom.facts.get("share_of_group"))
    return {"direction": symptom.direction, "share": share, **symptom.facts}


@cache
def rules() -> tuple[CauseRule, ...]:
    """All rules of the catalogue."""
    folder = catalog.folder("cause")
    return tuple(rule for path in sorted(folder.glob("*.toml")) for rule in read_rules(path))


class KnownFact(TomlTable, frozen=True):
    """A fact: its description, the `type` of its values, and its `label` on the vendor's page ("" if it is not
    shown)."""

    type: Literal["number", "flag", "text"]
    text: str
    label: str = ""


class Vocabulary(TomlTable, frozen=True):
    """The kinds of symptoms with their texts, and their possible facts."""

    kinds: dict[str, str]
    facts: dict[str, KnownFact]


@cache
def vocabulary() -> Vocabulary:
    """The vocabulary of catalog/symptoms.toml."""
    path = catalog.folder("cause").parent / "symptoms.toml"
    return decode(path, Vocabulary)


def read_rules(path: Path) -> list[CauseRule]:
    """The rules of a file; raises RequestError with the line for unknown names and wrong types."""
    file = TomlFile(catalog.read(path), str(path))
    section = file.convert(file.table.get("title"), str, "title")
    return [
        CauseRule(Cause(code, one.title, one.text, one.check, one.remedy), one.when, section)
        for code in file.table
        if code != "title"
        for one in [file.convert(file.table[code], _Text, code)]
    ]


def _clause(table: Mapping[str, object]) -> Clause:
    """Raises ValueError for an unknown kind or fact."""
    kind, weight = table.get("kind", ""), table.get("weight")
    kinds, known = vocabulary().kinds, vocabulary().facts
    if not isinstance(kind, str) or kind not in kinds:
        raise ValueError(f"kind = {kind!r}: {_core.unknown_key(str(kind), list(kinds))}")
    if not isinstance(weight, int | float) or weight <= 0:
        raise ValueError("weight: must be a number above 0")
    facts = {name: value for name, value in table.items() if name not in ("kind", "weight")}
    for name in facts:
        if name not in known:
            raise ValueError(_core.unknown_key(name, ["kind", "weight", *known]))
    return Clause(kind, weight, {name: _wanted(name, value) for name, value in facts.items()})


def _wanted(name: str, value: object) -> Range | Fact:
    """The condition on a fact; for a number it is always a range."""
    kind = vocabulary().facts[name].type
    if kind == "number":
        try:
            return msgspec.convert(value, Range)
        except msgspec.ValidationError as error:
            raise ValueError(f"{name} = {value!r}: {error}") from None
    if isinstance(value, bool | str) and type(value) is _TYPES[kind]:
        return value
    raise ValueError(f"{name} = {value!r}: must be a {kind}")


def page() -> str:
    """docs/causes.md."""
    return "\n".join(_lines()) + "\n"


def _lines() -> Iterator[str]:
    yield _HEAD
    for section, mine in groupby(rules(), lambda one: one.section):
        yield f"\n## {section}\n"
        yield from markdown_table(
            ("code", "cause", "how to check it", "what to do"), [_row(rule.cause) for rule in mine]
        )


def _row(cause: Cause) -> tuple[str, ...]:
    return f"`{cause.code}`", f"**{cause.title}.** {cause.text}", cause.check, cause.remedy


_HEAD = """# What may be the cause, and how do I check it?

For each requirement that is not met, `weft accept` names likely causes, likeliest first, by the codes below
(`weft explain CODE`). The rules, with the facts that support each cause, are in `catalog/causes`."""
