"""What all changes have."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Protocol, TypeAlias

from weft.base.errors import RequestError
from weft.network.fabrics.document import FabricDocument

Claim: TypeAlias = tuple[str, ...]
"""What a change decides, such as ("rate", "rack1", "upper")."""


class FabricChange(Protocol):
    """A change of a network, in words."""

    @property
    def text(self) -> str:
        """As it was written."""

    def apply(self, document: FabricDocument) -> FabricDocument:
        """The changed network; raises RequestError where it cannot be made there, or changes nothing."""

    def claims(self, document: FabricDocument) -> list[Claim]:
        """What it decides of that network: two changes that decide the same contradict each other."""


def apply_all(document: FabricDocument, changes: Sequence[FabricChange]) -> FabricDocument:
    """The network after all changes in their order; raises RequestError where two contradict each other."""
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
    """Raises RequestError where a change makes no difference."""
    if before == after:
        raise RequestError(f"{text}: nothing would change, {what} already so")
