"""The benches: each a script that says at its top what it asks, how it is called, its tier and how long it takes.

They stand in folders by subject, since those of a subject share code; three quarters of them are of one tier.
"""

from __future__ import annotations

import ast
import re
from collections.abc import Mapping
from dataclasses import dataclass
from difflib import get_close_matches
from functools import cache, cached_property
from pathlib import Path

from common.checkout import ROOT

TIERS = ("quick", "full", "peers")
"""Ten minutes in all; many hours; and what runs other tools, which must be installed."""
USUAL = "full"
SHARED = "common"
"""The folder of what benches share."""


@dataclass(frozen=True)
class Bench:
    path: Path

    @property
    def name(self) -> str:
        return self.path.stem

    @property
    def module(self) -> str:
        return f"{self.path.parent.name}.{self.name}"

    @property
    def question(self) -> str:
        """In a few words."""
        found = re.match(r"[^:;.?]+\??", self.text)
        return found[0].strip() if found else self.name

    @property
    def tier(self) -> str:
        found = re.search(r"^tier: (\w+)$", self.text, re.MULTILINE)
        return found[1] if found else USUAL

    @cached_property
    def text(self) -> str:
        """The top of the script."""
        return ast.get_docstring(ast.parse(self.path.read_text())) or ""


@cache
def benches(root: Path = ROOT) -> Mapping[str, Bench]:
    """By name."""
    scripts = sorted(root.glob("bench/*/*.py"), key=lambda path: path.stem)
    return {path.stem: Bench(path) for path in scripts if path.parent.name != SHARED}


def bench_named(name: str) -> Bench:
    """Exits where there is none."""
    if name not in benches():
        near = get_close_matches(name, benches(), 1)
        raise SystemExit(f"no bench {name!r}" + (f": did you mean {near[0]!r}?" if near else ""))
    return benches()[name]


def of_tier(tier: str | None) -> list[Bench]:
    """All without a tier; exits where there is no such tier."""
    if tier not in (None, *TIERS):
        raise SystemExit(f"no tier {tier!r}: there are {', '.join(TIERS)}")
    return [one for one in benches().values() if tier in (None, one.tier)]
