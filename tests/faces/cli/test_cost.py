"""`weft cost` and `weft fabric show --parts`."""

from pathlib import Path

import pytest

import weft as package
from support.here import refusal, weft, weft_json


def test_a_bill_as_text_and_as_a_document() -> None:
    printed = weft("cost", "xibalba-e7-config2", "--per", "28.8 GFlop/s").stdout
    assert "network 46,080: 480.00 for each node" in printed
    assert "of which the network is 12.6%" in printed
    assert "network 1.6, cluster 12.74 USD per MFlop/s" in printed
    found = weft_json("cost", "xibalba-e7-config2", "--per", "28.8 GFlop/s")
    assert sum(one["total"] for one in found["items"]) == pytest.approx(found["total"])
    assert found["per"]["network"] == pytest.approx(1.6)


def test_python_gives_the_same_bill() -> None:
    found = weft_json("cost", "fat-tree(k=4,hosts=10)", "--prices", "slim-fly-2014")
    bill = package.bill("fat-tree(k=4,hosts=10)", prices="slim-fly-2014")
    assert [*bill.items["total"]] == [one["total"] for one in found["items"]]
    assert bill.network == found["network"] and found["share"] is bill.share is None
    assert "without a price: interfaces, nodes" in repr(bill)


def test_money_is_converted_as_asked() -> None:
    asked = ("cost", "xibalba-er16", "--currency", "EUR", "--rate", "USD=0.5")
    found = weft_json(*asked, "--year", "2005", "--inflation", "10")
    assert found["per_port"] == pytest.approx(818 * 0.5 * 1.21, rel=1e-4)
    assert (found["currency"], found["year"]) == ("EUR", 2005)
    assert found["converted"] == [
        "1 USD is 0.5 EUR in the year of its price",
        "10 % a year of EUR from 2003 to 2005",
    ]
    assert "cost_port_er16_usd" in found["items"][0]["source"]


def test_parts_as_text_and_as_a_document() -> None:
    printed = weft("fabric", "show", "xibalba-dual", "--parts").stdout
    assert "32 hosts, 64 interfaces" in printed and "copper" in printed
    found = weft_json("fabric", "show", "fat-tree(k=4)", "--parts", "--prices", "slim-fly-2014")
    alike = {"network": 0, "ports": 4, "used": 4}
    ports = {"rate_bits_per_s": 10_000_000_000, "used": 4}
    above, leaves = (
        {"of_hosts": own, "count": count, "by_rate": [ports | {"of_hosts": own}]}
        for own, count in ((0, 12), (2, 8))
    )
    assert found["switches"] == [alike | above, alike | leaves]
    assert {one["kind"] for one in found["cable_kinds"]} == {"electrical"}


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("cost", "two-racks"), "nothing says what its parts cost"),
        (("cost", "xibalba-er16", "--currency", "EUR"), "--rate USD=X"),
        (("cost", "xibalba-er16", "--year", "2026"), "--inflation"),
        (("cost", "xibalba-er16", "--per", "fast"), "not a performance"),
        (("cost", "xibalba-er16", "--prices", "none.toml"), "no such file"),
        (("fabric", "show", "two-racks", "--prices", "slim-fly-2014"), "add --parts"),
        (("fabric", "show", "two-racks", "--parts", "--way", "n1", "n2"), "leave one out"),
    ],
)
def test_wrong_requests_are_refused(arguments: tuple[str, ...], said: str) -> None:
    assert said in refusal(*arguments)


def test_a_wrong_file_is_refused_with_its_line(tmp_path: Path) -> None:
    file = tmp_path / "prices.toml"
    file.write_text('[cost]\nper_node = { value = 5, currency = "USD", source = "me" }\n')
    said = refusal("cost", "two-racks", "--prices", file)
    assert f"{file}:2: cost.per_node.year: missing" in said
