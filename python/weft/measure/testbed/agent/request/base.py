"""What all requests have in common."""

from __future__ import annotations

import re

from msgspec import Struct


def tag_of(name: str) -> str:
    """A message's type on the wire: drive_synchronised for DriveSynchronised."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


class Request(Struct, frozen=True, kw_only=True, tag_field="type", tag=tag_of):
    """A request; its type may be all that it contains."""


class NoMoreBatches(Request, frozen=True, tag="over"):
    """There are no more batches."""
