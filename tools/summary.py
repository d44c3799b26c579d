"""Sums up parts of the tests that tools/part ran; ends with status 1 where one failed or did not end.

usage: tools/summary.py PART ...
"""

from __future__ import annotations

import re
import sys
from collections import Counter
from dataclasses import dataclass, field
from pathlib import Path

KEPT = Path(".test")
COUNTED = {"passed": "passed", "failed": "failed", "error": "failed", "errors": "failed"}
COUNTED |= {"skipped": "skipped", "ignored": "skipped", "rerun": "tried again"}
CLOSING = re.compile(r"^(?:test result: .*|(?:\d+ \w+(?:, )?)+ in [\d.]+s.*)$", re.MULTILINE)
COUNT = re.compile(r"(\d+) (\w+)")
SKIPPED = re.compile(r"^SKIPPED \[(\d+)\] \S+: (.*)$", re.MULTILINE)


@dataclass
class Part:
    """How a part ended; counts are of tests, and empty where it has none."""

    name: str
    ended: str = "did not end"
    counts: Counter[str] = field(default_factory=Counter)
    reasons: Counter[str] = field(default_factory=Counter)

    def __str__(self) -> str:
        return f"{self.name:>8}: {counted(self.counts)}{self.ended}"


def counted(counts: Counter[str]) -> str:
    shown = ["passed", "failed", "skipped", *(["tried again"] if counts["tried again"] else [])]
    return "".join(f"{counts[key]} {key}, " for key in shown if counts)


def read(name: str) -> Part:
    part = Part(name)
    log, end = (KEPT / f"{name}.{kind}" for kind in ("log", "end"))
    text = log.read_text(errors="replace") if log.exists() else ""
    for closing in CLOSING.findall(text):
        for number, word in COUNT.findall(closing):
            if word in COUNTED:
                part.counts[COUNTED[word]] += int(number)
    for number, reason in SKIPPED.findall(text):
        part.reasons[reason] += int(number)
    if end.exists():
        status, seconds = end.read_text().split()
        part.ended = f"{'ok' if status == '0' else 'FAILED'} in {seconds} s"
    return part


def main(names: list[str]) -> int:
    parts = [read(name) for name in names]
    total = sum((part.counts for part in parts), Counter[str]())
    reasons = sum((part.reasons for part in parts), Counter[str]())
    good = all(part.ended.startswith("ok") for part in parts)
    print(*parts, sep="\n")
    print(f"{'all':>8}: {counted(total)}{'ok' if good else 'FAILED'}")
    for reason, number in reasons.most_common():
        print(f" skipped: {number}, {reason}")
    return 0 if good else 1


if __name__ == "__main__":
    sys.exit(main(sys.argv[1:]))
