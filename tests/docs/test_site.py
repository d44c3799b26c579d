"""The site that `make docs` builds: whole, without a network, opened as files."""

from __future__ import annotations

import os
import re
import subprocess
import sys
from pathlib import Path

import pytest

from support.live.browser import chromium, needs_chromium

ROOT = Path(__file__).resolve().parents[2]
LOADS = re.compile(
    r"<(?:script|img|iframe|source|link)\b[^>]*?(?:src|href)=.?(https?:[^\s\"'>]+)"
    r"|import\(.(https?:[^\"']+)"
)


@pytest.fixture(scope="module")
def site(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Built as `make docs` does but for the notebooks' outputs; dead links and pages in no menu fail."""
    folder = tmp_path_factory.mktemp("site")
    command = [sys.executable, "-m", "mkdocs", "build", "--quiet", "--strict", "--site-dir", folder]
    environment = os.environ | {"NO_MKDOCS_2_WARNING": "1", "WEFT_EXECUTE_NOTEBOOKS": "false"}
    done = subprocess.run(
        command, cwd=ROOT, env=environment, capture_output=True, text=True, check=False
    )
    assert done.returncode == 0, done.stderr
    return folder


def test_pages_load_nothing_from_the_network(site: Path) -> None:
    pages = list(site.rglob("*.html"))
    assert len(pages) > 25
    assert [found for page in pages for found in LOADS.findall(page.read_text())] == []


def test_every_command_has_an_entry(site: Path) -> None:
    text = (site / "commands.html").read_text()
    assert all(f'id="weft-{name}"' in text for name in ("run", "lab-up", "fabric-show", "explain"))
    assert "Without progress for so long a peer has failed; a number counts seconds." in text


def test_codes_have_anchors(site: Path) -> None:
    assert '<a id="drift"></a>' in (site / "codes.html").read_text()


@needs_chromium
def test_the_search_finds_a_term_without_a_network(site: Path) -> None:
    failed: list[str] = []
    with chromium() as browser:
        page = browser.new_context(offline=True).new_page()
        page.on("requestfailed", lambda request: failed.append(request.url))
        page.goto((site / "index.html").as_uri())
        page.fill(".md-search__input", "half-power size")
        first = page.locator(".md-search-result__link").first.get_attribute("href")
    assert first is not None and "glossary.html" in first
    assert failed == []
