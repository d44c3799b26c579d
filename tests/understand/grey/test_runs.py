"""A health check whole, on networks that are simulated."""

from pathlib import Path

import pytest

from support.made.computed import compute
from weft.runs.folder import RunFolder
from weft.understand.grey.report import GreyReport
from weft.understand.limits.diagnosis import diagnose

LATE, SLOW = 'delay = "1 ms"', 'rate = "8 Mb/s"'


def fabric(fault: str, leaves: int = 4, hosts: int = 3) -> str:
    """Leaves around a spine; n5 has a fault."""
    links = "".join(
        f'[[links]]\nbetween = ["leaf{leaf}", "spine"]\nrate = "30 Mb/s"\n'
        for leaf in range(1, leaves + 1)
    )
    return f"""
name = "leaves"
[[hosts]]
ids = "n[1-{leaves * hosts}]"
attach = "leaf[1-{leaves}]"
per_switch = {hosts}
link = {{ rate = "10 Mb/s", delay = "5 us" }}
{links}
[[overrides]]
ids = "n5"
link = {{ {fault} }}
"""


def report(run: RunFolder) -> GreyReport:
    found = diagnose(run).grey
    assert found is not None
    return found


@pytest.mark.parametrize(("fault", "symptom"), [(LATE, "is late"), (SLOW, "is slow")])
def test_one_link_is_named_and_the_rounds_end_when_all_is_decided(
    tmp_path: Path, fault: str, symptom: str
) -> None:
    file = tmp_path / "fabric.toml"
    file.write_text(fabric(fault))
    found = report(compute(tmp_path / "run", "health", f"sim:{file}"))
    assert {(one.element.nodes, one.symptom) for one in found.accused} == {((4,), symptom)}
    assert (found.undecided, found.rounds < 100) == (0, True)
    assert found.verdict.startswith(f"Node n5 {symptom}, both ways: ")
    assert "Whether frames are lost is not known" in found.verdict


RAILS = """
name = "rails"
[[switches]]
ids = "first,second"
[[hosts]]
ids = "n[1-6]"
attach = "first"
link = { rate = "10 Mb/s", delay = "5 us" }
[[attachments]]
hosts = "n[1-4],n6"
attach = "second"
link = { rate = "10 Mb/s", delay = "5 us" }
[[attachments]]
hosts = "n5"
attach = "second"
link = { rate = "8 Mb/s", delay = "5 us" }
"""


def test_a_slow_link_is_named_with_its_network(tmp_path: Path) -> None:
    file = tmp_path / "rails.toml"
    file.write_text(RAILS)
    found = diagnose(compute(tmp_path / "run", "health", f"sim:{file}"))
    assert found.verdict.startswith("Network 1: Every node and leaf is like the others")
    assert " Network 2: Node n5 is slow, both ways: " in found.verdict
    document = found.to_json()
    assert (document["grey"], "network" in document) == (None, False)
    assert [one["network"] for one in document["networks"]] == [1, 2]
    first, second = (one["grey"] for one in document["networks"])
    assert (first, {one["symptom"] for one in second}) == ([], {"is slow"})
