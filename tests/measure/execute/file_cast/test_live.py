"""Files cast along chains on labs, as a user casts them: one and two networks, dead nodes, full disks, resumed."""

import json
import os
import random
import signal
from filecmp import cmp
from pathlib import Path

import pytest

import weft
from support.command import start
from support.here import refusal, weft_json
from support.live.waiting import agents, wait_for
from weft.runs.folder import RunFolder
from weft.understand.kinds.casts.cast import FileCastResult, file_casts
from weft.understand.report.page import Report

pytestmark = [pytest.mark.timed, pytest.mark.usefixtures("own_registry")]

SIZE_BYTES = 2_500_001
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


def the_cast(run: Path) -> FileCastResult:
    (found,) = file_casts(RunFolder.open(run))
    return found


def received(run: Path) -> dict[str, Path]:
    """What the nodes have, by node."""
    return {path.name.partition(".")[0]: path for path in (run / "received").iterdir()}


def test_all_nodes_get_the_file_over_two_networks_and_it_is_not_sent_again(
    tmp_path: Path, image: Path
) -> None:
    copies = [tmp_path / f"n{node}.img" for node in range(2, 6)]
    on = lab(tmp_path, SECOND)

    def cast(name: str, overwrite: bool = False) -> FileCastResult:
        to = tmp_path / "{node}.img"
        weft.run("cast", on, file=image, to=to, overwrite=overwrite, out=tmp_path / name)
        return the_cast(tmp_path / name)

    first = cast("first")
    assert all(cmp(copy, image, shallow=False) for copy in copies)
    assert all(copy.stat().st_blocks < SIZE_BYTES // 512 for copy in copies), "the hole is one"
    assert first.record["whole"] == ["n2", "n3", "n4", "n5"]
    for node in first.nodes[1:]:
        assert min(node.network_bytes) > 0.25 * sum(node.network_bytes)
    (figure,) = [
        one
        for one in Report([RunFolder.open(tmp_path / "first")]).figures
        if "file-cast" in one.name
    ]
    assert len(figure.tables[figure.name]) == 2 * len(copies)
    # One that differs is not replaced unasked, and sends on what comes. The others are checked, not sent anything.
    with copies[1].open("r+b") as file:
        file.write(b"other")
    differs = cast("differs")
    (failed,) = differs.record["failed"]
    assert failed["node"] == "n3" and "--overwrite" in failed["reason"]
    assert differs.record["whole"] == ["n2", "n4", "n5"]
    assert {node.held_bytes for node in differs.nodes if node.node in ("n2", "n5")} == {SIZE_BYTES}
    replaced = cast("replaced", overwrite=True)
    assert all(cmp(copy, image, shallow=False) for copy in copies)
    assert {node.held_bytes for node in replaced.nodes[1:]} == {SIZE_BYTES, SIZE_BYTES - (64 << 10)}


def test_a_node_that_is_killed_is_bridged_and_the_others_get_the_file(
    tmp_path: Path, image: Path
) -> None:
    out = tmp_path / "r"
    process = start("run", "cast", "--on", lab(tmp_path), "--file", image, "--out", out, "--json")
    wait_for(lambda: len(received(out)) == 4)
    os.kill(agents(process.pid)[2], signal.SIGKILL)
    said = json.loads(process.communicate(timeout=60)[0])
    assert (process.returncode, said["status"]) == (1, "partial")
    cast = the_cast(out)
    assert (cast.record["bridged"], cast.record["whole"]) == (["n3"], ["n2", "n4", "n5"])
    assert {node.node: node.src for node in cast.nodes}["n4"] == "n2"
    for node in cast.record["whole"]:
        assert cmp(out / f"received/{node}.disk.img", image, shallow=False)


def test_an_interrupted_cast_goes_on_where_it_was(tmp_path: Path, image: Path) -> None:
    out = tmp_path / "r"
    process = start("run", "cast", "--on", lab(tmp_path), "--file", image, "--out", out, "--json")
    wait_for(lambda: len(received(out)) == 4)
    wait_for(lambda: received(out)["n5"].stat().st_blocks > 1000)
    process.send_signal(signal.SIGINT)
    process.communicate(timeout=60)
    assert all(path.name.endswith(".weft-part") for path in received(out).values())
    assert weft_json("run", "--resume", out, "--yes")["status"] == "complete"
    assert all(cmp(path, image, shallow=False) for path in received(out).values())
    assert all(node.held_bytes > 400_000 for node in the_cast(out).nodes[1:])


def test_what_cannot_be_cast_is_said_before_anything_starts(tmp_path: Path, image: Path) -> None:
    def refused(on: str = "local:", **given: object) -> str:
        with pytest.raises(weft.RequestError) as caught:
            weft.run("cast", on, out=tmp_path / "r", **given)  # type: ignore[arg-type]
        return str(caught.value)

    assert "`to` is of a cast of a file" in refused(to="/dev/null")
    assert "would write the same file" in refused(lab(tmp_path), file=image, to=tmp_path / "copy")
    (tmp_path / "taken").write_text("of mine")
    said = refused(file=image, to=tmp_path / "taken")
    assert f"{tmp_path}/taken: is there" in said and "`overwrite` replaces it" in said
    said = refusal("run", "cast", "--on", "local:", "--file", tmp_path, "--out", tmp_path / "r")
    assert f"{tmp_path}: is a directory" in said
    assert not (tmp_path / "r").exists()
