"""Files cast along chains on labs, as a user casts them: one and two networks, dead nodes, full disks, resumed."""

import json
import os
import random
import signal
from hashlib import sha256
from pathlib import Path

import pytest

from support.command import refusal, start, weft, weft_json
from support.waiting import agents, wait_for

pytestmark = [pytest.mark.timed, pytest.mark.usefixtures("own_registry")]

SIZE_BYTES = 3_000_001
"""Not a whole number of chunks."""
CHAIN = """name = "chain"
[[hosts]]
ids = "n[1-5]"
link = { rate = "20 Mb/s", delay = "20 us" }
attach = "one"
[[switches]]
ids = "one"
ports = 5
"""
SECOND = """[[attachments]]
hosts = "n[1-5]"
attach = "two"
link = { rate = "20 Mb/s", delay = "20 us" }
[[switches]]
ids = "two"
ports = 5
"""


@pytest.fixture
def image(tmp_path: Path) -> Path:
    """A file with a hole in its middle, which is not zero elsewhere."""
    path = tmp_path / "disk.img"
    noise = random.Random(1).randbytes(SIZE_BYTES)
    with path.open("wb") as file:
        file.write(noise[: 1 << 20])
        file.seek(2 << 20)
        file.write(noise[2 << 20 :])
    return path


def lab(tmp_path: Path, more: str = "") -> str:
    path = tmp_path / "chain.toml"
    path.write_text(CHAIN + more)
    return f"lab:{path}"


def digest(path: Path) -> str:
    return sha256(path.read_bytes()).hexdigest()


def received(run: Path) -> dict[str, Path]:
    """What the nodes have, by node."""
    return {path.name.partition(".")[0]: path for path in (run / "received").iterdir()}


def test_all_nodes_get_the_file_over_two_networks_and_it_is_not_sent_again(tmp_path, image):
    on = lab(tmp_path, SECOND)
    asked = ("run", "cast", "--on", on, "--file", image, "--to", tmp_path / "{node}.img")
    assert weft_json(*asked, "--out", tmp_path / "r")["status"] == "complete"
    copies = [tmp_path / f"n{node}.img" for node in range(2, 6)]
    assert {digest(copy) for copy in copies} == {digest(image)}
    assert all(copy.stat().st_blocks < SIZE_BYTES // 512 for copy in copies), "the hole is one"
    (cast,) = weft_json("show", tmp_path / "r")["file_casts"]
    assert cast["whole"] == ["n2", "n3", "n4", "n5"]
    for node in cast["nodes"][1:]:
        assert min(node["network_bytes"]) > 0.25 * sum(node["network_bytes"])
    # Nothing but hashes goes over the network where the file is there; one that differs gets what differs.
    weft_json(*asked, "--out", tmp_path / "again")
    (cast,) = weft_json("show", tmp_path / "again")["file_casts"]
    assert all(node["held_bytes"] == SIZE_BYTES for node in cast["nodes"][1:])
    with copies[1].open("r+b") as file:
        file.write(b"other")
    done = weft(*asked, "--out", tmp_path / "differs", "--json")
    assert done.returncode == 1
    (cast,) = weft_json("show", tmp_path / "differs")["file_casts"]
    (failed,) = cast["failed"]
    assert failed["node"] == "n3" and "--overwrite" in failed["reason"]
    assert cast["whole"] == ["n2", "n4", "n5"]
    weft_json(*asked, "--overwrite", "--out", tmp_path / "replaced")
    assert {digest(copy) for copy in copies} == {digest(image)}


def test_a_node_that_is_killed_is_bridged_and_the_others_get_the_file(tmp_path, image):
    out = tmp_path / "r"
    process = start("run", "cast", "--on", lab(tmp_path), "--file", image, "--out", out, "--json")
    wait_for(lambda: (out / "received").is_dir() and len(received(out)) == 4)
    os.kill(agents(process.pid)[2], signal.SIGKILL)
    said = json.loads(process.communicate(timeout=60)[0])
    assert (process.returncode, said["status"]) == (1, "partial")
    (cast,) = weft_json("show", out)["file_casts"]
    assert (cast["bridged"], cast["whole"]) == (["n3"], ["n2", "n4", "n5"])
    assert {node["node"]: node["src"] for node in cast["nodes"]}["n4"] == "n2"
    for node in cast["whole"]:
        assert digest(out / f"received/{node}.disk.img") == digest(image)


def test_an_interrupted_cast_goes_on_where_it_was(tmp_path, image):
    out = tmp_path / "r"
    process = start("run", "cast", "--on", lab(tmp_path), "--file", image, "--out", out, "--json")
    wait_for(lambda: (out / "received").is_dir() and len(received(out)) == 4)
    wait_for(lambda: received(out)["n5"].stat().st_blocks > 1000)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert all(path.name.endswith(".weft-part") for path in received(out).values())
    assert weft_json("run", "--resume", out)["status"] == "complete"
    assert {digest(path) for path in received(out).values()} == {digest(image)}
    (cast,) = weft_json("show", out)["file_casts"]
    assert all(node["held_bytes"] > 400_000 for node in cast["nodes"][1:])


def test_what_cannot_be_cast_is_said_before_anything_starts(tmp_path, image):
    on = lab(tmp_path)

    def refused(*more: str | Path) -> str:
        return refusal("run", "cast", "--on", on, "--out", tmp_path / "r", *more)

    to = ("--file", image, "--to")
    assert f"{tmp_path}/none: no such file" in refused("--file", tmp_path / "none")
    assert f"{tmp_path}: is a directory" in refused("--file", tmp_path)
    assert "would write the same file" in refused(*to, tmp_path / "copy")
    (tmp_path / "n2.dir").mkdir()
    taken = tmp_path / "taken-{node}"
    for node in range(2, 6):
        Path(str(taken).format(node=f"n{node}")).write_text("of mine")
    assert "n2: " in (said := refused(*to, taken)) and "--overwrite replaces it" in said
    assert "--to is of a cast of a file" in refused("--to", "/dev/null")
    assert not (tmp_path / "r").exists()
