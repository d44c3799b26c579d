"""Whether this machine carries the probes of a watch in a lab."""

from __future__ import annotations

import pytest

from weft.links.watch.service import overloads
from weft.links.watch.sites import parse_sites
from weft.measure.execute.lab_scale import settle

SITES = """
[watch]
interval = "{interval}"
rate = "100 Gb/s"
budget = "100 %"
sizes = ["60 kB"]
[[sites]]
name = "a"
on = "{kind}:{fabric}/n1"
address = "10.0.0.1"
[[sites]]
name = "b"
on = "{kind}:{fabric}/n2"
address = "10.0.0.2"
"""


@pytest.fixture(autouse=True)
def two_processors(monkeypatch: pytest.MonkeyPatch, own_registry: None) -> None:
    monkeypatch.setattr(settle, "_processors", lambda: 2)


def told(interval: str, kind: str = "lab", fabric: str = "fat-tree-16") -> list[str]:
    return list(overloads(parse_sites(SITES.format(interval=interval, kind=kind, fabric=fabric))))


def test_probes_of_more_than_a_lab_carries_are_said() -> None:
    """60 kB in 41 frames with 58 B each are 0.499 Mb, there and back, on two links, every 4 ms: 499 Mb/s."""
    [text] = told("4 ms")
    assert text.startswith("lab:fat-tree-16: the probes of its links send 499 Mb/s")
    assert "surely carries 300 Mb/s" in text and "A longer `interval`" in text


def test_usual_probes_and_machines_that_are_no_lab_are_no_matter() -> None:
    assert told("10 ms") == [] and told("1 s") == []
    assert told("4 ms", "vm") == []
