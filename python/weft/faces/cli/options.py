"""Options that several commands share."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import click

from weft.base.errors import RequestError
from weft.measure.testbed.kinds import TESTBEDS

ON = "TESTBED"
"""What `--on` takes, as all helps write it."""


def on_help(what: str, usual: str = "") -> str:
    """The help of `--on`: what is there, such as "What to tune: ssh:a,b", and the kinds of testbeds."""
    kinds = " ".join(f"{one.partition(':')[0]}:" for one in TESTBEDS)
    return f"{what}. Kinds: {kinds}" + (f"  [default: {usual}]" if usual else "")


nodes_option = click.option("--nodes", type=click.IntRange(min=1), help="Use the first N nodes.")
scale_option = click.option(
    "--scale",
    type=float,
    help="Multiply a lab's rates.  [default: 1, or what this machine carries]",
)
ports_option = click.option("--ports", metavar="RANGE", help="Ports for data, such as 5000-5100.")


_NEXT = re.compile(r",\s*(?=[A-Za-z_][\w.*-]*\s*=)")
"""The start of a further key, except inside brackets and quotes."""


def split_settings(settings: Iterable[str]) -> dict[str, str]:
    """The keys and values of --set; raises RequestError.

    Further keys after a comma have the first one's prefix: steps.hpl.n=20000,nb=160 also sets steps.hpl.nb.
    """
    return dict(each for one in settings for each in _split_several(one))


def _split_several(setting: str) -> Iterator[tuple[str, str]]:
    first, *others = _parts(setting)
    key, value = split_setting(first)
    yield key, value
    table = key.rpartition(".")[0]
    for other in others:
        beside, value = split_setting(other)
        yield (f"{table}.{beside}" if table else beside), value


def _parts(setting: str) -> list[str]:
    """The parts of a setting; without further keys there is one, whatever its value contains."""
    ends = [
        found.span() for found in _NEXT.finditer(setting) if _is_outside(setting[: found.start()])
    ]
    starts = [0, *(end for _, end in ends)]
    return [
        setting[start:end]
        for start, end in zip(starts, [*(begin for begin, _ in ends), None], strict=True)
    ]


def _is_outside(before: str) -> bool:
    """Whether the text before a position has closed all its brackets and quotes."""
    plain = _QUOTED.sub("", before)
    is_even = all(plain.count(opened) == plain.count(closed) for opened, closed in ("[]", "{}"))
    return is_even and '"' not in plain and "'" not in plain


_QUOTED = re.compile(r"\"[^\"]*\"|'[^']*'")


def split_setting(setting: str) -> tuple[str, str]:
    """The key and the value of --set; raises RequestError."""
    key, equals, value = setting.partition("=")
    if not equals or not key:
        raise RequestError(f"--set {setting}: not KEY=VALUE", "for example --set launches=3")
    return key.strip(), value.strip()
