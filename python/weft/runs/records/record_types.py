"""Types of values in run.json."""

from __future__ import annotations

from collections.abc import Mapping
from typing import Annotated, Any, TypeAlias

from msgspec import Meta

Index: TypeAlias = Annotated[int, Meta(ge=0, lt=2**31)]
"""An index from 0 of a step, a launch, a phase or a node."""
Count: TypeAlias = Annotated[int, Meta(ge=0, lt=2**62)]
Number: TypeAlias = int | float
Settings: TypeAlias = Mapping[str, Any]
"""Shown as they are; the keys depend on the transport, those of facts on the node."""
