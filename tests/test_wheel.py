"""A wheel of this tree, with what is compiled already: what is in it, and that it runs from there."""

import json
import os
import subprocess
import sys
from pathlib import Path

import pytest

from weft.faces.cli.commands import SECTIONS

ROOT = Path(__file__).parent.parent
pytestmark = pytest.mark.alone
SHARED = (
    "bash-completion/completions/weft",
    "fish/vendor_completions.d/weft.fish",
    "man/man1/weft-run.1",
    "man/man1/weft.1",
    "zsh/site-functions/_weft",
)


@pytest.fixture(scope="module")
def unpacked(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """The wheel's files, whose hashes are those of its list."""
    out = tmp_path_factory.mktemp("wheel")
    _run("tools/wheel.py", "--as-built", out)
    _run("-m", "wheel", "unpack", "--dest", out, next(out.glob("weft-*.whl")))
    return next(path for path in out.iterdir() if path.is_dir())


def _run(*arguments: str | Path) -> None:
    command = [sys.executable, *arguments]
    done = subprocess.run(command, cwd=ROOT, capture_output=True, text=True, check=False)
    assert done.returncode == 0, done.stderr


def test_a_wheel_has_all_files_of_the_package_and_what_is_put_in(unpacked: Path) -> None:
    listed = ["git", "ls-files", "python/weft", "catalog"]
    tracked = subprocess.run(listed, cwd=ROOT, capture_output=True, text=True, check=True).stdout
    for name in tracked.splitlines():
        name = name.removeprefix("python/weft/")
        assert (unpacked / "weft" / name).is_file(), name
    for agent in ("weft-probe", "weft-lab"):
        assert os.access(unpacked / "weft/bin" / agent, os.X_OK)
    (data,) = unpacked.glob("*.data/data/share")
    assert all((data / name).stat().st_size for name in SHARED)
    assert list(unpacked.glob("*.dist-info/licenses/LICENSE"))
    assert (unpacked / "weft/docs/install.md").exists()
    (tags,) = unpacked.glob("*.dist-info/WHEEL")
    assert "-abi3-manylinux_" in tags.read_text()


def test_words_are_completed_from_the_outline_without_arrays(unpacked: Path) -> None:
    outline = json.loads((unpacked / "weft/faces/cli/shell/outline.json").read_text())
    assert set(outline["commands"]) == {name for names in SECTIONS.values() for name in names}
    asked = {"_WEFT_COMPLETE": "bash_complete", "COMP_LINE": "weft run latency --on node:p4-400-b"}
    done = subprocess.run(
        [sys.executable, "-X", "importtime", "-m", "weft"],
        cwd=unpacked,
        env=os.environ | asked | {"PYTHONPATH": str(unpacked)},
        capture_output=True,
        text=True,
        check=True,
    )
    assert done.stdout == "plain,p4-400-base\n"
    imported = {line.rpartition("|")[2].strip() for line in done.stderr.splitlines()}
    assert "weft.faces.cli.shell.outline" in imported
    assert not imported & {"numpy", "pyarrow", "weft.faces.cli.measure.run"}
