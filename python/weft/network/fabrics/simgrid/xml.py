"""The XML of SimGrid platforms: elements with line numbers, and attributes with units."""

from __future__ import annotations

import re
from collections import Counter
from collections.abc import Mapping
from dataclasses import dataclass, field
from xml.parsers import expat

from weft.base.amount import UNITS, worth_of
from weft.base.errors import RequestError

_MOST_HOSTS = 1 << 20
_LONGEST_NAME = 255
_DEEPEST = 100
"""Maximum depth of nested zones."""
_WHOLE = re.compile(r"\s*+\d{1,18}\s*+", re.ASCII)
BITS = {"": 8.0, "bps": 1.0, "Bps": 8.0}
for _prefix, _size in (("k", 1e3), ("M", 1e6), ("G", 1e9), ("T", 1e12)):
    BITS |= {f"{_prefix}bps": _size, f"{_prefix}Bps": 8 * _size}
for _prefix, _size in (("Ki", 2.0**10), ("Mi", 2.0**20), ("Gi", 2.0**30), ("Ti", 2.0**40)):
    BITS |= {f"{_prefix}bps": _size, f"{_prefix}Bps": 8 * _size}
SECONDS = {"": 1.0, **UNITS["time"], "m": 60.0}


@dataclass
class XmlElement:
    """An element with its location: the file's name for messages, and the line."""

    name: str
    origin: str
    line: int
    attributes: dict[str, str]
    children: list[XmlElement] = field(default_factory=list)

    def get(self, name: str) -> str:
        """A required attribute; raises RequestError."""
        value = self.attributes.get(name)
        if not value:
            raise self.wrong(f"<{self.name}> without {name}")
        return value

    def quantity(self, name: str, units: Mapping[str, float], default: str | None = None) -> float:
        """A positive number with unit, in bit/s or seconds; a time may be 0. Raises RequestError."""
        text = self.attributes.get(name, default)
        value = None if text is None else worth_of(text, units)
        if value is None or value < 0 or (units is BITS and value == 0):
            known = ", ".join(filter(None, units))
            raise self.wrong(f"{name} = {text!r}: must be a positive number with a unit of {known}")
        return value

    def wrong(self, why: str) -> RequestError:
        """An error that names the line."""
        return RequestError(f"{self.origin}:{self.line}: {why}")


def parse(text: str, origin: str) -> XmlElement:
    """The root element; raises RequestError if the text is not XML."""
    root = XmlElement("", origin, 0, {})
    stack = [root]
    parser = expat.ParserCreate()

    def start(name: str, attributes: dict[str, str]) -> None:
        element = XmlElement(name, origin, parser.CurrentLineNumber, attributes)
        stack[-1].children.append(element)
        stack.append(element)
        if len(stack) > _DEEPEST:
            raise element.wrong("elements are nested too deeply")

    parser.StartElementHandler = start
    parser.EndElementHandler = lambda _: stack.pop()
    try:
        parser.Parse(text, True)
    except expat.ExpatError as error:
        raise RequestError(
            f"{origin}:{error.lineno}: not XML: {expat.ErrorString(error.code)}"
        ) from None
    return root.children[0]


def hosts_of_radical(element: XmlElement) -> list[str]:
    """The hosts of a <cluster> or <cabinet> in the order of its radical: prefix, number, suffix.

    Raises RequestError.
    """
    prefix, suffix = (element.attributes.get(name, "") for name in ("prefix", "suffix"))
    if len(prefix + suffix) > _LONGEST_NAME:
        raise element.wrong(f"prefix and suffix: more than {_LONGEST_NAME} characters")
    numbers = _numbers(element)
    if twice := [number for number, times in Counter(numbers).items() if times > 1]:
        raise element.wrong(f"a second {f'{prefix}{twice[0]}{suffix}'!r}: radical has it twice")
    return [f"{prefix}{number}{suffix}" for number in numbers]


def _numbers(element: XmlElement) -> list[int]:
    found: list[int] = []
    for part in element.get("radical").split(","):
        first, _, last = part.partition("-")
        if not _WHOLE.fullmatch(first) or not _WHOLE.fullmatch(last or first):
            raise element.wrong(f"radical {part[:40]!r} is not a range such as 0-15")
        numbers = range(int(first), int(last or first) + 1)
        if not numbers:
            raise element.wrong(f"radical {part[:40]!r} ends before it begins")
        if len(found) + len(numbers) > _MOST_HOSTS:
            raise element.wrong(f"radical: more hosts than can be simulated, at most {_MOST_HOSTS}")
        found += numbers
    return found
