"""What every test has."""

import signal
from collections.abc import Callable, Iterator
from pathlib import Path

import pytest
from hypothesis import settings

from support.clusters import slurm, ssh_lab
from support.simgrid.peer import NoSimGridError, build_peer, build_routes, build_times

pytest_plugins = ["support.smoke"]

# A shell without job control has what it starts in the background ignore interrupts, as nohup does the end of the
# terminal, and so would all that tests start in order to end it.
signal.signal(signal.SIGINT, signal.default_int_handler)
signal.signal(signal.SIGHUP, signal.SIG_DFL)


# An example may take long where builds or labs have the processors.
settings.register_profile("weft", deadline=None)
settings.load_profile("weft")


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """What measures time is tried again once: a virtual machine may stand still for a second. These are counted."""
    for item in items:
        if item.get_closest_marker("timed") or item.get_closest_marker("alone"):
            item.add_marker(pytest.mark.flaky(reruns=1, reruns_delay=5))


@pytest.fixture
def own_registry(tmp_path_factory: pytest.TempPathFactory, monkeypatch: pytest.MonkeyPatch) -> None:
    """Labs of this test alone."""
    monkeypatch.setenv("XDG_RUNTIME_DIR", str(tmp_path_factory.mktemp("runtime")))


@pytest.fixture(scope="session")
def peer(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """bench/simgrid/peer.cpp, built."""
    return _built(build_peer, tmp_path_factory.mktemp("simgrid") / "peer")


@pytest.fixture(scope="session")
def routes(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """bench/simgrid/routes.cpp, built."""
    return _built(build_routes, tmp_path_factory.mktemp("simgrid") / "routes")


@pytest.fixture(scope="session")
def times(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """bench/simgrid/times.cpp, built."""
    return _built(build_times, tmp_path_factory.mktemp("simgrid") / "times")


@pytest.fixture(scope="session")
def mpi_cache(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Where weft keeps its MPI program, so that each MPI's compiler makes it once for all tests."""
    return tmp_path_factory.mktemp("mpi") / "cache"


@pytest.fixture
def own_cache(mpi_cache: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """weft's cache is the one for all tests."""
    monkeypatch.setenv("XDG_CACHE_HOME", str(mpi_cache))


@pytest.fixture(scope="module")
def lab(tmp_path_factory: pytest.TempPathFactory) -> Iterator[ssh_lab.SshLab]:
    """Five hosts with sshd."""
    with ssh_lab.ssh_lab(tmp_path_factory.mktemp("ssh")) as lab:
        yield lab


@pytest.fixture(scope="module")
def here(tmp_path_factory: pytest.TempPathFactory) -> Iterator[slurm.Slurm]:
    """A Slurm of four nodes."""
    with slurm.slurm(tmp_path_factory.mktemp("slurm")) as here:
        yield here


def _built(build: Callable[[Path], None], binary: Path) -> Path:
    try:
        build(binary)
    except NoSimGridError as missing:
        pytest.skip(str(missing))
    return binary
