"""Builds a wheel with all that weft needs on a machine without compilers. usage: tools/wheel.py [--as-built] FOLDER

Without --as-built it compiles once more, below target/wheel: without this machine's paths, for older C libraries where
zig is installed, and agents for arm64 where rustup has their target.
"""

from __future__ import annotations

import importlib.util
import os
import shutil
import subprocess
import sys
import tempfile
from collections.abc import Sequence
from pathlib import Path

ROOT = Path(__file__).resolve().parent.parent
BIN = Path(sys.executable).parent
AGENTS = ("weft-probe", "weft-lab")
OLDEST_C_LIBRARY = "manylinux_2_28"
"""numpy and pyarrow run on none that is older."""
ELSEWHERE = {"aarch64": "aarch64-unknown-linux-musl"}
"""Rust's targets for the agents of other architectures, by what `uname -m` says there. Rust brings their C library."""
LINKER = "rust-lld"
PROFILE = "dist"
"""Cargo's, with optimization across crates."""


def main() -> None:
    *flags, folder = sys.argv[1:]
    portable = "--as-built" not in flags
    with tempfile.TemporaryDirectory() as scratch:
        agents = build_agents() if portable else {"": ROOT / "python/weft/bin"}
        maturin(Path(scratch), portable)
        (plain,) = Path(scratch).glob("*.whl")
        tree = add(plain, agents, Path(scratch))
        if portable:
            refuse_paths(tree)
        whole = pack(tree, Path(folder)) / plain.name
    print(f"{whole}: {whole.stat().st_size / 1e6:.1f} MB, agents for {', '.join(names(agents))}")


def build_agents() -> dict[str, Path]:
    """The folder with the agents for each architecture, "" for this machine's."""
    said = output("rustc", "-vV").splitlines()
    host = next(line.removeprefix("host: ") for line in said if line.startswith("host: "))
    installed = installed_targets()
    missing = {machine: one for machine, one in ELSEWHERE.items() if one not in installed}
    for machine, target in missing.items():
        print(f"no agents for {machine}: rustup target add {target}", file=sys.stderr)
    others = {machine: one for machine, one in ELSEWHERE.items() if machine not in missing}
    return {machine: compiled(one) for machine, one in {"": host, **others}.items()}


def installed_targets() -> list[str]:
    """What rustup has; nothing where Rust is not rustup's."""
    return (
        output("rustup", "target", "list", "--installed").split() if shutil.which("rustup") else []
    )


def compiled(target: str) -> Path:
    """The folder with the agents for a target of Rust."""
    chosen = {} if "musl" not in target else {linker_key(target): LINKER}
    options = ["--quiet", "--profile", PROFILE, "--locked", "--target", target]
    packages = [word for agent in AGENTS for word in ("-p", agent)]
    run(["cargo", "build", *options, *packages], environment(without_paths()) | chosen)
    return ROOT / "target/wheel" / target / PROFILE


def linker_key(target: str) -> str:
    return f"CARGO_TARGET_{target.upper().replace('-', '_')}_LINKER"


def maturin(out: Path, portable: bool) -> None:
    """The wheel as maturin makes it, which checks by its symbols which C libraries it can run with."""
    profile = PROFILE if portable else "release"
    command = [str(BIN / "maturin"), "build", "--profile", profile, "--quiet", "--locked"]
    command += ["--out", str(out), "--interpreter", sys.executable, "--auditwheel", "check"]
    chosen = environment(without_paths()) if portable else dict(os.environ)
    if portable and (zig := find_zig()):
        command += ["--zig", "--compatibility", OLDEST_C_LIBRARY]
        chosen["CARGO_ZIGBUILD_ZIG_PATH"] = zig
    run(command, chosen)


def find_zig() -> str | None:
    """The program zig, perhaps of Python's package ziglang."""
    package = importlib.util.find_spec("ziglang")
    inside = str(Path(package.origin).parent) if package and package.origin else ""
    return shutil.which("zig") or shutil.which("zig", path=inside)


def without_paths() -> str:
    """What has compilers write short names in place of this machine's folders."""
    cargo = Path(os.environ.get("CARGO_HOME", Path.home() / ".cargo"))
    crates = dict.fromkeys(sorted(cargo.glob("registry/src/*")), "crates")
    folders = crates | {ROOT: "weft"}
    return " ".join(f"--remap-path-prefix={folder}={name}" for folder, name in folders.items())


def environment(flags: str) -> dict[str, str]:
    return os.environ | {"RUSTFLAGS": flags, "CARGO_TARGET_DIR": str(ROOT / "target/wheel")}


def add(plain: Path, agents: dict[str, Path], scratch: Path) -> Path:
    """The folder with what is in the wheel, and agents, catalogue, pages, and what shells and man read."""
    run([sys.executable, "-m", "wheel", "unpack", "--dest", str(scratch), str(plain)])
    (tree,) = (path for path in scratch.iterdir() if path.is_dir())
    package = tree / "weft"
    shutil.copytree(ROOT / "catalog", package / "catalog")
    for page in (ROOT / "docs").glob("*.md"):
        copy(page, package / "docs" / page.name)
    for machine, folder in agents.items():
        for agent in AGENTS:
            copy(folder / agent, package / "bin" / machine / agent)
    share = tree / f"{tree.name}.data" / "data" / "share"
    run([sys.executable, "-m", "weft.faces.cli.pages.files", share, package / "faces/cli/shell/outline.json"])
    for listed in tree.glob("*.dist-info/sboms/*.json"):
        listed.write_text(listed.read_text().replace(str(ROOT), "/weft"))
    return tree


def refuse_paths(tree: Path) -> None:
    """End where a file names a folder of this machine."""
    folders = [f"{folder}/".encode() for folder in (ROOT, Path.home())]
    for path in filter(Path.is_file, tree.rglob("*")):
        if named := [one for one in folders if one in path.read_bytes()]:
            sys.exit(f"wheel: {path.relative_to(tree)} names {named[0].decode()}")


def pack(tree: Path, out: Path) -> Path:
    """Put a wheel into a folder, in place of older ones."""
    out.mkdir(parents=True, exist_ok=True)
    for old in out.glob("weft-*.whl"):
        old.unlink()
    run([sys.executable, "-m", "wheel", "pack", "--dest-dir", str(out), str(tree)])
    return out


def copy(source: Path, to: Path) -> None:
    to.parent.mkdir(parents=True, exist_ok=True)
    shutil.copy(source, to)


def names(agents: dict[str, Path]) -> list[str]:
    return [machine or os.uname().machine for machine in agents]


def output(*command: str) -> str:
    return subprocess.run(command, capture_output=True, text=True, check=True).stdout


def run(command: Sequence[str | Path], env: dict[str, str] | None = None) -> None:
    done = subprocess.run(command, cwd=ROOT, env=env, stdout=subprocess.DEVNULL, check=False)
    if done.returncode != 0:
        sys.exit(f"wheel: {' '.join(map(str, command[:4]))} ... failed")


if __name__ == "__main__":
    main()
