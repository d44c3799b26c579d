"""Fabric descriptions as Python and the command line see them."""

import json
from pathlib import Path

import pytest

from support.here import refusal, weft_json
from support.made.cases import cases
from weft import _core
from weft.base import catalog

PAIR = """
name = "two"
[[hosts]]
ids = "n[1-2]"
[[links]]
between = ["n1", "n2"]
rate = "100 Mb/s"
"""


@pytest.mark.parametrize("name", catalog.names("fabric"))
def test_catalogue_fabrics_load(name: str) -> None:
    text = catalog.read(catalog.find("fabric", name))
    assert json.loads(_core.load_fabric(text, name, 1.0))["name"] == name


def test_scale_divides_rates() -> None:
    link = json.loads(_core.load_fabric(PAIR, "two.toml", 0.1))["links"][0]
    assert link["forward"]["rate_bits_per_s"] == 10_000_000


@pytest.mark.parametrize(
    ("wrong", "said"),
    [
        (PAIR.replace('"n1", "n2"', '"n1", "n9"'), 'unknown node "n9"; the nodes are n1, n2'),
        (PAIR.replace("100 Mb/s", "100"), 'rate = "100": a rate needs a unit'),
        (
            PAIR.replace("rate", "rat"),
            'links[0].rat = "100 Mb/s": unknown key, did you mean "rate"?',
        ),
        (PAIR.replace("100 Mb/s", "-1 Mb/s"), "a rate must be positive"),
        ("name = ", "not TOML"),
        (
            PAIR + '[[overrides]]\nids = "n3"\ndead = true',
            'overrides[0].ids = "n3": unknown host "n3"',
        ),
        (PAIR + '[[paths]]\nfrom = "n1"\nto = "n2"', 'paths[0].from = "n1": limits nothing'),
        (PAIR + '[[attachments]]\nhosts = "n1"\nattach = "x"', 'unknown switch "x"'),
    ],
)
def test_a_wrong_fabric_is_refused_before_anything_starts(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch, wrong: str, said: str
) -> None:
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path))
    file = tmp_path / "wrong.toml"
    file.write_text(wrong)
    told = refusal("lab", "up", file)
    assert str(file) in told and said in told
    assert weft_json("lab", "list")["labs"] == []


@pytest.mark.parametrize(("name", "hosts", "capacities", "trunks"), cases("fabrics", "limits"))
def test_catalogue_fabrics_have_their_limits(
    name: str, hosts: int, capacities: list[int], trunks: list[int]
) -> None:
    text = catalog.read(catalog.find("fabric", name))
    fabric = json.loads(_core.load_fabric(text, name, 0.1))
    names = {host["name"] for host in fabric["hosts"]}
    inner = [link for link in fabric["links"] if not names.intersection(link["ends"])]
    rates = [link["forward"]["rate_bits_per_s"] for link in inner]
    limits = [switch["capacity_bits_per_s"] for switch in fabric["switches"]]
    assert len(names) == hosts
    assert [limit for limit in limits if limit] == [mbps * 1_000_000 for mbps in capacities]
    assert [rate for rate in rates if rate] == [mbps * 1_000_000 for mbps in trunks]
