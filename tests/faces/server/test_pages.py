"""The pages of `weft serve` in Chromium, which may reach the server and nothing else."""

import re
import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pyarrow as pa
import pytest
from playwright.sync_api import Browser, Page, Route, expect

from support.live.browser import chromium, needs_chromium
from support.live.served import RunServer, serving
from support.made.searched import TWO_NETWORKS, copy_of_search
from support.made.synthetic import write_run as write_rough
from support.made.synthetic_cluster import Cluster, Step, cards, write_cluster_run
from support.runs import affine_us, begin_run, launches_of, step_rows, write_run
from understand.report.test_report import ROUGH_TEXT, roughen
from weft.runs.meta import RunMeta

pytestmark = needs_chromium
HOSTILE = "<img src=x onerror=alert(1)>&'\""
SLOW_MS = 30_000
"""The server runs when nothing else does."""


def rows(sizes: list[int]) -> pa.RecordBatch:
    """25 batches of each size."""
    return step_rows(sizes, launches_of(affine_us(sizes, 28.0, 94.1), noise=0.01))


def roughen_without_source(meta: RunMeta) -> None:
    roughen(meta)
    meta.source = None  # a file of no known format makes the run a damaged one


@pytest.fixture(scope="module")
def folder(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("runs")
    write_run(folder / "pair", [rows([1, 1024, 65536])], started="2026-01-01T00:00:00+00:00")
    cluster = Cluster(8, shared=cards(8, 4, 94.1))
    write_cluster_run(folder / "many", cluster, [Step.matrix(), Step.alltoall()])
    write_rough(folder / HOSTILE, change=roughen_without_source)
    shutil.copytree(folder / "pair", folder / "damaged")
    (folder / "damaged" / "run.json").write_text("{")
    return folder


@pytest.fixture(scope="module")
def served(folder: Path) -> Iterator[RunServer]:
    with serving(folder) as server:
        yield server


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as launched:
        yield launched


@dataclass
class Opened:
    """A page; what it asked of others than the server, and its complaints."""

    page: Page
    address: str
    elsewhere: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)

    def go(self, query: str) -> Page:
        self.page.goto(self.address + query)
        return self.page


@pytest.fixture
def opened(browser: Browser, served: RunServer) -> Iterator[Opened]:
    context = browser.new_context(viewport={"width": 1200, "height": 900})
    context.set_default_timeout(SLOW_MS)
    expect.set_options(timeout=SLOW_MS)
    opened = Opened(context.new_page(), served.address)

    def check(route: Route) -> None:
        if route.request.url.startswith((served.address, "data:")):
            route.continue_()
        else:
            opened.elsewhere.append(route.request.url)
            route.abort()

    context.route("**/*", check)
    opened.page.on("pageerror", lambda error: opened.complaints.append(str(error)))
    opened.page.on(
        "console",
        lambda said: opened.complaints.append(said.text) if said.type == "error" else None,
    )
    yield opened
    assert opened.elsewhere == opened.complaints == []
    context.close()


def asked(page: Page) -> str:
    """The query of the page's address."""
    return page.url.partition("?")[2]


def test_the_list_leads_to_a_run_and_back_with_its_filter(opened: Opened) -> None:
    page = opened.go("")
    expect(page.locator("tbody tr")).to_have_count(4)
    expect(page.locator("tbody tr", has_text="damaged")).to_contain_text("not JSON")
    page.get_by_label("Filter").fill("pair complete")
    expect(page.locator("tbody a")).to_have_text(["pair"])
    assert asked(page) == "q=pair+complete"
    page.locator("tbody a").click()
    expect(page.locator(".state")).to_contain_text("75 samples")
    expect(page.locator("#curves canvas")).to_have_count(2)
    expect(page.locator("#signature")).to_contain_text("28")
    page.go_back()
    expect(page.locator("tbody a")).to_have_text(["pair"])
    expect(page.get_by_label("Filter")).to_have_value("pair complete")


def test_a_mark_opens_its_samples_by_keyboard_and_stays_in_the_address(opened: Opened) -> None:
    page = opened.go("?run=pair")
    plot = page.get_by_label("Throughput. Arrow keys").locator("xpath=self::*")
    expect(plot.locator("canvas")).to_have_count(1)
    plot.focus()
    for key in ("ArrowRight", "ArrowRight", "Enter"):
        page.keyboard.press(key)
    detail = page.get_by_label("Samples of a mark")
    expect(detail).to_contain_text("1 KiB")
    expect(detail).to_contain_text("All 25 batches are drawn. 5 launches.")
    expect(detail.locator("canvas")).to_have_count(2)
    expect(detail.locator("tbody tr").first).to_contain_text("n1")
    expect(detail.locator("tbody tr")).to_have_count(10)
    assert asked(page) == "run=pair&mark=s0.1024"
    page.reload()
    expect(detail).to_contain_text("All 25 batches")
    page.go_back()
    expect(detail).to_be_hidden()


def test_filters_are_in_the_address(opened: Opened) -> None:
    page = opened.go("?run=pair")
    page.get_by_label("Bytes from").fill("1000")
    page.locator("summary", has_text="All points (2)").click()
    cells = page.locator("#curves tbody .link")
    expect(cells).to_have_text(["1 KiB", "64 KiB"])
    assert asked(page) == "run=pair&from=1000"
    cells.first.click()
    expect(page.get_by_label("Samples of a mark")).to_contain_text("1 KiB")
    page.get_by_role("button", name="Linear").click()
    expect(page.get_by_role("button", name="Logarithmic")).to_be_visible()
    assert "rates=linear" in asked(page)


def test_a_cell_of_the_matrix_opens_its_samples(opened: Opened) -> None:
    page = opened.go("?run=many&nodes=n[1-3]&matrix=0")
    expect(page.locator("#matrix")).to_contain_text("Shown are 3 of 8 nodes")
    page.locator("#matrix canvas").focus()
    for key in ("ArrowDown", "ArrowDown", "Enter"):
        page.keyboard.press(key)
    expect(page.get_by_label("Samples of a mark")).to_contain_text(re.compile("n[23] to n[12]"))
    assert "mark=r0." in asked(page)
    expect(page.locator("#phases canvas")).to_have_count(1)


def test_hostile_names_are_text(opened: Opened) -> None:
    page = opened.go("")
    page.locator("tbody a", has_text=HOSTILE).click()
    expect(page.locator("h1")).to_have_text(HOSTILE)
    expect(page.locator("#warnings code", has_text=ROUGH_TEXT)).to_have_count(1)
    page.locator("details summary", has_text="Plan").click()
    assert page.locator("img, b b, script:not([src])").count() == 0


def test_a_run_grows_on_the_page_until_its_folder_is_gone(
    browser: Browser, opened: Opened, folder: Path
) -> None:
    writer = begin_run(folder / "growing")
    writer.append(rows([1, 64]))
    page = opened.go("?run=growing&mark=s0.64")
    expect(page.locator(".state")).to_contain_text(re.compile("measuring.* 50 samples"))
    expect(page.get_by_label("Samples of a mark")).to_contain_text("All 25 batches")
    writer.append(rows([1024]))
    expect(page.locator("summary", has_text="All points (3)")).to_be_visible()
    writer.append(rows([64]))
    expect(page.get_by_label("Samples of a mark")).to_contain_text("All 50 batches")
    writer.finish("complete")
    expect(page.locator(".state")).to_contain_text("complete")
    shutil.rmtree(folder / "growing")
    expect(page.get_by_role("status").first).to_contain_text("deleted or moved")
    expect(page.locator("summary", has_text="All points (3)")).to_be_visible()
    # What was being read meanwhile is not there any more.
    opened.complaints = [one for one in opened.complaints if "Failed to load resource" not in one]


def test_each_network_has_its_heading(browser: Browser, tmp_path: Path) -> None:
    copy_of_search(TWO_NETWORKS, tmp_path / "rails")
    page = browser.new_page()
    page.set_default_timeout(SLOW_MS)
    with serving(tmp_path) as server:
        page.goto(f"{server.address}?run=rails")
        for part in ("#study", "#diagnosis"):
            expect(page.locator(f"{part} h3")).to_have_text(["Network 1", "Network 2"])
            expect(page.locator(part).get_by_text("Limits that nodes share")).to_have_count(2)
        expect(page.locator("#study p", has_text="The search has ended")).to_have_count(2)
    page.close()


def test_a_server_that_ends_leaves_what_is_shown(browser: Browser, folder: Path) -> None:
    page = browser.new_page()
    page.set_default_timeout(SLOW_MS)
    with serving(folder) as server:
        page.goto(f"{server.address}run/pair/")
        expect(page.locator("#curves canvas")).to_have_count(2)
        assert page.url == f"{server.address}?run=pair"
        expect(page.locator("#signature")).to_be_visible()
    expect(page.locator(".notice")).to_contain_text("does not answer")
    expect(page.locator("#curves canvas")).to_have_count(2)
    page.close()
