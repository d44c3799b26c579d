"""How soon do its pages show a run?

How fast the pages of `weft serve` show a run, in Chromium.

usage: bench/run.py serve_page

The time from asking for a page to the first picture of a run of 10^6 samples, with a server that has just started; and
from samples handed to the kernel to their point on the screen. The server and the browser give way to other load.
"""

from __future__ import annotations

import tempfile
import time
from pathlib import Path

import numpy as np
from playwright.sync_api import Browser, Page

from common.machine import machine
from common.results import Goal, save
from common.serving import Server, begin_run, rows, serving, write_large
from support.live.browser import chromium

TRIES, EVENTS = 5, 20


def main() -> None:
    print(machine())
    with tempfile.TemporaryDirectory() as name, chromium() as browser:
        pictures_s = first_pictures_s(Path(name) / "large", browser)
        delays_s = delays(Path(name) / "growing", browser)
    first, delay = float(np.median(pictures_s)), float(np.median(delays_s))
    print(f"first picture: median {first:.3f} s, longest of {TRIES} {max(pictures_s):.3f} s")
    print(f"sample to screen: median {delay:.3f} s, longest of {EVENTS} {max(delays_s):.3f} s")
    goals = [
        Goal("first picture of a run of 10^6 samples in the browser", first, "s", at_most=1.0),
        Goal(f"the same, longest of {TRIES}", max(pictures_s), "s"),
        Goal("from a sample on the disk to the screen, median", delay, "s", at_most=1.0),
        Goal(f"the same, longest of {EVENTS}", max(delays_s), "s"),
    ]
    save("serve_page", goals)


def page_of(server: Server, browser: Browser) -> Page:
    page = browser.new_page()
    page.goto(f"http://127.0.0.1:{server.port}{server.root}?run=run")
    return page


def first_pictures_s(folder: Path, browser: Browser) -> list[float]:
    """Each with a server that has just answered for the list of runs."""
    write_large(folder / "run")
    found = []
    for _ in range(TRIES):
        with serving(folder) as server:
            server.seconds("api/runs")
            began_s = time.perf_counter()
            page = page_of(server, browser)
            page.wait_for_selector("html[data-drawn]", state="attached")
            found.append(time.perf_counter() - began_s)
            page.close()
    return found


def delays(folder: Path, browser: Browser) -> list[float]:
    """From samples that are handed to the kernel to their count on the page, drawn with the same picture."""
    writer = begin_run(folder / "run")
    writer.append(rows(np.array([1]), np.array([28.0])))
    found = []
    with serving(folder) as server:
        page = page_of(server, browser)
        page.wait_for_selector("html[data-samples='1']", state="attached")
        for number in range(1, EVENTS + 1):
            time.sleep(0.1 + 0.037 * number)
            began_s = time.perf_counter()
            writer.append(rows(np.full(50, 2**number), np.full(50, 28.0) + np.arange(50)))
            page.wait_for_selector(f"html[data-samples='{1 + 50 * number}']", state="attached")
            found.append(time.perf_counter() - began_s)
        page.close()
    return found


if __name__ == "__main__":
    main()
