"""The interface of changes."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from weft.base.errors import RequestError
from weft.network.fabrics.document import FabricDocument

Claim: TypeAlias = tuple[str, ...]
"""What a change determines, such as ("rate", "rack1", "upper")."""


class FabricChange(Protocol):
    """A change of a network that has a text form."""

    @property
    def text(self) -> str:
        """The change as written by the user."""

    def apply(self, document: FabricDocument) -> FabricDocument:
        """The changed network; raises RequestError if the change is impossible there, or changes nothing."""

    def claims(self, document: FabricDocument) -> list[Claim]:
        """What it determines in that network: two changes that determine the same contradict each other."""


def apply_all(document: FabricDocument, changes: Sequence[FabricChange]) -> FabricDocument:
    """The network after all changes in order; raises RequestError if two contradict each other."""
    claimed: dict[Claim, str] = {}
    for change in changes:
        for claim in change.claims(document):
            if claim in claimed:
                raise RequestError(
                    f"{change.text!r} contradicts {claimed[claim]!r}: both are about {' '.join(claim)}",
                    "leave one of them out, or make them alternatives",
                )
            claimed[claim] = change.text
        document = change.apply(document)
    return document


def refuse_unchanged(text: str, before: object, after: object, what: str) -> None:
    """Raise RequestError if a change makes no difference."""
    if before == after:
        raise RequestError(f"{text}: nothing would change, {what} already so")
