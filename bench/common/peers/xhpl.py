"""xhpl: the one in the PATH, or else HPL out of the source of Debian's package hpcc, which has no xhpl.

hpcc solves the same system last of all its benchmarks, which fill a slow network for minutes. The source is read from
the archives that this machine has packages from. HPL is linked with the BLAS that hpcc loads.
"""

from __future__ import annotations

import re
import shutil
import subprocess
import tarfile
from pathlib import Path

HERE = Path(__file__).parent
ARCHIVES = (Path("/etc/apt/sources.list.d/debian.sources"), Path("/etc/apt/sources.list"))
DEFINES = ("-DHPL_CALL_CBLAS", "-DHPL_NO_MPI_DATATYPE")
"""The second: MPI 3 has no longer the functions by which HPL would describe what it packs."""
WITHIN_S = 600


def xhpl(folder: Path) -> Path:
    """Its path; `folder` takes what is built."""
    found = shutil.which("xhpl")
    return Path(found) if found else built(unpacked(folder), folder / "xhpl")


def unpacked(folder: Path) -> Path:
    """The folder of the source of hpcc."""
    archives = next((one for one in ARCHIVES if one.exists()), None)
    assert archives, (
        f"no xhpl in the PATH, and no Debian whose source could be built: no {ARCHIVES}"
    )
    parts = folder / "parts"
    parts.mkdir()
    text = re.sub(r"^Types:.*", "Types: deb-src", archives.read_text(), flags=re.MULTILINE)
    text = re.sub(r"^deb\b", "deb-src", text, flags=re.MULTILINE)
    (parts / archives.name.replace("sources.list", "debian.list")).write_text(text)
    for name in ("lists/partial", "cache/archives/partial"):
        (folder / name).mkdir(parents=True)
    places = {
        "Dir::Etc::sourcelist": "/dev/null",
        "Dir::Etc::sourceparts": parts,
        "Dir::State::lists": folder / "lists",
        "Dir::Cache": folder / "cache",
        "APT::Sandbox::User": "root",
    }
    options = [word for name, value in places.items() for word in ("-o", f"{name}={value}")]
    for words in (["update"], ["source", "--download-only", "--tar-only", "hpcc"]):
        run(["apt-get", "-q", *options, *words], folder)
    [packed] = folder.glob("hpcc_*.orig.tar.*")
    with tarfile.open(packed) as tar:
        tar.extractall(folder, filter="data")
    [source] = folder.glob("hpcc-*")
    return source


def built(source: Path, program: Path) -> Path:
    """HPL's own files, without those of the benchmarks beside it."""
    files = sorted((source / "hpl").glob("src/*/*.c")) + sorted(
        (source / "hpl").glob("testing/*/*.c")
    )
    includes = [f"-I{source / 'hpl/include'}", f"-I{source / 'include'}"]
    names = [str(one) for one in (HERE / "xhpl.c", *files)]
    libraries = ["-l:libblas.so.3", "-lm"]
    run(["mpicc", "-O2", "-w", *DEFINES, *includes, *names, *libraries, "-o", str(program)], source)
    return program


def run(command: list[str], folder: Path) -> None:
    done = subprocess.run(
        command, cwd=folder, capture_output=True, text=True, timeout=WITHIN_S, check=False
    )
    assert done.returncode == 0, f"{command[0]}: {done.stderr[-2000:]}"
