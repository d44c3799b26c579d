"""Manual pages: all commands have one, and mandoc finds nothing wrong with them."""

import shutil
import subprocess
from pathlib import Path

import pytest

from weft.faces.cli.commands import SECTIONS
from weft.faces.cli.pages.files import main


@pytest.mark.smoke("mandoc")
def test_each_command_has_a_page_that_mandoc_finds_correct(tmp_path: Path) -> None:
    main(tmp_path, tmp_path / "outline.json")
    folder = tmp_path / "man" / "man1"
    pages = sorted(path.name for path in folder.iterdir())
    commands = [name for section in SECTIONS.values() for name in section]
    assert {"weft.1", "weft-lab-up.1", *(f"weft-{name}.1" for name in commands)} <= set(pages)
    run = (folder / "weft-run.1").read_text()
    assert "\\fB\\-\\-resume DIR\\fR\nContinue a run: measure only what is missing.\n" in run
    assert ".nf\nlab:FABRIC     a virtual cluster on this machine\n" in run
    assert ".SH EXAMPLES\nweft run " in run
    if not shutil.which("mandoc"):
        pytest.skip("mandoc is not installed")
    lint = ["mandoc", "-Tlint", *(folder / page for page in pages)]
    done = subprocess.run(lint, capture_output=True, text=True, check=False)
    assert (done.returncode, done.stdout) == (0, "")
