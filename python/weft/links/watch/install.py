"""A watch as a service: write, start and remove its unit; or the commands that replace it without systemd."""

from __future__ import annotations

import os
import pwd
import shlex
import subprocess
from dataclasses import dataclass
from pathlib import Path

from weft.base.errors import RequestError, WeftError
from weft.base.files.text_file import read_text
from weft.links.watch.sites import read_sites
from weft.links.watch.unit import Unit, quoted

SYSTEM_UNITS = Path("/etc/systemd/system")
_BOOTED = Path("/run/systemd/system")
"""Exists while systemd runs the machine (sd_booted(3))."""


@dataclass(frozen=True)
class UnitManager:
    """Where units are installed, and the `systemctl` command that manages them."""

    units: Path
    systemctl: tuple[str, ...]
    account: str = ""
    home: Path = Path("/root")

    def run(self, *arguments: str) -> None:
        """Run systemctl with arguments; raises WeftError with its message if it fails."""
        command = [*self.systemctl, *arguments]
        done = subprocess.run(command, capture_output=True, text=True, check=False)
        if done.returncode:
            raise WeftError(f"`{shlex.join(command)}` failed: {done.stderr.strip()}")


def has_systemd() -> bool:
    """Whether systemd runs this machine."""
    return _BOOTED.is_dir()


def find_service(is_system: bool | None) -> UnitManager:
    """The system manager if requested, or by default for root; else the user's. Raises RequestError."""
    is_root = os.geteuid() == 0
    if is_system is None:
        is_system = is_root
    if not is_system:
        config = Path(os.environ.get("XDG_CONFIG_HOME") or Path.home() / ".config")
        return UnitManager(config / "systemd" / "user", ("systemctl", "--user"))
    if not is_root:
        raise RequestError(
            "--system: only root can install a system unit", "use sudo, or leave out --system"
        )
    # The ssh keys are those of the user who called sudo.
    account = pwd.getpwnam(os.environ.get("SUDO_USER") or pwd.getpwuid(0).pw_name)
    return UnitManager(SYSTEM_UNITS, ("systemctl",), account.pw_name, Path(account.pw_dir))


def unit_of(file: Path, folder: Path, service: UnitManager) -> Unit:
    """The unit of a watch; raises RequestError if sites.toml is invalid, or a path cannot be used in a unit."""
    for path in (file, folder):
        if not str(path).isprintable():
            raise RequestError(f"{str(path)!r}: a unit cannot name it", "rename it")
    sites = read_sites(file)
    return Unit(file.resolve(), folder.resolve(), sites, service.account, service.home)


def install(unit: Unit, service: UnitManager) -> Path:
    """Write the unit, start it, and enable it at boot; removes it again if that fails. Raises RequestError,
    WeftError."""
    path = service.units / unit.name
    if path.exists() and _quoted_folder(unit.folder) not in read_text(path):
        raise RequestError(
            f"{path}: is the service of another folder", "give --out another last part"
        )
    _make_folder(unit, service)
    service.units.mkdir(parents=True, exist_ok=True)
    path.write_text(unit.text())
    try:
        service.run("daemon-reload")
    except WeftError:
        path.unlink()
        raise
    service.run("enable", unit.name)
    service.run("restart", unit.name)
    return path


def _quoted_folder(folder: Path) -> str:
    """The folder as quoted in the unit's command."""
    return quoted(["--out", str(folder)])


def _make_folder(unit: Unit, service: UnitManager) -> None:
    """Create the folder: the service may only write in folders that exist when it starts."""
    if unit.folder.exists():
        return
    unit.folder.mkdir(parents=True, mode=0o700)
    if service.account:
        os.chown(unit.folder, pwd.getpwnam(service.account).pw_uid, -1)


def uninstall(folder: Path, service: UnitManager) -> Path:
    """Stop the service and remove its unit; raises RequestError if this folder has none, WeftError."""
    folder = folder.resolve()
    for path in sorted(service.units.glob("weft-watch-*.service")):
        if _quoted_folder(folder) in read_text(path):
            service.run("disable", "--now", path.name)
            path.unlink()
            service.run("daemon-reload")
            return path
    raise RequestError(
        f"{folder}: no unit in {service.units} runs it", "`weft watch install` writes one"
    )


def without_systemd(unit: Unit) -> list[str]:
    """Shell commands that run the watch now, and at boot by cron."""
    command, log = shlex.join(unit.command), shlex.quote(f"{unit.folder}.log")
    line = f"@reboot {command} >>{log} 2>&1".replace("%", "\\%")
    return [
        f"mkdir -p {shlex.quote(str(unit.folder.parent))}",
        f"setsid nohup {command} >>{log} 2>&1 </dev/null &",
        f"(crontab -l 2>/dev/null; echo {shlex.quote(line)}) | crontab -",
    ]
