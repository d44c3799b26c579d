"""A site's agent in network namespaces: both families of addresses, what it may not do, and peers that misbehave."""

import os
import socket
import subprocess
import threading
import time
from collections.abc import Iterator
from pathlib import Path

import pyarrow as pa
import pyarrow.compute as pc
import pytest

from support.clusters.namespaces import INTERFACE, inside, two_namespaces
from support.live.waiting import wait_for
from support.live.watching import PORT, config, one, watch_folder, watched_link, watching
from weft.runs.probes import KINDS

__all__ = ["watch_folder"]
pytestmark = pytest.mark.timed
ALL = ["icmp", "tcp-connect", "tcp-echo", "udp-echo"]
NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups", "--bounding-set=-all"]


@pytest.fixture
def namespaces() -> Iterator[tuple[str, str]]:
    with two_namespaces() as names:
        for number, name in enumerate(names, 1):
            inside(name, f"ip addr add fd09::{number}/64 dev {INTERFACE} nodad")
        yield names


def answered(rows: pa.Table) -> dict[str, float]:
    """The share of each kind's probes that were."""
    found = rows.group_by("kind").aggregate([("rtt_ns", "count"), ("kind", "count")]).to_pylist()
    return {KINDS[row["kind"]]: row["rtt_ns_count"] / row["kind_count"] for row in found}


def test_ipv6_is_probed_by_every_kind_and_by_icmp_where_it_is_allowed(
    watch_folder: Path, namespaces: tuple[str, str]
) -> None:
    here, there = (["ip", "netns", "exec", name] for name in namespaces)
    told = config(watched_link("fd09::2", kinds=ALL))
    # Another user must reach the folders of the test.
    watch_folder.mkdir(parents=True)
    for folder in (watch_folder, *watch_folder.parents[:4]):
        folder.chmod(0o755)
    inside(namespaces[0], "sysctl -qw net.ipv4.ping_group_range='1 0'")
    with (
        watching(watch_folder / "peer", config(), there),
        watching(watch_folder / "raw", told, here) as raw,
        watching(watch_folder / "refused", told, [*here, *NOBODY], 65534) as refused,
    ):
        time.sleep(1.5)
        rest, events = refused.end()
        said = refused.status.links[0].refused
        inside(namespaces[0], "sysctl -qw net.ipv4.ping_group_range='0 2147483647'")
        with watching(watch_folder / "ping", told, [*here, *NOBODY], 65534) as ping:
            time.sleep(1.5)
            by_ping, _ = ping.end()
        by_raw, _ = raw.end()
    assert answered(by_ping) == dict.fromkeys(ALL, 1.0)
    assert answered(by_raw) == dict.fromkeys(ALL, 1.0)
    assert answered(rest) == dict.fromkeys(ALL[1:], 1.0)
    assert list(said) == ["icmp"] and "ping_group_range" in said["icmp"]
    assert one(events, "kind-refused").link == 0


class Relay:
    """Passes datagrams on to a responder, and gives each answer many times, with others that are forged."""

    def __init__(self, copies: int) -> None:
        self._socket = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)
        self._socket.bind(("127.0.0.1", 0))
        self.port: int = self._socket.getsockname()[1]
        self._copies = copies
        self._thread = threading.Thread(target=self._run)
        self._thread.start()

    def _run(self) -> None:
        asking = ("", 0)
        while True:
            message, source = self._socket.recvfrom(65536)
            if message == b"end":
                return
            if source[1] != PORT:
                asking = source
                self._socket.sendto(message, ("127.0.0.1", PORT))
                continue
            for forged in (message[:40] + os.urandom(len(message) - 40), message + b"more", b""):
                self._socket.sendto(forged, asking)
            for _ in range(self._copies):
                self._socket.sendto(message, asking)

    def end(self) -> None:
        self._socket.sendto(b"end", ("127.0.0.1", self.port))
        self._thread.join()
        self._socket.close()


def test_answers_that_are_forged_or_come_often_are_not_taken(watch_folder: Path) -> None:
    relay = Relay(copies=100)
    link = watched_link("127.0.0.1", kinds=["udp-echo"], port=relay.port)
    try:
        with (
            watching(watch_folder / "peer", config()),
            watching(watch_folder / "asks", config(link)) as site,
        ):
            time.sleep(2)
            rows, events = site.end()
    finally:
        relay.end()
    assert rows.num_rows > 10
    assert answered(rows) == {"udp-echo": 1.0}
    assert pc.max(rows["rtt_ns"]).as_py() < 100e6
    assert one(events, "answers-too-many").link == 0


@pytest.mark.cluster
def test_a_name_that_goes_away_and_comes_back_elsewhere_is_followed(
    watch_folder: Path, namespaces: tuple[str, str], tmp_path: Path
) -> None:
    hosts = tmp_path / "hosts"
    hosts.write_text("fd09::2 peer.example\n10.9.9.2 peer.example\n")
    command = f'mount --bind {hosts} /etc/hosts && exec ip netns exec {namespaces[0]} "$@"'
    link = watched_link("peer.example", kinds=["icmp"])
    within = ["unshare", "--mount", "sh", "-c", command, "sh"]
    with watching(watch_folder / "named", config(link), within) as site:
        time.sleep(2)
        hosts.write_text("")
        inside(namespaces[1], f"ip addr del 10.9.9.2/24 dev {INTERFACE}")
        inside(namespaces[1], f"ip addr add 10.9.9.3/24 dev {INTERFACE}")
        wait_for(lambda: "name-unknown" in {event.what for event in site.told_to_write()[1]}, 60)
        hosts.write_text("10.9.9.3 peer.example\n")
        wait_for(lambda: "address-change" in {event.what for event in site.told_to_write()[1]}, 60)
        time.sleep(1)
        rows, events = site.end()
    assert one(events, "address").text == "10.9.9.2"
    assert one(events, "name-unknown").text == "peer.example"
    assert one(events, "address-change").text == "10.9.9.2 to 10.9.9.3"
    assert rows["rtt_ns"].is_valid().to_pylist()[-5:] == [True] * 5


def test_a_flood_of_strangers_leaves_probes_alone(
    watch_folder: Path, namespaces: tuple[str, str]
) -> None:
    here, there = (["ip", "netns", "exec", name] for name in namespaces)
    told = config(watched_link("10.9.9.2", kinds=["udp-echo", "tcp-connect"]))
    flood = (
        "import socket, time\n"
        "one = socket.socket(socket.AF_INET, socket.SOCK_DGRAM)\n"
        "end = time.monotonic() + 3\n"
        f"while time.monotonic() < end: one.sendto(b'x' * 100, ('10.9.9.2', {PORT}))\n"
    )
    with (
        watching(watch_folder / "peer", config(), there) as peer,
        watching(watch_folder / "asks", told, here) as site,
    ):
        used_s = processor_s(peer.process.pid)
        subprocess.run([*here, "python3", "-c", flood], check=True)
        used_s = processor_s(peer.process.pid) - used_s
        rows, _ = site.end()
    assert used_s < 0.3
    assert min(answered(rows).values()) > 0.9


def processor_s(pid: int) -> float:
    fields = Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()
    return (int(fields[11]) + int(fields[12])) / os.sysconf("SC_CLK_TCK")
