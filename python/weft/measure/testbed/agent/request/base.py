"""What all requests have."""

from __future__ import annotations

import re

from msgspec import Struct


def tag_of(name: str) -> str:
    """A message's type on the wire: DriveSynchronised is drive_synchronised."""
    return re.sub(r"(?<=[a-z])(?=[A-Z])", "_", name).lower()


class Request(Struct, frozen=True, kw_only=True, tag_field="type", tag=tag_of):
    """A request; one without fields is all said."""


class NoMoreBatches(Request, frozen=True, tag="over"):
    """There are no more batches."""
