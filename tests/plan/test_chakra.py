"""Traces of Chakra become programs, and what is wrong with them is said."""

from __future__ import annotations

from pathlib import Path

import pytest

import weft
from support.made.chakra import ALL_REDUCE, BARRIER, BROADCAST, COLL, COMP, RECV, SEND, node, write
from weft.base.errors import RequestError
from weft.runs.folder import RunFolder
from weft.understand.summary.summary import summarise

OFFICIAL = Path(__file__).parents[1] / "data" / "chakra"
ON = "sim:crossbar(hosts=4)"


def replayed(trace: Path, out: Path, **step: object) -> RunFolder:
    pattern = {"name": "trace", "pattern": "program", "trace": str(trace)}
    weft.run({"name": "trace", "steps": [pattern | step]}, ON, out=out)
    return RunFolder.open(out)


def messages(run: RunFolder) -> list[tuple[int, int, int]]:
    columns = run.samples.select(["src", "dst", "size_bytes"]).to_pydict()
    return sorted(zip(*columns.values(), strict=True))


def pair(micros: int = 50) -> list[list[bytes]]:
    """Rank 0 computes and sends, which rank 1 receives."""
    first = [
        node(0, COMP, micros=micros, is_cpu_op=False),
        node(1, SEND, [0], comm_dst=1, comm_size=10_000, comm_tag=3),
    ]
    return [first, [node(9, RECV, comm_src=0, comm_size=10_000, comm_tag=3)]]


def test_an_allreduce_of_astra_sim_goes_round_a_ring(tmp_path: Path) -> None:
    run = replayed(OFFICIAL, tmp_path / "run")
    ring = [(src, (src + 1) % 4, 262_144) for src in range(4) for _ in range(6)]
    assert messages(run) == ring


def test_its_algorithm_may_be_chosen_and_it_is_the_one_of_the_plan_collectives(
    tmp_path: Path,
) -> None:
    trace = replayed(
        OFFICIAL / "all_reduce.2.et", tmp_path / "run", algorithms={"allreduce": "rabenseifner"}
    )
    step = {"name": "a", "pattern": "collective", "operation": "allreduce", "sizes": ["1 MiB"]}
    plan = {"name": "a", "steps": [step | {"algorithms": ["rabenseifner"], "rendezvous": "1 GB"}]}
    weft.run(plan, ON, out=tmp_path / "whole")
    whole = RunFolder.open(tmp_path / "whole")
    assert messages(trace) == messages(whole)
    [one], [other] = (summarise(run).results["activities"] for run in (trace, whole))
    assert one.elapsed_ms == pytest.approx(other.elapsed_ms, rel=1e-5)


def test_computing_comes_before_what_needs_it(tmp_path: Path) -> None:
    ends = []
    for micros in (50, 1050):
        folder = tmp_path / str(micros)
        folder.mkdir()
        run = replayed(write(folder, pair(micros)), folder / "run")
        ends.append(run.samples["start_ns"].to_pylist())
    assert ends == [[50_000], [1_050_000]]


def test_groups_are_those_that_the_trace_lists_or_a_file_does(tmp_path: Path) -> None:
    listed = [{0: [0, 2], 1: [1, 3]}[rank % 2] for rank in range(4)]
    ranks = []
    for group in listed:
        said = f"""['[{{"pg_name": "7", "ranks": {group}}}]']"""
        start = node(0, 1, name="## process_group:init ##", inputs=said)
        there = node(1, COLL, [0], comm_type=BROADCAST, comm_size=800, pg_name="7", is_cpu_op=False)
        ranks.append([start, there, node(2, COLL, [1], comm_type=BARRIER)])
    run = replayed(write(tmp_path, ranks), tmp_path / "run")
    assert [one for one in messages(run) if one[2] == 800] == [(0, 2, 800), (1, 3, 800)]
    assert sum(size == 1 for _, _, size in messages(run)) == 8
    named = tmp_path / "named"
    named.mkdir()
    (named / "groups.json").write_text('{"7": [2, 0]}')
    part = [node(1, COLL, comm_type=BROADCAST, comm_size=800, pg_name="7")]
    write(named, [part, [], part])
    run = replayed(named, tmp_path / "again", groups=str(named / "groups.json"))
    assert messages(run) == [(2, 0, 800)]


def wrong(tmp_path: Path, ranks: list[list[bytes]]) -> str:
    write(tmp_path, ranks)
    with pytest.raises(RequestError) as refused:
        replayed(tmp_path, tmp_path / "run")
    assert not (tmp_path / "run").exists()
    return str(refused.value)


def reduced(**attributes: int | str) -> list[bytes]:
    return [node(4, COLL, **({"comm_type": ALL_REDUCE, "comm_size": 8} | attributes))]


@pytest.mark.parametrize(
    ("ranks", "expected"),
    [
        ([[node(1, 8)]], "app.0.et: node 1 ('node1'): its type is 8; known are 1 to 7"),
        ([[node(1, 0)]], "its type is 0"),
        ([[node(1, COMP, [5])]], "it needs node 5, which does not exist"),
        ([[node(1, COMP), node(1, COMP)]], "two nodes have the id 1"),
        ([[node(1, COMP, [2]), node(2, COMP, [1])]], "waits for"),
        ([[node(1, SEND, comm_size=8)]], "it has no attribute 'comm_dst'"),
        ([pair()[0], []], "that rank has no receive for it"),
        ([reduced(), reduced(comm_size=16)], "another operation or size than"),
        ([reduced(), []], "only 1 of the 2 ranks"),
        ([reduced(comm_type=3)], "its comm_type is 3; ALL_REDUCE,"),
        ([reduced(pg_name="5")], "nothing says which ranks the process group '5' has"),
        ([[node(1, COMP, num_ops=9)]], "it has num_ops and no duration"),
    ],
)
def test_a_wrong_trace_is_refused_with_the_node(
    tmp_path: Path, ranks: list[list[bytes]], expected: str
) -> None:
    assert expected in wrong(tmp_path, ranks).replace('"', "'")


def test_a_missing_rank_is_named_and_so_is_what_is_no_trace(tmp_path: Path) -> None:
    write(tmp_path, [*pair(), []])
    (tmp_path / "app.1.et").unlink()
    with pytest.raises(RequestError, match=r"app\.1\.et: no such file, and there is one of rank 2"):
        replayed(tmp_path / "app.0.et", tmp_path / "run")
    write(tmp_path, pair())
    (tmp_path / "app.1.et").write_bytes(b"num_ranks 2\n")
    with pytest.raises(
        RequestError, match=r"app\.1\.et: byte \d+: not an execution trace of Chakra"
    ):
        replayed(tmp_path, tmp_path / "run")
    write(tmp_path, pair(), name="other")
    with pytest.raises(RequestError, match="has the traces of several applications") as refused:
        replayed(tmp_path, tmp_path / "run")
    assert "app.0.et, other.0.et" in str(refused.value.hint)
