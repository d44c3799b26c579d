"""A folder of a watch that came from somewhere is told nothing on its own say."""

import os
import shutil
from pathlib import Path

import pytest

from support.here import refusal
from weft.links.watch.sites import parse_sites
from weft.links.watch.start import new_record
from weft.links.watch.store.store import Writer


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    template = f"template:sh -c 'touch {tmp_path}/trace' {{node}}"
    sites = "".join(
        f"[[sites]]\nname = '{name}'\non = \"{template}:{name}\"\n\n" for name in ("a", "b")
    )
    text = sites + '[[links]]\nbetween = ["a", "b"]\n'
    Writer.create(tmp_path / "w", new_record(parse_sites(text))).close()
    return tmp_path / "w"


def test_its_commands_are_not_run_unasked(folder: Path, tmp_path: Path) -> None:
    said = refusal("watch", "stop", folder)
    assert "touch" in said and "--yes" in said
    assert not (tmp_path / "trace").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_one_of_another_user_is_left_alone(folder: Path, tmp_path: Path) -> None:
    shutil.chown(folder / "run.json", 65534)
    assert "belongs to another user" in refusal("watch", "stop", folder, "--yes")
    assert not (tmp_path / "trace").exists()


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_one_of_another_user_is_not_gone_on_with(folder: Path, tmp_path: Path) -> None:
    """Its owner knows the token that the agents would take."""
    sites = tmp_path / "sites.toml"
    names = "".join(f'[[sites]]\nname = "{name}"\non = "local:"\n' for name in ("a", "b"))
    sites.write_text(names + '[[links]]\nbetween = ["a", "b"]\n')
    shutil.chown(folder, 65534)
    assert "belongs to another user" in refusal("watch", "start", sites, "--out", folder)
