"""Wrong requests are told what would be right."""

from pathlib import Path

import pytest

from support.here import refusal
from support.live.slow_machine import slow_machine
from weft.base.errors import RequestError
from weft.faces.cli.measure import vpn as command

FAST = """name = "fast"
[[hosts]]
ids = "n[1-2]"
[[links]]
between = ["n1", "n2"]
rate = "10 Gb/s"
"""


def test_refusals() -> None:
    through = ("--through", "10.8.0.1,10.8.0.2")
    assert "is computed: there is no tunnel" in refusal("vpn", "--on", "sim:pair", *through)
    assert "two addresses are needed" in refusal("vpn", "--on", "ssh:a,b", "--through", "10.8.0.1")
    assert "give the job after --" in refusal(
        "vpn", "--on", "ssh:a,b", *through, "--wanted", "path"
    )
    names = refusal("vpn", "--on", "ssh:a,b", "--through", "tun-a,tun-b")
    assert "'tun-a' does not appear to be an IPv4 or IPv6 address" in names


@pytest.mark.parametrize(
    ("options", "scale", "said"),
    [
        ([], 0.02, "the lab runs at scale 0.02, with 200 Mb/s in place of 10.0 Gb/s"),
        (["--", "mpirun", "./app"], 0.02, "the lab runs at scale 0.02"),
        (["--scale", "1"], 1.0, "this machine does not carry 2 hosts at 10.0 Gb/s at once"),
    ],
)
def test_a_lab_that_is_not_carried_gets_a_scale_and_says_so(
    options: list[str],
    scale: float,
    said: str,
    tmp_path: Path,
    monkeypatch: pytest.MonkeyPatch,
    own_registry: None,
) -> None:
    slow_machine(monkeypatch)
    fabric = tmp_path / "fast.toml"
    fabric.write_text(FAST)
    opened: list[float] = []

    def opening(spec: str, scale: float, *others: object) -> None:
        opened.append(scale)
        raise RequestError("opened")

    monkeypatch.setattr(command, "open_testbed", opening)
    through = ("--through", "10.8.0.1,10.8.0.2")
    told = refusal("vpn", "--on", f"lab:{fabric}", *through, *options)
    assert opened == [scale] and said in told
