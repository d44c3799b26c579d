"""Each key of a fabric changes what is computed on sim:, is refused there, or is said to change nothing."""

from __future__ import annotations

from pathlib import Path

import pytest

from support.made.computed import compute
from weft.base.errors import RequestError
from weft.measure.testbed.computed.network import open_simulated
from weft.plan.load import load_plan

FABRIC = """
name = "keys"
title = "Two leaves and a spine"
{top}
[[hosts]]
ids = "n[1-4]"
attach = "leaf[1-2]"
per_switch = 2
{host}
link = {{ rate = "100 Mb/s", delay = "5 us"{link} }}

[[switches]]
ids = "spine"
{switch}

[[switches]]
ids = "leaf[1-2]"

[[links]]
between = ["leaf[1-2]", "spine"]
rate = "150 Mb/s"
delay = "10 us"
{trunk}
{more}
"""
PLACES = dict.fromkeys(("top", "host", "link", "switch", "trunk", "more"), "")
CHANGES = [
    ("trunk", 'rate_back = "20 Mb/s"'),
    ("trunk", 'delay_back = "1 ms"'),
    ("trunk", "mtu_bytes = 1000"),
    ("trunk", "queue_frames = 10"),
    ("trunk", "drops_above_bytes = 1400"),
    ("trunk", 'loss = "1 %"'),
    ("link", ", mtu_bytes = 1000"),
    ("link", ", queue_frames = 1"),
    ("switch", 'capacity = "20 Mb/s"'),
    ("switch", "queue_frames = 10"),
    ("host", 'kind = "vm"'),
    ("host", 'kind = "vm"\nguest = { cpus = 2 }'),
    ("more", '[[overrides]]\nlink = ["n1", "leaf1"]\nrate = "20 Mb/s"'),
    ("more", '[[overrides]]\nlink = ["n1", "leaf1"]\nqueue_frames = 10'),
    ("more", '[[paths]]\nfrom = "n1"\nto = "n4"\nrate = "20 Mb/s"'),
    (
        "more",
        '[[weather]]\nlink = ["leaf1", "spine"]\nevery = "1 s"\nfor = "100 ms"\nrate = "1 Mb/s"',
    ),
]
STEP = {
    "name": "s",
    "pattern": "alltoall",
    "sizes": ["64 KiB"],
    "stop": {"rule": "count", "repeats": 4, "trials": 1},
}


def described(folder: Path, **changes: str) -> Path:
    path = folder / "keys.toml"
    path.write_text(FABRIC.format(**{**PLACES, **changes}))
    return path


def result(path: Path, sharing: str) -> tuple[bytes, list[str]]:
    """How long messages take, and the codes of warnings."""
    testbed = open_simulated(f"{path}(sharing={sharing})")
    (step,) = load_plan({"name": "x", "title": "x", "launches": 1, "steps": [STEP]}).steps
    testbed.check(step)
    found = testbed.simulate(step, 0, testbed.phase_count(step))
    return found.rows["elapsed_ns"], [one.code for one in testbed.warnings]


@pytest.mark.parametrize("sharing", ["max-min", "reno"])
@pytest.mark.parametrize(("place", "said"), CHANGES)
def test_a_key_changes_a_result_or_is_said(
    tmp_path: Path, place: str, said: str, sharing: str
) -> None:
    usual, none = result(described(tmp_path), sharing)
    assert none == []
    try:
        changed, warned = result(described(tmp_path, **{place: said}), sharing)
    except RequestError:
        return
    assert (changed != usual) == (warned == []), (said, warned)


def test_the_run_says_so(tmp_path: Path) -> None:
    path = described(tmp_path, trunk="queue_frames = 10")
    run = compute(tmp_path / "run", "latency", f"sim:{path}")
    (warning,) = [one for one in run.meta.warnings if one.code == "key-not-simulated"]
    assert "queue_frames" in warning.message and "sharing=reno" in warning.message
