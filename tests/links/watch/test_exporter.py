"""A watch as metrics: what Prometheus' own parsers read, what the dashboard asks for, and who gets an answer."""

import contextlib
import json
import re
import shutil
import socket
import subprocess
import time
import urllib.error
import urllib.parse
import urllib.request
from collections.abc import Iterator
from pathlib import Path

import msgspec
import pytest
from prometheus_client.openmetrics.parser import text_string_to_metric_families as parse_open
from prometheus_client.parser import text_string_to_metric_families as parse_plain

from support.command import start
from support.here import refusal
from support.live.slow_clients import is_closed, slow_ones
from support.live.waiting import wait_for
from support.paths import CHECKOUT
from weft.links.watch.alerts.event import LinkEvent, LinkName
from weft.links.watch.alerts.ledger import AlertLedger, save_ledger
from weft.links.watch.alerts.now import LinkNumbers, ProbeCount, Quantiles, write_now
from weft.links.watch.exporter.metrics import families
from weft.links.watch.exporter.text import OPEN_METRICS, PLAIN, Family, text_of
from weft.links.watch.state import STATE_NAME, SiteState, State
from weft.links.watch.store.store import Site, SiteLink, WatchRecord, Writer
from weft.measure.testbed.agent.reply import WatchStatus

SITES = ("east", "west", "north", "south", "hub")
LINKS = [(src, dst) for src in SITES for dst in SITES if src != dst]


def numbers(src: str, dst: str) -> LinkNumbers:
    is_measured = src != "south"
    sorts = [(kind, size) for kind in ("icmp", "tcp-echo", "udp-echo") for size in (60, 20_000)]
    return LinkNumbers(
        link=LinkName(src=src, dst=dst),
        is_up=dst != "west" if is_measured else None,
        newest_s=time.time(),
        alpha_s=6.5e-4 if is_measured else None,
        beta_s=8e-7 if is_measured else None,
        loss=0.01 if is_measured else None,
        available=0.999,
        round_trips=[
            Quantiles(kind=kind, size_bytes=size, rtt_s=[1e-3, 2e-3, 3e-3, 9e-3], last_s=None)
            for kind, size in sorts
        ],
        counts=[ProbeCount(kind=kind, size_bytes=size, sent=1000, lost=7) for kind, size in sorts],
    )


@pytest.fixture
def folder(tmp_path: Path) -> Iterator[Path]:
    """A watch of twenty links that is collected."""
    folder = tmp_path / "watch"
    record = WatchRecord(
        sites=[Site(name=name, on="local:") for name in SITES],
        links=[SiteLink(src=src, dst=dst) for src, dst in LINKS],
        active=list(range(len(LINKS))),
    )
    writer = Writer.create(folder, record)
    status = WatchStatus(
        pid=1,
        version="",
        serial=1,
        site="",
        started_s=0.0,
        written_s=0.0,
        port=1,
        refused=0,
        spool_bytes=4711,
        is_disk_full=False,
        links=[],
    )
    state = State(sites={name: SiteState(heard_s=time.time(), status=status) for name in SITES})
    (folder / STATE_NAME).write_bytes(msgspec.json.encode(state))
    write_now(folder, [numbers(src, dst) for src, dst in LINKS])
    quoted = LinkEvent(id="x", kind="outages", what='a "new"\nclass \\', begin_s=1.0, is_told=True)
    save_ledger(folder, AlertLedger(open=[quoted]))
    yield folder
    writer.close()


@pytest.mark.parametrize(("format", "parse"), [(OPEN_METRICS, parse_open), (PLAIN, parse_plain)])
def test_the_clients_own_parsers_read_it(folder: Path, format: str, parse) -> None:
    found = {one.name: one for one in parse(text_of(families(folder), format))}
    value = {
        (sample.name, *sample.labels.values()): sample.value
        for one in found.values()
        for sample in one.samples
    }
    assert value["weft_collector_up",] == 1
    assert value["weft_link_up", "east", "west", ""] == 0
    assert ("weft_link_up", "south", "east", "") not in value
    assert value["weft_link_measured", "south", "east", ""] == 0
    assert value["weft_link_rtt_seconds", "east", "hub", "", "icmp", "60", "0.99"] == 9e-3
    assert value["weft_link_probes_lost_total", "east", "hub", "", "icmp", "60"] == 7
    assert value["weft_site_kept_bytes", "east"] == 4711
    assert value["weft_events_open", "outages", 'a "new"\nclass \\'] == 1
    assert value["weft_events_open", "outages", "path"] == 0


def test_numbers_that_are_old_are_left_out(folder: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    later_s = time.time() + 100
    monkeypatch.setattr(time, "time", lambda: later_s)
    names = {one.name for one in families(folder) if one.samples}
    assert "weft_link_up" not in names and "weft_link_rtt_seconds" not in names
    assert {"weft_link_probes_sent", "weft_site_heard_age_seconds"} <= names


@pytest.mark.timed
def test_a_scrape_of_twenty_links_is_cheap(folder: Path) -> None:
    took_s = []
    for _ in range(5):
        begin_s = time.process_time()
        text_of(families(folder))
        took_s.append(time.process_time() - begin_s)
    assert min(took_s) < 0.1


def names(found: list[Family]) -> set[str]:
    return {one.name + ("_total" if one.kind == "counter" else "") for one in found}


def test_the_dashboard_asks_for_all_that_is_exported_and_for_nothing_else(folder: Path) -> None:
    dashboard = json.loads((CHECKOUT / "docs" / "watch-grafana.json").read_text())
    asked = [target["expr"] for panel in dashboard["panels"] for target in panel["targets"]]
    asked += [one["definition"] for one in dashboard["templating"]["list"] if "definition" in one]
    assert set(re.findall(r"weft_\w+", " ".join(asked))) == names(families(folder))
    labels = {key for one in families(folder) for sample, _ in one.samples for key in sample}
    legends = [
        target["legendFormat"] for panel in dashboard["panels"] for target in panel["targets"]
    ]
    assert set(re.findall(r"{{(\w+)}}", " ".join(legends))) <= labels
    variables = {one["name"] for one in dashboard["templating"]["list"]}
    assert set(re.findall(r"\$\{?(\w+)", json.dumps(dashboard).replace("$__all", ""))) <= variables
    ids = [panel["id"] for panel in dashboard["panels"]]
    assert len(ids) == len(set(ids))
    cells = [
        (x, y)
        for at in (panel["gridPos"] for panel in dashboard["panels"])
        for x in range(at["x"], at["x"] + at["w"])
        for y in range(at["y"], at["y"] + at["h"])
    ]
    assert len(cells) == len(set(cells)) and max(x for x, _ in cells) < 24


@pytest.fixture
def address(folder: Path) -> Iterator[str]:
    with start("watch", "serve", folder, "--prometheus", ":0") as process:
        assert process.stdout
        try:
            yield process.stdout.readline().strip()
        finally:
            process.terminate()


def test_slow_connections_do_not_keep_scrapes_out(address: str) -> None:
    """Nor do those that were answered once."""
    port = urllib.parse.urlsplit(address).port
    assert port
    slow = slow_ones(port, 100)
    answered = socket.create_connection(("127.0.0.1", port))
    answered.sendall(f"GET /metrics HTTP/1.1\r\nHost: 127.0.0.1:{port}\r\n\r\n".encode())
    assert answered.recv(15) == b"HTTP/1.1 200 OK"
    answered.sendall(b"GET /metrics HTTP/1.1\r\n")
    with urllib.request.urlopen(address, timeout=10) as response:
        assert response.status == 200
    assert all(map(is_closed, slow))
    answered.settimeout(10)
    with contextlib.suppress(ConnectionResetError):
        while answered.recv(65536):
            pass


def test_only_scrapes_of_this_machine_are_answered(address: str, folder: Path) -> None:
    def status(path: str = "/metrics", host: str = "", method: str = "GET") -> int:
        headers = {"Host": host} if host else {}
        url = address.replace("/metrics", path)
        request = urllib.request.Request(url, headers=headers, method=method)
        try:
            return urllib.request.urlopen(request, timeout=20).status
        except urllib.error.HTTPError as error:
            return error.code

    assert address.startswith("http://127.0.0.1:")
    assert (status(), status(method="HEAD"), status(method="POST")) == (200, 200, 405)
    assert (status("/run.json"), status(host="evil.example")) == (404, 403)
    port = address.rpartition(":")[2].partition("/")[0]
    assert "another program" in refusal("watch", "serve", folder, "--prometheus", f":{port}")
    assert "no address and port" in refusal("watch", "serve", folder, "--prometheus", "9777")
    assert "not a watch" in refusal("watch", "serve", folder.parent, "--prometheus", ":0")


@pytest.mark.smoke("promtool")
@pytest.mark.skipif(not shutil.which("promtool"), reason="promtool (prometheus) is not installed")
def test_promtool_has_nothing_to_say(folder: Path) -> None:
    text = text_of(families(folder), PLAIN)
    said = subprocess.run(
        ["promtool", "check", "metrics"], input=text, text=True, capture_output=True
    )
    assert (said.returncode, said.stdout + said.stderr) == (0, "")


@pytest.mark.timed
@pytest.mark.smoke("prometheus")
@pytest.mark.skipif(not shutil.which("prometheus"), reason="prometheus is not installed")
def test_prometheus_scrapes_it(address: str, tmp_path: Path) -> None:
    target = address.removeprefix("http://").removesuffix("/metrics")
    job = {"job_name": "weft", "static_configs": [{"targets": [target]}]}
    config = {"global": {"scrape_interval": "1s"}, "scrape_configs": [job]}
    (tmp_path / "prometheus.yml").write_text(json.dumps(config))
    with socket.create_server(("127.0.0.1", 0)) as free:
        own = f"127.0.0.1:{free.getsockname()[1]}"
    command = ["prometheus", f"--config.file={tmp_path}/prometheus.yml", "--log.level=error"]
    command += [f"--storage.tsdb.path={tmp_path}/tsdb", f"--web.listen-address={own}"]
    process = subprocess.Popen(command)
    try:

        def scraped() -> list[dict[str, object]]:
            query = 'count(weft_link_up{job="weft"})'
            url = f"http://{own}/api/v1/query?query={urllib.parse.quote(query)}"
            try:
                found = json.load(urllib.request.urlopen(url, timeout=5))
            except OSError:
                return []
            return list(found["data"]["result"])

        assert wait_for(scraped, 30)[0]["value"][1] == "16"
    finally:
        process.terminate()
        process.wait()
