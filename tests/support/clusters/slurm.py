"""A Slurm of this machine's own: a controller, munge, and several slurmd, each with a loopback address."""

import contextlib
import os
import shutil
import subprocess
import time
from collections.abc import Iterator
from dataclasses import dataclass
from pathlib import Path

from support.command import WEFT, run
from support.live.waiting import wait_for
from support.paths import DATA

NODES = 4
FIRST_PORT = 17_000
PROGRAMS = ("slurmctld", "slurmd", "srun", "salloc", "scontrol", "munged")


def is_possible() -> str:
    """Why there can be no Slurm here, or nothing."""
    missing = [one for one in PROGRAMS if shutil.which(one, path=_PATH) is None]
    if missing:
        return f"no {missing[0]}: apt-get install slurm-wlm munge"
    return "" if os.getuid() == 0 else "slurmd runs as root"


_PATH = f"{os.environ['PATH']}:/usr/sbin:/sbin"


@dataclass
class Slurm:
    """A running Slurm, used by the programs that run with its environment."""

    folder: Path

    @property
    def environment(self) -> dict[str, str]:
        outside = {key: value for key, value in os.environ.items() if not key.startswith("SLURM_")}
        own = {"SLURM_CONF": str(self.folder / "slurm.conf"), "XDG_CACHE_HOME": str(self.folder)}
        return outside | own | {"PATH": _PATH}

    def run(self, *command: str | Path, timeout: float = 120) -> subprocess.CompletedProcess[str]:
        """A command of the user's."""
        return run(list(map(str, command)), timeout, self.environment)

    def weft(
        self, *arguments: str | Path, timeout: float = 120
    ) -> subprocess.CompletedProcess[str]:
        """weft outside of an allocation."""
        return self.run(*WEFT, *arguments, timeout=timeout)

    def jobs(self) -> list[str]:
        """The jobs that run or wait."""
        return self.run("squeue", "--noheader", "--format=%i %t").stdout.split("\n")[:-1]


@contextlib.contextmanager
def slurm(folder: Path) -> Iterator[Slurm]:
    """Slurm, ended afterwards with all that it runs."""
    here = Slurm(folder)
    _write_configuration(folder)
    servers: list[subprocess.Popen[bytes]] = []
    try:
        servers.append(_start(here, "munged", "--foreground", *_munge_options(folder)))
        wait_for(lambda: (folder / "munge.sock").exists())
        servers.append(_start(here, "slurmctld", "-D", "-i"))
        for number in range(1, NODES + 1):
            servers.append(_start(here, *_named(f"s{number}"), "slurmd", "-D", "-N", f"s{number}"))
        wait_for(lambda: here.run("sinfo", "-h", "-t", "idle", "-o", "%D").stdout.strip() == "4")
        yield here
    finally:
        here.run("scancel", "--user=root")
        for server in reversed(servers):
            server.terminate()
        for server in servers:
            with contextlib.suppress(subprocess.TimeoutExpired):
                server.wait(10)
            server.kill()


def _start(here: Slurm, *command: str) -> subprocess.Popen[bytes]:
    log = (here.folder / f"{command[0]}-{time.monotonic_ns()}.log").open("wb")
    return subprocess.Popen(command, env=here.environment, stdout=log, stderr=log)


def _named(name: str) -> list[str]:
    """A host name of its own, as each node of a cluster has."""
    return ["unshare", "--uts", "sh", "-c", f'hostname {name}; exec "$@"', "sh"]


def _munge_options(folder: Path) -> list[str]:
    files = {"socket": "munge.sock", "key-file": "munge.key", "pid-file": "munge.pid"}
    files |= {"log-file": "munge.log", "seed-file": "munge.seed"}
    return ["--force", *(f"--{name}={folder / file}" for name, file in files.items())]


def _write_configuration(folder: Path) -> None:
    key = folder / "munge.key"
    key.write_bytes(os.urandom(1024))
    key.chmod(0o400)
    for name in ("state", *(f"spool-s{number}" for number in range(1, NODES + 1))):
        (folder / name).mkdir()
    nodes = "\n".join(
        f"NodeName=s{number} NodeHostname={os.uname().nodename} NodeAddr=127.0.0.{10 + number} "
        f"Port={FIRST_PORT + number} CPUs=1"
        for number in range(1, NODES + 1)
    )
    text = (DATA / "clusters/slurm.conf").read_text()
    values = {"host": os.uname().nodename, "port": FIRST_PORT, "folder": folder, "nodes": nodes}
    (folder / "slurm.conf").write_text(text.format(**values))
