"""Folders of this user alone, where another may have been first."""

import os
import stat
from pathlib import Path

import pytest

from support.refusals import refused
from weft.base.files.private_folder import private_folder


def test_it_is_made_for_this_user_only(tmp_path: Path) -> None:
    made = private_folder(tmp_path / "a/b", "c", hint="")
    assert made == tmp_path / "a/b/c" and stat.S_IMODE(made.stat().st_mode) == 0o700
    assert private_folder(tmp_path / "a/b", "c", hint="") == made


def test_one_that_others_may_read_is_closed(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir(mode=0o755)
    private_folder(tmp_path / "a", hint="")
    assert stat.S_IMODE((tmp_path / "a").stat().st_mode) == 0o700


def test_links_and_folders_that_others_write_to_are_refused(tmp_path: Path) -> None:
    (tmp_path / "elsewhere").mkdir()
    (tmp_path / "a").symlink_to(tmp_path / "elsewhere")
    with refused("a: is a link"):
        private_folder(tmp_path / "a", "labs", hint="")
    assert list((tmp_path / "elsewhere").iterdir()) == []
    (tmp_path / "dangling").symlink_to(tmp_path / "nowhere")
    with refused("dangling: is a link"):
        private_folder(tmp_path / "dangling", hint="")
    assert not (tmp_path / "nowhere").exists()
    (tmp_path / "file").touch()
    with refused("file: is no folder"):
        private_folder(tmp_path / "file", hint="")
    open_to_all = tmp_path / "b"
    open_to_all.mkdir()
    open_to_all.chmod(0o777)
    with refused("lets other users write"):
        private_folder(tmp_path / "b", hint="")


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_one_of_another_user_is_refused(tmp_path: Path) -> None:
    (tmp_path / "a").mkdir(mode=0o700)
    os.chown(tmp_path / "a", 65534, 65534)
    with refused("belongs to another user"):
        private_folder(tmp_path / "a", hint="")
