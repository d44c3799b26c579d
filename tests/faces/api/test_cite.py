"""Citations of weft, of runs and of published values."""

import subprocess
from pathlib import Path

import pytest

import weft
from support.here import refusal, weft_json
from support.here import weft as command
from support.paths import CHECKOUT
from support.refusals import refused
from support.runs import affine_us, launches_of, pingpong_run
from weft.runs.meta import Warning

SIZES = [1, 64, 4096]


@pytest.fixture
def run(tmp_path: Path) -> weft.Run:
    times = launches_of(affine_us(SIZES, 28.0, 94.1), noise=0.01)
    odd = [Warning("odd", "something was odd")]
    pingpong_run(tmp_path / "run", SIZES, times, weft_version="0.1.0", warnings=odd)
    return weft.open(tmp_path / "run")


def test_the_digest_is_what_its_command_computes(run: weft.Run) -> None:
    digest = weft.cite(run).digest
    assert digest is not None and run.folder is not None
    (run.folder / "report.html").write_text("a page is made of the run, and does not count")
    said = subprocess.run(
        digest.command, shell=True, cwd=run.folder, capture_output=True, text=True, check=True
    ).stdout
    assert said.split()[0] == digest.sha256 and digest.sha256 in weft.cite(run.folder).text
    (run.folder / "run.json").write_text((run.folder / "run.json").read_text() + " ")
    assert weft.cite(run.folder).digest != digest


def test_the_methods_tell_what_the_run_recorded(run: weft.Run) -> None:
    said = weft.cite(run).methods
    for fact in (
        run.meta.plan.name,
        "weft 0.1.0",
        "a ping-pong over TCP: 3 sizes from 1 B to 4 KiB",
        "5 launches, ranges cover the median with 94 %",
        "weft warned: something was odd",
    ):
        assert fact in said, fact
    simulated = weft.cite(weft.simulate("aapc", weft.fabric("two-racks", scale=0.5)))
    assert "its rates multiplied by 0.5" in simulated.methods and simulated.digest is None
    assert "deterministic" in simulated.methods


def test_a_published_value_is_cited_with_its_place() -> None:
    found = weft.cite("e7_asic_limit_mbps")
    assert "Kurmann" in found.text and "§5.2" in found.text and "1600 Mbit/s" in found.bibtex
    assert "E7 ASIC" in found.bibtex and found.bibtex.startswith("@misc{xibalba_aapc,")
    assert weft.cite("xibalba_aapc").methods == ""
    with refused("no published value") as raised:
        weft.cite("e7_asic_limit")
    assert "did you mean e7_asic_limit_mbps?" in raised.value.hint


def test_weft_is_cited_as_its_file_says(run: weft.Run) -> None:
    kept = (CHECKOUT / "CITATION.cff").read_text()
    assert f"version: {weft.__version__}\n" in kept
    assert weft.__version__ in weft.cite().text and "@software{weft," in command("cite").stdout
    document = weft_json("cite", str(run.folder))
    assert set(document) == {"text", "bibtex", "digest", "methods"}
    assert "published value" in refusal("cite", "nowhere")
