"""`weft serve` in a process of its own, asked over HTTP."""

import gc
import os
import shutil
import signal
import socket
import time
from collections.abc import Iterator
from pathlib import Path
from urllib.parse import quote

import pyarrow as pa
import pytest

from support.here import refusal, weft_json
from support.live.served import RunServer, serving
from support.live.slow_clients import is_closed, slow_ones
from support.live.waiting import wait_for
from support.made.synthetic_cluster import Cluster, Step, write_cluster_run
from support.runs import affine_us, begin_run, launches_of, step_rows, write_run

SIZES = [1, 1024, 65536]
HOSTILE = "<script>alert(1)<"


def rows(sizes: list[int] = SIZES, batches: int = 5) -> pa.RecordBatch:
    times_us = launches_of(affine_us(sizes, 28.0, 94.1), 5, batches, noise=0.01)
    return step_rows(sizes, times_us)


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A run of a pair, one below a folder, one of many nodes, a damaged one, and one with a hostile name."""
    folder = tmp_path_factory.mktemp("runs")
    for name in ("pair", "older/pair", HOSTILE):
        write_run(folder / name, [rows()])
    write_cluster_run(folder / "many", Cluster(8), [Step.matrix()])
    shutil.copytree(folder / "pair", folder / "damaged")
    (folder / "damaged" / "run.json").write_text("{")
    outside = tmp_path_factory.mktemp("outside")
    write_run(outside / "secret", [rows()])
    (folder / "leading-out").symlink_to(outside / "secret")
    shutil.copytree(folder / "pair", folder / "linked")
    (folder / "linked" / "run.json").unlink()
    (folder / "linked" / "run.json").symlink_to(outside / "secret" / "run.json")
    return folder


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[RunServer]:
    with serving(folder) as server:
        yield server


def test_runs_are_listed_with_what_is_wrong_with_them(served: RunServer) -> None:
    runs = {run["name"]: run for run in served.get("api/runs")["runs"]}
    assert set(runs) == {"pair", "older/pair", "many", "damaged", HOSTILE}
    assert "not JSON" in runs["damaged"]["error"]
    assert {"status": "complete", "nodes": 8, "live": False}.items() <= runs["many"].items()


def test_one_run_is_served_at_the_port_that_is_given(folder: Path) -> None:
    with socket.create_server(("127.0.0.1", 0)) as free:
        port = free.getsockname()[1]
    with serving(folder / "older" / "pair", "--port", str(port)) as server:
        assert server.port == port and f":{port}/" in server.address
        assert [run["name"] for run in server.get("api/runs")["runs"]] == ["pair"]
        assert server.get("api/runs/pair/points")["points"]


def test_documents_are_those_of_the_commands(served: RunServer, folder: Path) -> None:
    shown = weft_json("show", folder / "pair")
    assert served.get("api/runs/pair")["show"] == shown
    assert served.get("api/runs/older%2Fpair/points")["points"] == shown["points"]
    diagnosed = weft_json("diagnose", folder / "many")
    assert served.get("api/runs/many/diagnosis") == diagnosed
    assert "not JSON" in served.get("api/runs/damaged", 422)["error"]["message"]


def test_the_address_of_a_run_leads_to_its_page(served: RunServer) -> None:
    for name, up in (("pair", "../../"), ("older/pair", "../../../"), ("older%2Fpair", "../../")):
        response = served.ask(f"{served.root}run/{name}/")
        location = f"{up}?run={name.replace('%2F', '/')}"
        assert (response.status, response.getheader("location")) == (307, location)


def test_the_matrix_has_the_routes_of_show(served: RunServer, folder: Path) -> None:
    (matrix,) = served.get("api/runs/many/matrix")["matrices"]
    shown = {(one["src"], one["dst"]): one for one in weft_json("show", folder / "many")["routes"]}
    assert len(shown) == matrix["measured"] == matrix["asked"] == 56
    for (src, dst), route in shown.items():
        place = matrix["nodes"].index(src), matrix["nodes"].index(dst)
        rate = matrix["rate_mbps"][place[0]][place[1]]
        assert rate == pytest.approx(route["rate_mbps"]["median"], rel=1e-5)
    assert served.get("api/runs/many/xray") is None


def test_samples_of_a_mark_are_thinned_with_their_extremes(tmp_path: Path) -> None:
    times_us = launches_of([30.0, 50.0], 1, 30_000, noise=0.01)
    times_us[1, 0, [12_345, 23_456]] = 5.0, 500.0
    write_run(tmp_path / "long", [step_rows([1, 1024], times_us)])
    with serving(tmp_path) as server:
        found = server.get("api/runs/long/samples?step=0&size=1024")
        assert found["of"] == 30_000 and 10_000 <= len(found["columns"]["time_us"]) <= 20_000
        assert (min(found["columns"]["time_us"]), max(found["columns"]["time_us"])) == (5.0, 500.0)
        assert set(found["columns"]["size_bytes"]) == {1024}
        server.get("api/runs/long/samples?step=one", 400)
        server.get("api/runs/long/samples?file=/etc/passwd", 400)


def test_changes_are_pushed_within_a_second_until_the_folder_is_gone(tmp_path: Path) -> None:
    writer = begin_run(tmp_path / "growing")
    writer.append(rows([1, 64]))
    with serving(tmp_path) as server:
        events = server.events("growing")
        first = {name: data for _, name, data in (next(events) for _ in range(4))}
        assert first["status"]["live"] and first["status"]["samples"] == 50
        assert [point["size_bytes"] for point in first["points"]["points"]] == [1, 64]
        began_s = time.monotonic()
        writer.append(rows([1024]))
        number, added = next((at, data) for at, name, data in events if name == "points")
        assert time.monotonic() - began_s < 3
        # 64 is no longer the largest: whether it is a dip is known only now, and it is none.
        assert [point["size_bytes"] for point in added["points"]] == [1024]
        shown = weft_json("show", tmp_path / "growing")["points"]
        assert server.get("api/runs/growing/points")["points"] == shown
        again = server.events("growing", last=number)
        writer.finish("complete")
        status = next(data for _, name, data in again if name == "status" and not data["live"])
        assert status["status"] == "complete"
        assert server.get("api/runs/growing/points")["points"] == shown
        shutil.rmtree(tmp_path / "growing")
        assert [name for _, name, _ in events][-1] == "gone"
        server.get("api/runs/growing/points", 404)


def test_it_gives_way_and_forgets_browsers_that_went_away(served: RunServer, folder: Path) -> None:
    def sockets() -> int:
        links = Path(f"/proc/{served.process.pid}/fd").iterdir()
        return sum(str(link.readlink()).startswith("socket:") for link in links)

    assert os.sched_getscheduler(served.process.pid) == os.SCHED_IDLE
    before = wait_for(sockets)
    streams = [served.events("pair") for _ in range(5)]
    assert all(next(stream) for stream in streams) and sockets() == before + 5
    for stream in streams:
        stream.close()
    del streams, stream
    gc.collect()
    wait_for(lambda: sockets() == before)
    assert next(served.events("pair"))


def test_requests_without_the_token_or_for_other_hosts_learn_nothing(served: RunServer) -> None:
    runs = served.root + "api/runs"
    token = served.root.strip("/")
    wrong = [runs.replace(token, one) for one in ("", token[:-1], token + "x", token.swapcase())]
    here = f"127.0.0.1:{served.port}"
    cases = [(path, "GET", {}, 404) for path in [*wrong, "/", "//", "/static/index.html", "*"]]
    cases += [(runs, "GET", {"Host": host}, 403) for host in ("evil.example", "127.0.0.1", "")]
    cases += [(runs, method, {}, 405) for method in ("POST", "PUT", "OPTIONS", "TRACE")]
    cases += [(runs, "GET", {"Content-Length": "9999999999"}, 413)]
    cases += [(runs, "GET", {"X-Long": "x" * 100_000}, 431)]
    for path, method, headers, status in cases:
        response = served.ask(path, method, headers)
        assert (response.status, response.read().strip()) in [
            (status, b""),
            (400, b"Invalid HTTP request received."),
        ], (path, method, headers)
        assert response.getheader("access-control-allow-origin") is None
    assert served.ask(runs, headers={"Host": f"localhost:{served.port}"}).status == 200
    answered = dict(served.ask(runs, headers={"Origin": "http://evil.example"}).getheaders())
    assert "default-src 'self'" in answered["content-security-policy"]
    assert (answered["cache-control"], answered["x-content-type-options"]) == (
        "no-store",
        "nosniff",
    )
    assert here not in str(answered) and "server" not in answered


def test_nothing_outside_of_the_folder_is_read(served: RunServer, folder: Path) -> None:
    up = ("..", "%2e%2e", "..%2f..", "%2e%2e%2f%2e%2e", "%252e%252e", "..%5c", "pair%00", "%2f")
    names = [*up, *(f"{one}/secret" for one in up), "leading-out", "linked", "x" * 5000]
    names += [quote(str(folder / "pair"), safe=""), "pair/run.json", "pair/../pair", HOSTILE[:9]]
    for name in names:
        for address in (f"api/runs/{name}/points", f"api/runs/{name}"):
            response = served.ask(served.root + address)
            assert (response.status, b"secret" in response.read()) == (404, False), address
    for address in (
        "static/../app.py",
        "static/%2e%2e/app.py",
        "static/..%2fapp.py",
        "static//etc/passwd",
    ):
        assert served.ask(served.root + address).status == 404
    assert served.get(f"api/runs/{quote(HOSTILE)}/points")["points"]


def test_a_taken_port_and_a_folder_that_is_none_are_refused(
    served: RunServer, folder: Path
) -> None:
    assert "another program has this port" in refusal("serve", folder, "--port", str(served.port))
    assert "cannot be listed" in refusal("serve", folder / "pair" / "run.json")


def test_slow_connections_do_not_keep_out_what_has_the_token(folder: Path) -> None:
    with serving(folder) as server:
        slow = slow_ones(server.port, 200)
        for _ in range(3):
            assert server.get("api/runs")["runs"]
        assert all(map(is_closed, slow))


def test_streams_go_on_while_slow_connections_come(folder: Path) -> None:
    with serving(folder) as server:
        events = server.events("pair")
        number, _, _ = next(events)
        slow = slow_ones(server.port, 200)
        time.sleep(6)
        assert all(map(is_closed, slow))
        (folder / "pair" / "run.json").touch()
        assert next(events)[0] >= number


@pytest.mark.parametrize("number", [signal.SIGTERM, signal.SIGHUP])
def test_the_end_leaves_no_folder(
    folder: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch, number: signal.Signals
) -> None:
    monkeypatch.setenv("TMPDIR", str(tmp_path))
    with serving(folder) as server:
        assert server.get("api/runs/pair/points")["points"]
        assert [one.name.startswith("weft-serve-") for one in tmp_path.iterdir()] == [True]
        server.process.send_signal(number)
        server.process.wait(10)
    assert list(tmp_path.iterdir()) == []
