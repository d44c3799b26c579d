"""The report in a real Chromium, from disk, with the network cut off."""

from __future__ import annotations

import shutil
from collections.abc import Iterator
from dataclasses import dataclass, field
from pathlib import Path

import pytest
from playwright.sync_api import Browser, Page, Route, sync_playwright

from synthetic import GIGABIT, write_run
from test_report import roughen
from weft.report.page import write_report

CHROMIUM = next(
    filter(None, map(shutil.which, ("chromium", "chromium-browser", "google-chrome"))), None
)
pytestmark = pytest.mark.skipif(CHROMIUM is None, reason="no Chromium on this machine")

LIGHT, DARK = "rgb(246, 247, 249)", "rgb(18, 22, 27)"
MAX_BYTES = 5_000_000


@pytest.fixture(scope="module")
def browser() -> Iterator[Browser]:
    with sync_playwright() as playwright:
        chromium = playwright.chromium.launch(
            executable_path=CHROMIUM,
            headless=True,
            args=["--no-sandbox", "--disable-gpu", "--disable-dev-shm-usage"],
        )
        yield chromium
        chromium.close()


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


@pytest.fixture
def opened(browser: Browser, path: Path) -> Iterator[Opened]:
    report = open_report(browser, path)
    yield report
    assert report.requests == []
    assert report.complaints == []
    report.page.context.close()


def curves(page: Page) -> int:
    """The lines drawn in all figures."""
    return page.locator(".plot svg .mark-line path[d]:not([d=''])").count()


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


def test_three_figures_are_drawn_without_network_or_complaint(opened: Opened, path: Path) -> None:
    assert path.stat().st_size <= MAX_BYTES
    assert opened.page.locator(".plot svg").count() == 3
    for box in (plot.bounding_box() for plot in opened.page.locator(".plot svg").all()):
        assert box is not None
        assert min(box["width"], box["height"]) > 300
    assert curves(opened.page) == 6
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


def test_clicking_the_legend_hides_and_shows_a_run(opened: Opened) -> None:
    entry = opened.page.locator(".entry", has_text="ge")
    entry.click()
    opened.page.wait_for_function("""() => document.querySelectorAll(
        ".plot svg .mark-line path[d]:not([d=''])").length === 3""")
    assert entry.get_attribute("aria-pressed") == "false"
    entry.click()
    opened.page.wait_for_function("""() => document.querySelectorAll(
        ".plot svg .mark-line path[d]:not([d=''])").length === 6""")


def test_buttons_zoom_and_reset(opened: Opened) -> None:
    before = labels(opened.page)
    figure = opened.page.locator("figure").first
    for _ in range(3):
        figure.get_by_label("Zoom in").click()
    opened.page.wait_for_timeout(200)
    assert labels(opened.page) != before
    assert len(labels(opened.page)) > 3
    figure.get_by_text("Reset").click()
    opened.page.wait_for_timeout(200)
    assert labels(opened.page) == before


def test_wheel_scrolls_the_page_and_with_ctrl_zooms(opened: Opened) -> None:
    before = labels(opened.page)
    point_at(opened.page, 0.5, 0.5)
    opened.page.mouse.wheel(0, 60)
    opened.page.wait_for_timeout(200)
    assert labels(opened.page) == before
    opened.page.keyboard.down("Control")
    opened.page.mouse.wheel(0, -600)
    opened.page.keyboard.up("Control")
    opened.page.wait_for_timeout(200)
    assert labels(opened.page) != before


def test_dragging_moves_the_view(opened: Opened) -> None:
    before = labels(opened.page)
    point_at(opened.page, 0.5, 0.5)
    opened.page.mouse.down()
    point_at(opened.page, 0.8, 0.6)
    opened.page.mouse.up()
    opened.page.wait_for_timeout(200)
    assert labels(opened.page) != before


def background(page: Page) -> str:
    return str(page.evaluate("getComputedStyle(document.body).backgroundColor"))


def test_dark_by_preference(browser: Browser, path: Path) -> None:
    dark = open_report(browser, path, "dark")
    assert background(dark.page) == DARK
    assert dark.page.evaluate("document.documentElement.dataset.drawn") == "dark"
    assert dark.complaints == dark.requests == []
    dark.page.context.close()


def test_dark_by_button_keeps_what_is_shown_and_zoomed(opened: Opened) -> None:
    assert background(opened.page) == LIGHT
    opened.page.locator(".entry", has_text="ge").click()
    opened.page.locator("figure").first.get_by_label("Zoom in").click()
    opened.page.wait_for_timeout(200)
    zoomed = labels(opened.page)
    opened.page.locator("#theme").click()
    opened.page.wait_for_selector("html[data-drawn='dark']")
    assert background(opened.page) == DARK
    assert curves(opened.page) == 3
    assert labels(opened.page) == zoomed


@pytest.mark.parametrize(("format", "start"), [("svg", b"<svg"), ("png", b"\x89PNG")])
def test_figures_can_be_saved(opened: Opened, tmp_path: Path, format: str, start: bytes) -> None:
    with opened.page.expect_download() as download:
        opened.page.locator(f"figure [data-save={format}]").first.click()
    assert download.value.suggested_filename == f"throughput.{format}"
    saved = tmp_path / "saved"
    download.value.save_as(saved)
    assert saved.read_bytes().startswith(start)


def test_a_phone_scrolls_in_one_direction_only(browser: Browser, path: Path) -> None:
    phone = open_report(browser, path, width=360)
    assert phone.page.evaluate("document.documentElement.scrollWidth") <= 360
    assert phone.complaints == phone.requests == []
    phone.page.context.close()


def test_many_points_are_drawn_on_a_canvas(browser: Browser, tmp_path: Path) -> None:
    runs = [write_run(tmp_path / f"run{i}", GIGABIT, seed=i, launches=12) for i in range(3)]
    many = open_report(browser, write_report(runs, tmp_path / "report.html"))
    assert many.page.locator(".plot canvas").count() == 3
    assert many.complaints == many.requests == []
    many.page.context.close()


def test_rough_names_are_shown_as_they_are(browser: Browser, tmp_path: Path) -> None:
    name = "<img src=x onerror=alert(1)>&'\""
    runs = [write_run(tmp_path / name, change=roughen), write_run(tmp_path / "fe")]
    rough = open_report(browser, write_report(runs, tmp_path / "report.html"))
    rough.page.locator(".entry", has_text=name).click()
    point_at(rough.page, 0.6, 0.5)
    rough.page.locator("#vg-tooltip-element").wait_for(state="visible")
    assert rough.page.locator("img").count() == 0
    assert name in rough.page.locator("h1").inner_text()
    assert rough.complaints == rough.requests == []
    rough.page.context.close()
