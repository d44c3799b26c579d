"""One finding of the doctor."""

from __future__ import annotations

from typing import Literal

from msgspec import Struct

State = Literal["yes", "partly", "no"]


class DoctorRow(Struct, frozen=True):
    """Whether `what` of an `area` is available, what was found, what it is `needed_for`, and how to `get` it."""

    area: str
    what: str
    state: State
    seen: str
    needed_for: str
    get: str = ""


def answer(is_there: bool) -> State:
    return "yes" if is_there else "no"
