"""The lab with the real thing: namespaces, frames, kills."""

import json
import os
import signal
import subprocess
import sys
import time
from collections.abc import Iterator
from pathlib import Path
from typing import Any

import pytest

from support import here
from support.command import WEFT, weft, weft_json
from support.live import traffic
from support.live.virtual_cluster import star
from support.live.waiting import wait_for
from support.paths import CATALOG
from weft.base import binaries
from weft.measure.testbed.base import Node
from weft.measure.testbed.lab.headroom import (
    Stats,
    busy_warnings,
    frames,
    headroom,
    late_warnings,
)
from weft.measure.testbed.lab.testbed import Lab, open_lab

pytestmark = pytest.mark.timed

FAST_ETHERNET_MBPS = 94.1
"""1448 bytes of payload in each 1538 on the wire."""

FULL_FRAME_US = 124.2
"""1400 bytes of payload and all headers at 100 Mb/s, and the cable's delay."""


@pytest.fixture(autouse=True)
def none_outlives(own_registry: None) -> Iterator[None]:
    """No lab stays behind a test."""
    yield
    assert here.weft("lab", "down", "--all").returncode == 0


def enter(lab: Lab, index: int) -> traffic.Enter:
    node: Node = lab.nodes[index]
    return lambda argv: lab.node_command(node, argv)


def state_of(lab: str) -> str:
    states = {one["id"]: one["state"] for one in here.weft_json("lab", "list")["labs"]}
    return str(states.get(lab, "unknown"))


def is_running(pid: int) -> bool:
    try:
        return Path(f"/proc/{pid}/stat").read_text().rpartition(")")[2].split()[0] not in "ZX"
    except (FileNotFoundError, ProcessLookupError):
        return False


def test_up_list_exec_down() -> None:
    up = weft_json("lab", "up", "fast-ethernet-pair", "--scale", "0.1")
    assert (up["id"], up["state"], up["warnings"]) == ("fast-ethernet-pair", "up", [])
    (listed,) = here.weft_json("lab", "list")["labs"]
    addresses = {node["name"]: node["address"] for node in listed["nodes"]}
    assert addresses == {"n1": "10.0.0.1", "n2": "10.0.0.2"}
    assert listed["scale"] == 0.1 and listed["pid"] == up["pid"]
    shown = weft("lab", "exec", up["id"], "n2", "--", "cat", "/proc/net/fib_trie")
    assert "10.0.0.2" in shown.stdout
    assert here.weft("lab", "exec", up["id"], "n2", "--", "sh", "-c", "exit 7").returncode == 7
    assert here.weft("lab", "exec", up["id"], "n2", "--", "no-such-program").returncode == 127
    assert here.weft_json("lab", "down", up["id"])["removed"][0]["id"] == up["id"]
    assert here.weft_json("lab", "list")["labs"] == []
    assert not is_running(up["pid"])


def test_wrong_names_are_refused() -> None:
    weft("lab", "up", "pair")
    for wrong, said in [
        (("up", "pair"), "already up"),
        (("up", "piar"), "did you mean pair?"),
        (("down", "other"), "no lab other"),
        (("exec", "pair", "n3", "true"), "n1, n2"),
        (("up", "pair", "--name", "b", "--scale", "0"), "scale"),
    ]:
        assert said in here.refusal("lab", *wrong)


def test_an_open_lab_is_used_and_stays() -> None:
    weft("lab", "up", "fast-ethernet-pair", "--scale", "0.5")
    with open_lab("fast-ethernet-pair") as lab:
        described = lab.describe()
    assert described["scale"] == 0.5
    assert described["fabric"]["links"][0]["forward"]["rate_bits_per_s"] == 50_000_000
    assert state_of("fast-ethernet-pair") == "up"


@pytest.mark.parametrize("fabric", ["pair", "gigabit-pair"])
def test_messages_cross_and_a_private_lab_goes_with_its_user(fabric: str) -> None:
    with open_lab(fabric) as lab:
        assert (lab.kind, lab.name) == ("lab", fabric)
        (listed,) = here.weft_json("lab", "list")["labs"]
        assert listed["private"]
        times = traffic.half_round_trips_us(enter(lab, 0), enter(lab, 1), "10.0.0.2", 1)
    assert 0 < times[0] < 10_000
    assert here.weft_json("lab", "list")["labs"] == []


def best_rate_mbps(pair: traffic.Pair, megabytes: float) -> float:
    """Of three transfers: a machine that stands still for a moment slows one, and a rate that is too high stays."""
    ports = range(5020, 5023)
    return max(traffic.transfer_rates_mbps([pair], megabytes, port)[0] for port in ports)


def test_fast_ethernet_carries_its_rate_in_both_directions_at_once() -> None:
    with open_lab("fast-ethernet-pair") as lab:
        n1, n2 = enter(lab, 0), enter(lab, 1)
        times = traffic.half_round_trips_us(n1, n2, "10.0.0.2", 1400)
        rates = traffic.transfer_rates_mbps([(n1, n2, "10.0.0.2"), (n2, n1, "10.0.0.1")], 8)
        alone = best_rate_mbps((n1, n2, "10.0.0.2"), 8)
    # Each direction also carries the other's acknowledgements, of 84 bytes on the wire, up to one for each
    # full frame of 1538.
    shared_mbps = FAST_ETHERNET_MBPS * 1538 / (1538 + 84)
    assert alone == pytest.approx(FAST_ETHERNET_MBPS, rel=0.02)
    assert rates == pytest.approx([shared_mbps, shared_mbps], rel=0.05)
    # Frames that this machine kept back may come in the next window.
    assert max(*rates, alone) < FAST_ETHERNET_MBPS * 1.01
    # A message takes its time on the wire even after a pause.
    assert times[0] >= FULL_FRAME_US
    assert times[len(times) // 4] < 3 * FULL_FRAME_US


def cable(directory: Path, keys: str) -> str:
    """A fabric of two hosts, joined by a link with these keys."""
    fabric = directory / "cable.toml"
    ends = '[[hosts]]\nids = "a,b"\n[[links]]\nbetween = ["a", "b"]'
    fabric.write_text(f'name = "cable"\n{ends}\n{keys}\n')
    return str(fabric)


def test_directions_have_their_own_rates_and_the_delay_is_there(tmp_path: Path) -> None:
    with open_lab(cable(tmp_path, 'rate = "100 Mb/s"\nrate_back = "10 Mb/s"')) as lab:
        a, b = enter(lab, 0), enter(lab, 1)
        there = best_rate_mbps((a, b, "10.0.0.2"), 8)
        back = best_rate_mbps((b, a, "10.0.0.1"), 2)
    assert there == pytest.approx(FAST_ETHERNET_MBPS, rel=0.02)
    assert back == pytest.approx(9.41, rel=0.05)
    with open_lab(cable(tmp_path, 'delay = "2 ms"')) as lab:
        times = traffic.half_round_trips_us(enter(lab, 0), enter(lab, 1), "10.0.0.2", 1)
    assert 2000 <= times[0] < 2100


@pytest.mark.parametrize("shape", ["", 'rate = "1 Gb/s"\n'])
def test_the_mtu_is_what_the_link_says(tmp_path: Path, shape: str) -> None:
    largest = 9000 - 28
    with open_lab(cable(tmp_path, f"mtu_bytes = 9000\n{shape}")) as lab:
        a, b = enter(lab, 0), enter(lab, 1)
        with traffic.serving(b, "listen_udp", traffic.PORT) as server:
            for size_bytes in (largest + 1, largest):
                sent = traffic.on(a, "send_udp", "10.0.0.2", traffic.PORT, size_bytes)
                assert traffic.answer(sent) is (size_bytes == largest)
            assert traffic.answer(server) == largest


def test_hosts_around_a_switch_share_the_way_to_one_of_them(tmp_path: Path) -> None:
    fabric = tmp_path / "star.toml"
    fabric.write_text(star(8))
    with open_lab(str(fabric)) as lab:
        n1, n2, n8 = enter(lab, 0), enter(lab, 1), enter(lab, 7)
        times = traffic.half_round_trips_us(n1, n8, "10.0.0.8", 1400)
        pairs = [(n1, n8, "10.0.0.8"), (n2, n8, "10.0.0.8")]
        shares = traffic.rates_of_a_span_mbps(pairs)
    assert times[0] >= 2 * FULL_FRAME_US
    assert 0.8 * FAST_ETHERNET_MBPS < sum(shares) < 1.1 * FAST_ETHERNET_MBPS
    # First come, first served would let one of them have all for seconds in every fourth case.
    assert max(shares) < 0.95 * FAST_ETHERNET_MBPS


def test_two_labs_do_not_disturb_each_other() -> None:
    with open_lab("fast-ethernet-pair") as one, open_lab("fast-ethernet-pair") as other:
        with traffic.serving(enter(one, 1), "echo", traffic.PORT):
            stranger = traffic.on(enter(other, 0), "reach", "10.0.0.2", traffic.PORT)
            assert traffic.answer(stranger) is False
            friend = traffic.on(enter(one, 0), "reach", "10.0.0.2", traffic.PORT)
            assert traffic.answer(friend) is True
        pairs = [(enter(lab, 0), enter(lab, 1), "10.0.0.2") for lab in (one, other)]
        rates = traffic.transfer_rates_mbps(pairs, 16)
    # Labs that share a line would have half of it each; two on two busy cores may lose a tenth.
    assert rates == pytest.approx([FAST_ETHERNET_MBPS] * 2, rel=0.2)


def test_a_killed_keeper_leaves_nothing_but_a_stale_entry() -> None:
    up = weft_json("lab", "up", "fast-ethernet-pair")
    exec_n1 = [*WEFT, "lab", "exec", up["id"], "n1", "--"]
    command = "echo $$; while cat /proc/net/dev | grep -q eth0; do sleep 0.02; done; echo gone; "
    inhabitant = subprocess.Popen(
        [*exec_n1, "sh", "-c", command + "sleep 60"], stdout=subprocess.PIPE, text=True
    )
    assert inhabitant.stdout is not None
    shell = int(inhabitant.stdout.readline())
    os.kill(up["pid"], signal.SIGKILL)
    assert inhabitant.stdout.readline() == "gone\n"
    wait_for(lambda: state_of(up["id"]) == "stale", 5)
    assert "stale" in here.refusal("lab", "exec", up["id"], "n1", "true")
    (removed,) = here.weft_json("lab", "down", up["id"])["removed"]
    assert removed["killed"] >= 1 and not is_running(shell)
    inhabitant.communicate(timeout=5)
    assert here.weft_json("lab", "list")["labs"] == []


def test_a_stale_lab_makes_room_for_a_new_one() -> None:
    old = weft_json("lab", "up", "pair")
    os.kill(old["pid"], signal.SIGKILL)
    wait_for(lambda: state_of("pair") == "stale", 5)
    assert weft_json("lab", "up", "pair")["pid"] != old["pid"]


def test_a_private_lab_dies_with_its_killed_user() -> None:
    program = (
        "import time; from weft.measure.testbed.lab.testbed import open_lab; lab = open_lab('pair');"
        "print('open', flush=True); time.sleep(60)"
    )
    user = subprocess.Popen([sys.executable, "-c", program], stdout=subprocess.PIPE, text=True)
    assert user.stdout is not None and user.stdout.readline() == "open\n"
    (listed,) = here.weft_json("lab", "list")["labs"]
    user.kill()
    user.communicate()
    wait_for(lambda: not is_running(listed["pid"]), 5)
    assert state_of(listed["id"]) == "stale"
    here.weft("lab", "down", listed["id"])
    assert here.weft_json("lab", "list")["labs"] == []


def test_a_lab_that_was_not_yet_registered_goes_with_its_killed_starter(tmp_path: Path) -> None:
    program = (
        "import os; from weft.measure.testbed.lab import registry, testbed;"
        "registry.add = lambda entry: (print(entry.keeper.pid, flush=True), os.kill(os.getpid(), 9));"
        "testbed.bring_up('pair', 1.0, None)"
    )
    done = subprocess.run(
        [sys.executable, "-c", program], stdout=subprocess.PIPE, text=True, check=False
    )
    keeper = int(done.stdout)
    wait_for(lambda: not is_running(keeper), 5)
    assert weft("lab", "up", "pair").returncode == 0


def test_entering_takes_little_time_and_is_not_into_a_new_process_with_the_keepers_pid() -> None:
    with open_lab("pair") as lab:
        command = lab.node_command(lab.nodes[0], ["true"])
        assert min(_seconds(command) for _ in range(20)) < 0.01
        started = command.index("--started") + 1
        command[started] = str(int(command[started]) + 1)
        done = subprocess.run(command, capture_output=True, text=True, check=False)
    assert done.returncode == 1 and "the lab is gone" in done.stderr


def test_late_frames_are_told() -> None:
    before = Stats(30_000, [(100, 10), (50_000, 90)])
    after = Stats(30_000, [(100, 90), (50_000, 110)])
    (warning,) = late_warnings(before, after)
    assert warning.code == "lab-late" and "20.0 %" in warning.message
    assert late_warnings(after, Stats(30_000, [(100, 9_090), (50_000, 120)])) == []


def test_late_frames_are_counted() -> None:
    assert frames(Stats(30_000, [(100, 9_000), (30_000, 20), (50_000, 120)])) == (9140, 6_000_000)


def test_a_forwarder_without_time_to_spare_is_told() -> None:
    before = Stats(busy_seconds=[(10, 5), (99, 1)])
    calm = Stats(busy_seconds=[(10, 8), (30, 1), (99, 1)])
    assert busy_warnings(before, calm) == []
    assert headroom(before, calm) == {"mean": 0.85, "least": 0.7, "seconds": 4}
    assert headroom(calm, calm) is None
    (warning,) = busy_warnings(before, Stats(busy_seconds=[(10, 8), (97, 2), (99, 1)]))
    assert warning.code == "lab-busy"
    assert "in 2 of 5 s" in warning.message and "at worst 3 %" in warning.message


def _seconds(command: list[str]) -> float:
    start = time.perf_counter()
    subprocess.run(command, check=True)
    return time.perf_counter() - start


NOBODY = ["setpriv", "--reuid=65534", "--regid=65534", "--clear-groups"]


def as_nobody(*argv: str) -> list[str]:
    """The command as an unprivileged user runs it."""
    return [*NOBODY, *argv] if os.geteuid() == 0 else list(argv)


def reachable_python(enter: traffic.Enter) -> str:
    """A Python that an unprivileged user may run: this one's folder may be closed to others."""
    for candidate in (sys.executable, "/usr/bin/python3"):
        command = enter([candidate, "-c", ""])
        if subprocess.run(command, capture_output=True, check=False).returncode == 0:
            return candidate
    pytest.skip("no Python that an unprivileged user may run")


@pytest.fixture
def open_folder(tmp_path: Path) -> Path:
    """A folder which all users may read, with weft-lab and a fabric in it."""
    for folder in (tmp_path, *tmp_path.parents[:2]):
        folder.chmod(0o755)
    for source in (binaries.find("weft-lab"), Path(traffic.__file__)):
        (tmp_path / source.name).write_bytes(source.read_bytes())
        (tmp_path / source.name).chmod(0o755)
    fabric = CATALOG / "fabrics/fast-ethernet-pair.toml"
    (tmp_path / "fabric.toml").write_text(fabric.read_text())
    return tmp_path


@pytest.mark.alone
def test_without_root(open_folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(traffic, "__file__", str(open_folder / "traffic.py"))
    program = str(open_folder / "weft-lab")
    keep = as_nobody(program, "keep", "--fabric", str(open_folder / "fabric.toml"))
    with subprocess.Popen(keep, stdin=subprocess.PIPE, stdout=subprocess.PIPE, text=True) as keeper:
        assert keeper.stdout is not None
        line = keeper.stdout.readline()
        if not line:
            pytest.skip("this system gives unprivileged users no namespaces")
        ready = json.loads(line)
        assert ready["user_namespace"] is True

        def enter_unprivileged(index: int) -> traffic.Enter:
            fd = str(ready["nodes"][index]["fd"])
            of_lab = ["--pid", str(ready["pid"]), "--fd", fd, "--user", "--give-way"]
            prefix = as_nobody(program, "enter", *of_lab, "--")
            return lambda argv: [*prefix, *argv]

        n1, n2 = enter_unprivileged(0), enter_unprivileged(1)
        niceness = subprocess.run(n1(["nice"]), capture_output=True, text=True, check=True).stdout
        assert (ready["give_way"], int(niceness)) == (True, 19)
        monkeypatch.setenv("LAB_PYTHON", reachable_python(n1))
        assert traffic.half_round_trips_us(n1, n2, "10.0.0.2", 1400)[0] >= FULL_FRAME_US
        assert best_rate_mbps((n1, n2, "10.0.0.2"), 8) == pytest.approx(
            FAST_ETHERNET_MBPS, rel=0.08
        )
        keeper.communicate(timeout=5)
    assert keeper.returncode == 0


def test_without_root_and_without_user_namespaces_the_ways_out_are_told(open_folder: Path) -> None:
    keep = f"{open_folder}/weft-lab keep --fabric {open_folder}/fabric.toml"
    script = (
        "echo 0 > /proc/sys/user/max_user_namespaces && "
        f"exec setpriv --inh-caps=-all --bounding-set=-all {keep}"
    )
    command = ["unshare", "--user", "--map-root-user", "sh", "-c", script]
    done: subprocess.CompletedProcess[Any] = subprocess.run(
        command, stdin=subprocess.DEVNULL, capture_output=True, text=True, check=False
    )
    if "unshare" in done.stderr and "weft-lab" not in done.stderr:
        pytest.skip("this system gives no user namespace to try it in")
    assert done.returncode == 2
    assert "run as root" in done.stderr
    assert "sysctl -w user.max_user_namespaces" in done.stderr
