"""Stop rules as users write them: 'decided', '±2 %', '60 s', 'launches=5'."""

from __future__ import annotations

import re

from weft.base.amount import amount_of, unit_meant
from weft.base.errors import RequestError

_STOP = "steps.*.stop."
_EXAMPLE = "give 'decided', '±2 %', '60 s', 'launches=5', or several with commas between"
_WIDTH = re.compile(r"(?:±|\+-|\+/-)?\s*([\d.]+)\s*%")
_LAUNCHES = re.compile(r"launches\s*=\s*(\d+)")


def until_overrides(text: str) -> list[tuple[str, str]]:
    """The plan's keys and values for --until; raises RequestError."""
    overrides = dict(part for one in text.split(",") for part in _part(one.strip(), text))
    if _STOP + "time" in overrides and len(overrides) == 1:
        # Only time ends it: no interval is narrow enough to stop earlier.
        overrides[_STOP + "width"] = "0 %"
    if "launches" not in overrides:
        overrides.setdefault(_STOP + "rule", "relative")
    elif len(overrides) > 1:
        raise RequestError(f"--until {text}: a number of launches stands alone", _EXAMPLE)
    return list(overrides.items())


def _part(one: str, text: str) -> list[tuple[str, str]]:
    if one == "decided":
        return [(_STOP + "rule", one)]
    if found := _WIDTH.fullmatch(one):
        return [(_STOP + "width", f"{found[1]} %")]
    if (time := amount_of(one, "time")) and time.number > 0:
        return [(_STOP + "time", f"{time.number:.9f}".rstrip("0").rstrip(".") + f" {time.unit}")]
    if found := _LAUNCHES.fullmatch(one):
        return [("launches", found[1])]
    raise RequestError(
        f"--until {text}: cannot read {one!r}", f"{unit_meant(one, 'time')} {_EXAMPLE}".lstrip()
    )
