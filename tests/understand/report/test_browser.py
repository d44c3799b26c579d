"""The report in a real Chromium, from disk, with the network cut off."""

from collections.abc import Callable, Iterator
from contextlib import contextmanager
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route

from support.live.browser import chromium, needs_chromium
from support.made.computed import compute
from support.made.synthetic import GIGABIT, write_run
from support.made.synthetic_cluster import Cluster, Step, cards, write_cluster_run
from understand.report.test_report import roughen
from weft.understand.report.page import write_report

pytestmark = needs_chromium

LIGHT, DARK = "rgb(246, 247, 249)", "rgb(18, 22, 27)"
MAX_BYTES = 5_000_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with chromium() as launched:
        yield launched


@pytest.fixture(scope="module")
def path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of two runs."""
    folder = tmp_path_factory.mktemp("report")
    runs = [write_run(folder / "fe"), write_run(folder / "ge", GIGABIT, name="gigabit-pair")]
    return write_report(runs, folder / "report.html")


@dataclass
class Opened:
    """A page, the requests it made beyond its own file, and its complaints."""

    page: Page
    requests: list[str] = field(default_factory=list)
    complaints: list[str] = field(default_factory=list)


def open_report(browser: Browser, path: Path, scheme: str = "light", width: int = 1100) -> Opened:
    context = browser.new_context(
        color_scheme=scheme,  # type: ignore[arg-type]
        viewport={"width": width, "height": 900},
        accept_downloads=True,
    )
    opened = Opened(context.new_page())

    def block(route: Route) -> None:
        if route.request.url == path.as_uri():
            route.continue_()
        else:
            opened.requests.append(route.request.url)
            route.abort()

    context.route(lambda url: not url.startswith(("data:", "blob:")), block)
    opened.page.on("console", lambda said: opened.complaints.append(f"{said.type}: {said.text}"))
    opened.page.on("pageerror", lambda error: opened.complaints.append(str(error)))
    opened.page.goto(path.as_uri())
    opened.page.wait_for_selector("html[data-drawn]", timeout=60_000)
    return opened


@contextmanager
def reading(browser: Browser, path: Path, scheme: str = "light", width: int = 1100):
    """A report, which loads nothing and complains of nothing while it is read."""
    report = open_report(browser, path, scheme, width)
    yield report
    assert report.requests == report.complaints == []
    report.page.context.close()


@pytest.fixture
def opened(browser: Browser, path: Path) -> Iterator[Opened]:
    with reading(browser, path) as report:
        yield report


LINES = ".plot svg .mark-line path[d]:not([d=''])"
"""The lines drawn in all figures."""


def wait_for_lines(page: Page, lines: str, count: int) -> None:
    script = "([lines, count]) => document.querySelectorAll(lines).length === count"
    page.wait_for_function(script, arg=[lines, count])


def point_at(page: Page, right: float, up: float) -> None:
    """Put the pointer into the first figure, at a share of its width and height."""
    plot = page.locator(".plot svg").first
    plot.scroll_into_view_if_needed()
    box = plot.bounding_box()
    assert box is not None
    page.mouse.move(box["x"] + box["width"] * right, box["y"] + box["height"] * (1 - up))


def labels(page: Page) -> list[str]:
    """The tick labels of the first figure that are to be seen."""
    texts = page.locator(".plot svg").first.locator(".role-axis-label text:not([opacity='0'])")
    return sorted(texts.all_text_contents())


def wait_for(page: Page, condition: Callable[[], bool]) -> None:
    """Until a page has drawn what it was told to."""
    for _ in range(100):
        if condition():
            return
        page.wait_for_timeout(20)
    raise AssertionError("it was not drawn in two seconds")


@pytest.mark.smoke("chromium")
def test_three_figures_are_drawn_without_network_or_complaint(opened: Opened, path: Path) -> None:
    assert path.stat().st_size <= MAX_BYTES
    assert opened.page.locator(".plot svg").count() == 4
    for box in (plot.bounding_box() for plot in opened.page.locator(".plot svg").all()):
        assert box is not None
        assert min(box["width"], box["height"]) > 300
    assert opened.page.locator(LINES).count() == 6
    assert opened.page.locator(".plot svg .mark-symbol path").count() > 3 * 2 * 600
    assert {"1 B", "1 KiB", "1 MiB", "1,000"} <= set(labels(opened.page))


def test_page_may_not_load_anything(opened: Opened) -> None:
    blocked = opened.page.evaluate(
        """() => fetch("https://example.org/").then(() => "loaded", () => "blocked")"""
    )
    assert blocked == "blocked"
    assert opened.requests == []  # stopped by the page's own policy, before the browser asked
    opened.complaints.clear()


def test_hovering_tells_the_numbers(opened: Opened) -> None:
    tip = opened.page.locator("#vg-tooltip-element")
    assert not tip.is_visible()
    point_at(opened.page, 0.6, 0.85)
    tip.wait_for(state="visible")
    told = tip.inner_text()
    assert told.startswith("ge")
    for text in ("Size", "Time", "Throughput", "Mb/s (", " to ", "5 launches"):
        assert text in told
    assert "undefined" not in told


def test_clicking_a_point_opens_its_samples_until_it_is_closed(opened: Opened) -> None:
    point_at(opened.page, 0.6, 0.85)
    opened.page.mouse.down()
    opened.page.mouse.up()
    detail = opened.page.locator(".detail:not([hidden])")
    detail.locator("svg .mark-symbol path").nth(24).wait_for(state="attached")
    told = detail.inner_text()
    assert told.startswith("ge: ")
    for text in ("Mb/s", "5 launches", "All 25 batches are drawn", "No evidence was recorded"):
        assert text in told
    opened.page.locator("#theme").click()
    opened.page.wait_for_selector("html[data-drawn='dark']")
    assert detail.locator("svg .mark-symbol path").count() == 25
    detail.get_by_text("Close").click()
    assert detail.count() == 0


def test_clicking_the_legend_hides_and_shows_a_run(opened: Opened) -> None:
    entry = opened.page.locator(".entry", has_text="ge")
    for left, pressed in ((3, "false"), (6, "true")):
        entry.click()
        wait_for_lines(opened.page, LINES, left)
        assert entry.get_attribute("aria-pressed") == pressed


def test_buttons_zoom_and_reset(opened: Opened) -> None:
    before = labels(opened.page)
    figure = opened.page.locator("figure").first
    for _ in range(3):
        figure.get_by_label("Zoom in").click()
    wait_for(opened.page, lambda: labels(opened.page) != before)
    assert len(labels(opened.page)) > 3
    figure.get_by_text("Reset").click()
    wait_for(opened.page, lambda: labels(opened.page) == before)


def test_wheel_scrolls_the_page_with_ctrl_zooms_and_dragging_moves(opened: Opened) -> None:
    before = labels(opened.page)
    point_at(opened.page, 0.5, 0.5)
    opened.page.mouse.wheel(0, 60)
    opened.page.wait_for_timeout(200)
    assert labels(opened.page) == before
    opened.page.keyboard.down("Control")
    opened.page.mouse.wheel(0, -600)
    opened.page.keyboard.up("Control")
    wait_for(opened.page, lambda: labels(opened.page) != before)
    before = labels(opened.page)
    point_at(opened.page, 0.5, 0.5)
    opened.page.mouse.down()
    point_at(opened.page, 0.8, 0.6)
    opened.page.mouse.up()
    wait_for(opened.page, lambda: labels(opened.page) != before)


def background(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_dark_by_preference(browser: Browser, path: Path) -> None:
    with reading(browser, path, "dark") as dark:
        assert background(dark.page) == DARK
        assert dark.page.evaluate("document.documentElement.dataset.drawn") == "dark"


def test_dark_by_button_keeps_what_is_shown_and_zoomed(opened: Opened) -> None:
    assert background(opened.page) == LIGHT
    opened.page.locator(".entry", has_text="ge").click()
    opened.page.locator("figure").first.get_by_label("Zoom in").click()
    opened.page.wait_for_timeout(200)
    zoomed = labels(opened.page)
    opened.page.locator("#theme").click()
    opened.page.wait_for_selector("html[data-drawn='dark']")
    assert background(opened.page) == DARK
    assert opened.page.locator(LINES).count() == 3
    assert labels(opened.page) == zoomed


def test_figures_can_be_saved(opened: Opened, tmp_path: Path) -> None:
    for format, start in (("svg", b"<svg"), ("png", b"\x89PNG")):
        with opened.page.expect_download() as download:
            opened.page.locator(f"figure [data-save={format}]").first.click()
        assert download.value.suggested_filename == f"throughput.{format}"
        download.value.save_as(tmp_path / format)
        assert (tmp_path / format).read_bytes().startswith(start)


def test_a_phone_scrolls_in_one_direction_only(browser: Browser, path: Path) -> None:
    with reading(browser, path, width=360) as phone:
        assert phone.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_many_points_are_drawn_on_a_canvas(browser: Browser, tmp_path: Path) -> None:
    runs = [write_run(tmp_path / f"run{i}", GIGABIT, seed=i, launches=12) for i in range(3)]
    with reading(browser, write_report(runs, tmp_path / "report.html")) as many:
        assert many.page.locator(".plot canvas").count() == 3


def test_rough_names_are_shown_as_they_are(browser: Browser, tmp_path: Path) -> None:
    name = "<img src=x onerror=alert(1)>&'\""
    runs = [write_run(tmp_path / name, change=roughen), write_run(tmp_path / "fe")]
    with reading(browser, write_report(runs, tmp_path / "report.html")) as rough:
        rough.page.locator(".entry", has_text=name).click()
        point_at(rough.page, 0.6, 0.5)
        rough.page.locator("#vg-tooltip-element").wait_for(state="visible")
        assert rough.page.locator("img").count() == 0
        assert name in rough.page.locator("h1").inner_text()


@pytest.fixture(scope="module")
def cluster_path(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The report of a pair and of two runs between many nodes, one of them of 128."""
    folder = tmp_path_factory.mktemp("cluster")
    small = Cluster(8, shared=cards(8, 4, 94.1))
    steps = [Step.matrix(), Step.latencies(), Step.alltoall(), Step.cast()]
    steps.append(Step.streams(range(4), range(4, 8)))
    large = Cluster(128, shared=cards(128, 32, 800.0))
    runs = [
        write_run(folder / "fe"),
        write_cluster_run(folder / "c8", small, steps, missing=frozenset({(2, 5)})),
        write_cluster_run(folder / "c128", large, [Step.matrix(), Step.alltoall()], trials=1),
    ]
    return write_report(runs, folder / "report.html")


@pytest.fixture
def cluster(browser: Browser, cluster_path: Path) -> Iterator[Opened]:
    with reading(browser, cluster_path) as report:
        yield report


def drawn(page: Page) -> list[str]:
    """The figures that hold a picture with something in it."""
    plots = page.locator(".plot:has(svg), .plot:has(canvas)")
    return [str(name) for name in plots.evaluate_all("all => all.map(e => e.dataset.figure)")]


def test_runs_of_many_nodes_and_of_a_pair_are_drawn_together(
    cluster: Opened, cluster_path: Path
) -> None:
    assert cluster_path.stat().st_size <= 4_000_000
    found = drawn(cluster.page)
    assert {"throughput", "pairs-1-by-name", "pairs-2-by-name", "aapc", "histogram"} <= set(found)
    assert len(found) == cluster.page.locator("figure").count()
    entries = cluster.page.locator(".entry").all_text_contents()
    assert [entry.strip() for entry in entries] == ["fe", "c8", "c128"]


def test_hiding_a_run_hides_it_in_every_overlay(cluster: Opened) -> None:
    lines = "[data-figure=aapc] .mark-line path[d]:not([d=''])"
    assert cluster.page.locator(lines).count() == 4  # slowest and mean of two runs
    cluster.page.locator(".entry", has_text="c128").click()
    wait_for_lines(cluster.page, lines, 2)


def test_a_cell_of_the_map_tells_its_ends(cluster: Opened) -> None:
    plot = cluster.page.locator("[data-figure=pairs-1-by-name] svg")
    plot.scroll_into_view_if_needed()
    plot.locator("[role='graphics-symbol'], .mark-rect path").nth(3).hover(force=True)
    tip = cluster.page.locator("#vg-tooltip-element")
    tip.wait_for(state="visible")
    told = tip.inner_text()
    assert "From" in told and "To" in told
    assert "undefined" not in told


def test_the_map_zooms_in_both_directions(cluster: Opened) -> None:
    figure = cluster.page.locator("#figure-pairs-1-by-name")
    axes = figure.locator(".plot svg .role-axis-label")

    def names() -> list[list[str]]:
        return [
            sorted(name for name in axis.locator("text").all_text_contents() if name)
            for axis in axes.all()
        ]

    before = names()
    for _ in range(2):
        figure.get_by_label("Zoom in").click()
    wait_for(
        cluster.page,
        lambda: all(
            len(now) < len(then) for now, then in zip(names(), before, strict=True) if then
        ),
    )
    figure.get_by_text("Reset").click()
    wait_for(cluster.page, lambda: names() == before)


def test_panels_stand_side_by_side_and_below_each_other_on_a_phone(
    browser: Browser, cluster: Opened, cluster_path: Path
) -> None:
    def shape(page: Page) -> float:
        box = page.locator("[data-figure=histogram] svg").bounding_box()
        assert box is not None
        return box["width"] / box["height"]

    assert shape(cluster.page) > 1.5
    assert cluster.page.locator("#figure-histogram").get_by_label("Zoom in").count() == 0
    with reading(browser, cluster_path, width=360) as phone:
        assert shape(phone.page) < 1
        assert phone.page.evaluate("document.documentElement.scrollWidth") <= 360


def test_maps_follow_the_theme_and_can_be_saved(cluster: Opened) -> None:
    cluster.page.locator("#theme").click()
    cluster.page.wait_for_selector("html[data-drawn='dark']")
    assert len(drawn(cluster.page)) == cluster.page.locator("figure").count()
    for name in ("pairs-1-by-name", "histogram"):
        with cluster.page.expect_download() as download:
            cluster.page.locator(f"#figure-{name} [data-save=png]").click()
        assert download.value.suggested_filename == f"{name}.png"


@pytest.mark.parametrize("scheme", ["light", "dark"])
def test_a_simulated_fabric_is_drawn(browser: Browser, tmp_path: Path, scheme: str) -> None:
    run = compute(tmp_path / "run", "ring", "sim:xibalba-e7-config2")
    with reading(browser, write_report([run], tmp_path / "report.html"), scheme) as opened:
        assert {"fabric-1", "busiest-1"} <= set(drawn(opened.page))
        fabric = opened.page.locator('[data-figure="fabric-1"]')
        assert {"backplane", "n[1-24]"} <= set(fabric.locator("text").all_text_contents())
        fabric.locator(".mark-rule line").first.hover(force=True)
        tip = opened.page.locator("#vg-tooltip-element")
        tip.wait_for(state="visible")
        assert "Mb/s" in tip.inner_text()


def test_colours_of_tasks_and_stages_are_explained(browser: Browser, tmp_path: Path) -> None:
    run = compute(tmp_path / "base", "latency", "node:p4-400-base")
    names = {"busy-1": "protocol", "budget-1": "coalescing", "latency-budget": "wire"}
    with reading(browser, write_report([run], tmp_path / "report.html")) as opened:
        for figure, name in names.items():
            words = opened.page.locator(f"#figure-{figure} .plot svg text").all_text_contents()
            assert name in words, (figure, words)


def test_figures_of_several_pairs_name_policies_and_pairs(browser: Browser, tmp_path: Path) -> None:
    run = compute(
        tmp_path / "run",
        "multi-pair",
        "node:opteron-4nic-native",
        **{"steps__latency__sizes": "['1 B', '1 KiB']", "steps__*__pairs": "[1, 2]"},
    )
    with reading(browser, write_report([run], tmp_path / "report.html")) as report:
        legend = report.page.locator("[data-figure=multi-pair-latency] .role-legend-label")
        assert legend.all_text_contents() == [
            *("independent", "striped", "shared"),
            *("1 pair", "2 pairs"),
        ]
        assert "1 pair, 1 B: " in report.page.locator(".verdict").first.inner_text()
