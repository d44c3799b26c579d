"""The unit that `weft watch install` writes is what systemd takes, and runs a watch that comes back."""

import shutil
import subprocess
from pathlib import Path

import pytest

from support.here import refusal, weft, weft_json

SITES = """
[watch]
interval = "200 ms"
rate = "10 Gb/s"
[[sites]]
name = "east"
on = "local:"
[[sites]]
name = "west"
on = "local:"
"""


@pytest.fixture
def sites(tmp_path: Path) -> Path:
    path = tmp_path / "sites $HOME 100%.toml"
    path.write_text(SITES)
    return path


@pytest.mark.smoke("systemd-analyze")
@pytest.mark.skipif(
    not shutil.which("systemd-analyze"), reason="no systemd: apt-get install systemd"
)
@pytest.mark.parametrize("whose", ["--system", "--user"])
def test_systemd_takes_the_unit_whatever_its_paths_are(
    sites: Path, whose: str, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("os.geteuid", lambda: 0)
    out = tmp_path / "a 'b\" \\ %n"
    unit = weft_json("watch", "install", sites, "--out", out, whose, "--dry-run")
    path = tmp_path / Path(unit["unit"]).name
    path.write_text(unit["text"])
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", path], capture_output=True, text=True, check=False
    )
    assert (done.returncode, done.stderr) == (0, "")
    path.write_text(unit["text"].replace("Restart=always", "Restart=sometimes"))
    done = subprocess.run(
        ["systemd-analyze", "verify", "--man=no", path], capture_output=True, text=True, check=False
    )
    assert "sometimes" in done.stderr
    assert not out.exists()


def test_without_systemd_the_commands_are_printed_and_nothing_is_installed(
    sites: Path, tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.setattr("weft.links.watch.install._BOOTED", tmp_path / "none")
    monkeypatch.setattr("weft.links.watch.unit.sys.executable", "echo")
    printed = weft("watch", "install", sites, "--out", tmp_path / "a b", "--user")
    assert "systemd does not run this machine" in printed.stderr
    _, now, reboot = printed.stdout.splitlines()
    assert not (tmp_path / "a b").exists()
    subprocess.run(["sh", "-c", f"{now} wait"], check=True)
    log = (tmp_path / "a b.log").read_text()
    assert log == f"-m weft watch start {sites} --out {tmp_path}/a b\n"
    assert "@reboot echo" in reboot
    assert "100\\%.toml" in reboot


def test_what_cannot_be_a_service_is_refused(sites: Path, tmp_path: Path) -> None:
    sites.write_text(SITES.replace('"200 ms"', '"soon"'))
    assert "watch.interval" in refusal("watch", "install", sites, "--out", tmp_path / "a")
    assert "no unit" in refusal("watch", "uninstall", tmp_path / "a", "--user")
    assert "cannot name it" in refusal("watch", "install", sites, "--out", tmp_path / "a\nb")
