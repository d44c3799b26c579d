"""The hosts of a SimGrid <cluster> or <cabinet>: a prefix, a number from its radical, a suffix."""

from __future__ import annotations

from weft.fabric.simgrid.xml import Element

_MOST_HOSTS = 1 << 20


def hosts_of_radical(element: Element) -> list[str]:
    """Their names, in the order of the radical; raises RequestError."""
    prefix, suffix = (element.attributes.get(name, "") for name in ("prefix", "suffix"))
    return [f"{prefix}{number}{suffix}" for number in _numbers(element)]


def _numbers(element: Element) -> list[int]:
    found: list[int] = []
    for part in element.get("radical").split(","):
        first, _, last = part.partition("-")
        if not first.strip().isdecimal() or (last and not last.strip().isdecimal()):
            raise element.wrong(f"radical {part!r} is not a range such as 0-15")
        end = int(last or first)
        if end - int(first) >= _MOST_HOSTS:
            raise element.wrong(f"radical {part!r}: more hosts than can be simulated")
        found += range(int(first), end + 1)
    return found
