"""What values in run.json are."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

from msgspec import Meta

Index: TypeAlias = Annotated[int, Meta(ge=0, lt=2**31)]
"""A position, from 0: of a step, a launch, a phase, a node."""
Count: TypeAlias = Annotated[int, Meta(ge=0, lt=2**62)]
Number: TypeAlias = int | float
Settings: TypeAlias = Mapping[str, Any]
"""Shown as they are; which keys there are depends on the transport, and of facts on the node."""
