"""What show and diagnose say of thresholds, and the names they have."""

from pathlib import Path

import numpy as np
import pytest

from support.here import weft, weft_json
from support.made.synthetic import netpipe_sizes
from support.runs import affine_us, launches_of, pingpong_run
from weft.runs.folder import RunFolder
from weft.runs.meta import RunMeta
from weft.runs.records.records import Effective
from weft.understand.curve.known_sizes import known_sizes, name_of
from weft.understand.curve.thresholds import MOST_LISTED, thresholds

SIZES = np.array(netpipe_sizes())


def made(path: Path, steps: dict[int, float], **settings: object) -> RunFolder:
    """A run whose time changes by a factor behind each of some sizes; settings are those that were in effect."""
    times_us = launches_of(affine_us(list(SIZES), 28.0, 9410.0), noise=0.005)
    for last, factor in steps.items():
        times_us[last < SIZES] *= factor
    effective: list[Effective] = [{"step": 0, "launch": 0, "node": "n1", "settings": settings}]
    return pingpong_run(path, list(SIZES), times_us, effective=effective)


def names(run: RunFolder) -> list[str | None]:
    return [one.name for one in thresholds(run)]


def test_show_and_diagnose_list_a_jump_as_a_sentence_and_in_json(tmp_path: Path) -> None:
    made(tmp_path / "run", {65536: 1.38}, btl_tcp_eager_limit=65592)
    for command in ("show", "diagnose"):
        text = weft(command, tmp_path / "run").stdout
        assert "thresholds of pingpong over tcp, to the next size measured" in text
        assert "between 65,536 B and 65,539 B: jump, +3" in text
        assert "eager to rendezvous, btl_tcp_eager_limit = 65,592 B" in text
        (one,) = weft_json(command, tmp_path / "run")["thresholds"]
        assert (one["kind"], one["step"], one["inside_bytes"]) == ("jump", 0, [])
        assert (one["last_before_bytes"], one["first_after_bytes"]) == (65536, 65539)
        assert one["height"]["low"] <= one["height"]["median"] <= one["height"]["high"]
        assert one["height"]["median"] == pytest.approx(0.38, abs=0.02)


def test_a_run_without_thresholds_says_nothing_of_them(tmp_path: Path) -> None:
    made(tmp_path / "run", {})
    assert "threshold" not in weft("show", tmp_path / "run").stdout
    assert weft_json("show", tmp_path / "run")["thresholds"] == []


def test_more_than_five_are_listed_by_height_and_the_others_counted(tmp_path: Path) -> None:
    factors = [1.2, 1.3, 1.4, 1.5, 1.6, 1.7, 1.8]
    lasts = [12, 48, 192, 1024, 6144, 49152, 393216]
    made(tmp_path / "run", dict(zip(lasts, factors, strict=True)))
    text = weft("diagnose", tmp_path / "run").stdout
    assert text.count(": jump") == MOST_LISTED
    assert "between 12 B" not in text and "between 192 B" in text
    assert "  and 2 more, of " in text
    assert len(weft_json("diagnose", tmp_path / "run")["thresholds"]) == len(factors)


def test_an_imported_curve_says_how_exact_its_sizes_are(tmp_path: Path) -> None:
    lines = [
        f"{size} {(20 + size / 1000) * (1.5 if size > 8192 else 1)}" for size in 2 ** np.arange(22)
    ]
    file = tmp_path / "osu.txt"
    file.write_text(
        "# OSU MPI Latency Test v7.4\n# Size          Latency (us)\n" + "\n".join(lines)
    )
    weft("import", "osu", file, "--out", tmp_path / "run")
    text = weft("show", tmp_path / "run").stdout
    assert "to the next size of this file" in text
    assert "between 8,192 B and 16,384 B: jump, +5" in text


@pytest.mark.parametrize(
    ("last", "settings", "name"),
    [
        (1536, {"mss_bytes": 1536}, "a TCP segment, 1,536 B"),
        (3072, {"mss_bytes": 1536}, "2 TCP segments, 3,072 B"),
        (131072, {"send_buffer_bytes": 131072}, "the send buffer, 131,072 B"),
        (131072, {"receive_buffer_bytes": 131072}, "the receive buffer, 131,072 B"),
        (
            8192,
            {"btl_vader_max_send_size": 8192},
            "a fragment of MPI, btl_vader_max_send_size = 8,192 B",
        ),
        (8189, {"UCX_RNDV_THRESH": 8192}, "eager to rendezvous, UCX_RNDV_THRESH = 8,192 B"),
        (8192, {"UCX_RNDV_THRESH": 8192}, None),
        (8192, {"btl_vader_eager_limit": 8192}, None),
        (8192, {"mss_bytes": 1448, "send_buffer_bytes": 8200}, None),
        (8192, {"send_buffer_bytes": 8192, "receive_buffer_bytes": 8193, "mss_bytes": 8192}, None),
    ],
)
def test_a_name_needs_a_size_that_agrees(
    tmp_path: Path, last: int, settings: dict[str, int], name: str | None
) -> None:
    assert names(made(tmp_path / "run", {last: 1.3}, **settings)) == [name]


def test_between_sizes_far_apart_only_a_protocol_has_a_name(tmp_path: Path) -> None:
    """There is no size between 3,075 and 4,093 B."""
    eager = made(tmp_path / "eager", {3075: 1.5}, btl_vader_eager_limit=4096, mss_bytes=3500)
    assert names(eager) == ["eager to rendezvous, btl_vader_eager_limit = 4,096 B"]
    assert names(made(tmp_path / "segment", {3075: 1.5}, mss_bytes=3500)) == [None]
    assert names(made(tmp_path / "faster", {3075: 0.6}, btl_vader_eager_limit=4096)) == [None]


def test_caches_and_pages_are_facts_of_a_node(tmp_path: Path) -> None:
    run = made(tmp_path / "run", {49152: 1.2})
    facts = {"architecture": "x86_64", "caches": [{"level": 1, "bytes": 49152}]}
    meta: RunMeta = run.meta
    meta.nodes[0]["facts"] = facts
    (found,) = thresholds(run)
    assert found.name == "the L1 cache, 49,152 B"
    assert name_of(found.found, known_sizes(meta, step=1)) == "the L1 cache, 49,152 B"
