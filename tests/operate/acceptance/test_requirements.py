"""Requirements in TOML: what they mean, and what is refused with its line."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.base.errors import RequestError
from weft.network.fabrics.load import load_fabric
from weft.operate.acceptance.declared import Promise, refuse_unpromised
from weft.operate.acceptance.requirements import read_requirements

WHOLE = """title = "Phase 1"
[nodes]
count = 16
same = ["kernel", "driver"]
slower = "5 %"
[latency]
"1 B" = "60 us"
[rate]
pair = "90 Mb/s"
[mtu]
at_least = "1500 B"
[clocks]
offset = "10 ms"
"""


def written(folder: Path, text: str) -> str:
    file = folder / "expect.toml"
    file.write_text(text)
    return str(file)


def test_each_quantity_is_read_in_its_unit(tmp_path: Path) -> None:
    found = {one.key: one for one in read_requirements(written(tmp_path, WHOLE))}
    limits = {key: one.limit for key, one in found.items() if one.limit is not None}
    assert limits == {
        "nodes.count": 16,
        "nodes.slower": 5,
        "latency.1 B": pytest.approx(60),
        "rate.pair": pytest.approx(90),
        "mtu.at_least": 1500,
        "clocks.offset": pytest.approx(10_000),
    }
    assert found["nodes.same"].names == ("kernel", "driver")
    assert found["rate.pair"].title == "each pair at least 90.0 Mb/s, in each direction"


WRONG = [
    ("slower", "slowr", "nodes.slowr = '5 %': unknown key, did you mean \"slower\"?"),
    ("[clocks]", "[clock]", ':12: clock: unknown key, did you mean "clocks"?'),
    ('"90 Mb/s"', '"90"', ":9: rate.pair = '90': not a rate"),
    ('"90 Mb/s"', '"90 us"', ":9: rate.pair = '90 us': not a rate"),
    ("count = 16", 'count = "many"', ":3: nodes.count = 'many'"),
    ('"driver"', '"drivr"', ':4: nodes.same: unknown key, did you mean "driver"?'),
    ('"1 B"', '"1 meter"', ":7: latency = '1 meter': not a size"),
    ("[mtu]", '[mtu]\nat_most = "1400 B"', "contradicts mtu.at_most = 1400 B"),
    ("[mtu]", '[network]\nlimits = "5 %"\n[mtu]', "finer than limits are told apart"),
    ("[nodes]", "[nodes", "not TOML"),
]


@pytest.mark.parametrize(("old", "new", "said"), WRONG)
def test_what_is_wrong_is_said_with_its_line(tmp_path: Path, old: str, new: str, said: str) -> None:
    with pytest.raises(RequestError) as refused:
        read_requirements(written(tmp_path, WHOLE.replace(old, new)))
    assert said in refused.value.message + refused.value.hint


def test_files_that_cannot_be_read_are_refused(tmp_path: Path) -> None:
    for file in (tmp_path, tmp_path / "none.toml", Path(written(tmp_path, ""))):
        with pytest.raises(RequestError):
            read_requirements(str(file))


BEYOND = [
    ('[rate]\npair = "1 Gb/s"', "links that carry 93.74 Mb/s of payload from n5 to n1"),
    ("[nodes]\ncount = 9", "declares 8 hosts"),
    ('[mtu]\nat_least = "9000 B"', "declares an MTU of 1400 B"),
    ('[latency]\n"1 B" = "5 us"', "the cables"),
]


@pytest.mark.parametrize(("text", "said"), BEYOND)
def test_what_the_fabric_cannot_give_is_refused(tmp_path: Path, text: str, said: str) -> None:
    fabric = load_fabric("wrong-mtu")
    promise = Promise(fabric, tuple(host["name"] for host in fabric["hosts"]))
    wanted = read_requirements(written(tmp_path, text))
    with pytest.raises(RequestError) as refused:
        refuse_unpromised(wanted, promise)
    assert said in refused.value.message and "expect.toml:2: " in refused.value.message
