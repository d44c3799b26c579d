"""Weather in a lab: links that change, hosts that go off, and the log that says so."""

import subprocess
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support import here
from support.command import weft
from support.here import refusal, weft_json
from support.live import traffic
from support.live.waiting import wait_for
from weft.base.errors import RequestError
from weft.measure.testbed.lab import registry
from weft.measure.testbed.lab.weather import event_text

FABRIC = """
name = "cable"
[[hosts]]
ids = "a,b"
[[links]]
between = ["a", "b"]
rate = "100 Mb/s"
delay = "1 ms"
"""

IS_RUNNING = """
import fcntl, socket, struct
with socket.socket() as any:
    answer = fcntl.ioctl(any, 0x8913, struct.pack("16sh22x", b"eth0", 0))
print(bool(struct.unpack("16sh22x", answer)[1] & 0x40))
"""
"""Says whether an interface has a carrier (SIOCGIFFLAGS, IFF_RUNNING)."""


@pytest.fixture
def cable(own_registry: None, tmp_path: Path) -> Iterator[str]:
    """A lab of two hosts, up."""
    (tmp_path / "cable.toml").write_text(FABRIC)
    assert weft("lab", "up", tmp_path / "cable.toml").returncode == 0
    yield "cable"
    assert here.weft("lab", "down", "--all").returncode == 0


def on(host: str) -> traffic.Enter:
    entry = registry.get("cable")
    assert entry is not None
    return lambda argv: entry.keeper.enter_command(host, argv)


def weather(*words: str) -> Any:
    return weft_json("lab", "weather", "cable", *words)


def log() -> list[dict[str, Any]]:
    found: list[dict[str, Any]] = weft_json("lab", "weather", "cable", "--log")["log"]
    return found


def a_reaches_b() -> bool:
    with traffic.serving(on("b"), "echo", traffic.PORT):
        return bool(traffic.answer(traffic.on(on("a"), "reach", "10.0.0.2", traffic.PORT)))


def test_words_become_an_event() -> None:
    text = event_text(["ids=n[1-2]", "blocks=icmp,tcp/22", "for=5 s, 9 s", "seed=7", "off=true"])
    assert text == (
        '[[weather]]\nids = "n[1-2]"\nblocks = ["icmp", "tcp/22"]\n'
        'for = ["5 s", "9 s"]\nseed = 7\noff = true'
    )
    with pytest.raises(RequestError, match="neither a key"):
        event_text(["ids=n1", "storm.toml"])


@pytest.mark.timed
@pytest.mark.usefixtures("cable")
def test_links_change_while_the_lab_is_up_and_are_cleared() -> None:
    assert a_reaches_b()
    for words in (["blocks=tcp/5010"], ["dead=true", "direction=in"]):
        weather("between=a,b", *words)
        assert not a_reaches_b(), words
        assert weather("--clear")["events"] == []
        assert a_reaches_b(), words
    weather("ids=a", "delay=30 ms", "direction=out")
    times_us = traffic.half_round_trips_us(on("a"), on("b"), "10.0.0.2", 1)
    assert 15_500 <= times_us[0] < 16_500, "30 ms there, 1 ms back"
    assert [line["state"] for line in log()] == ["begins", "ends"] * 2 + ["begins"]


@pytest.mark.timed
@pytest.mark.usefixtures("cable")
def test_a_host_that_is_off_loses_its_processes_and_comes_back() -> None:
    listening = traffic.on(on("b"), "echo", str(traffic.PORT))
    assert listening.stdout is not None and listening.stdout.readline() == "ready\n"
    weather("ids=b", "off=true", "for=3 s")
    assert listening.wait(5) != 0
    listening.communicate()
    assert "is off" in weft("lab", "exec", "cable", "b", "--", "true").stderr
    wait_for(lambda: here.weft("lab", "exec", "cable", "b", "--", "true").returncode == 0, 6)
    assert a_reaches_b()
    begins, ends = log()
    assert begins["killed"] >= 1 and begins["change"] == {"off": True}
    assert ends["lab_s"] - begins["lab_s"] == pytest.approx(3, abs=0.1)
    assert abs(ends["time_s"] - time.time()) < 60


@pytest.mark.timed
@pytest.mark.usefixtures("cable")
def test_an_unplugged_host_has_no_carrier() -> None:
    def has_carrier() -> str:
        argv = on("a")([traffic.interpreter(), "-c", IS_RUNNING])
        return subprocess.run(argv, capture_output=True, text=True, check=True).stdout.strip()

    wait_for(lambda: has_carrier() == "True", 3)
    weather("ids=a", "unplugged=true")
    wait_for(lambda: has_carrier() == "False", 3)
    weather("--clear")
    wait_for(lambda: has_carrier() == "True", 3)


@pytest.mark.timed
def test_a_fabric_brings_its_weather_and_a_day_passes_in_a_second(
    own_registry: None, tmp_path: Path
) -> None:
    events = '[[weather]]\nname = "night"\nids = "a"\ndead = true\n'
    times = 'at = "12 h"\nfor = "6 h"\nrepeat = "1 d"\n'
    (tmp_path / "cable.toml").write_text(FABRIC + events + times)
    simulated = "--on", f"sim:{tmp_path / 'cable.toml'}", "--out", str(tmp_path / "run")
    assert "weather, which is not simulated" in refusal("run", "latency", *simulated)
    weft("lab", "up", tmp_path / "cable.toml", "--speed", "86400")
    wait_for(lambda: len(log()) >= 4, 10)
    first = log()[:4]
    assert [line["state"] for line in first] == ["begins", "ends"] * 2
    assert [line["lab_s"] for line in first] == pytest.approx([0.5, 0.75, 1.5, 1.75], abs=0.05)
    assert here.weft("lab", "down", "--all").returncode == 0


@pytest.mark.usefixtures("cable")
def test_wrong_weather_is_refused_and_changes_nothing(tmp_path: Path) -> None:
    storm = tmp_path / "storm.toml"
    storm.write_text('[[weather]]\nids = "a"\ndead = true\n[[weather]]\nids = "b"\n')
    for words, said in [
        ((str(storm),), f"{storm}:4: weather[1].name: missing: the event changes nothing"),
        (("ids=c", "dead=true"), "the hosts are a, b"),
        (("ids=a", "rate=5 Mb/s", "for=1 fortnight"), "ms, s, min, h, d"),
        (("ids=a", "network=2", "dead=true"), "no link in network 2"),
        (("--clear", "ids=a"), "leave FILE"),
    ]:
        assert said in refusal("lab", "weather", "cable", *words)
    assert weather()["events"] == [] and log() == []
    assert weft("lab", "up", "pair").returncode == 0
    assert "no forwarder" in refusal("lab", "weather", "pair", "ids=n1", "dead=true")
