"""The `weft` command itself: what it imports before it does anything."""

import os
import subprocess
import sys
from pathlib import Path

import pytest

from support.command import WEFT, refusal, weft
from weft.faces.cli.commands import SECTIONS


def imported(*arguments: str) -> set[str]:
    command = [sys.executable, "-X", "importtime", "-m", "weft", *arguments]
    done = subprocess.run(command, capture_output=True, text=True, check=True)
    lines = [line for line in done.stderr.splitlines() if line.startswith("import time:")]
    return {line.rpartition("|")[2].strip() for line in lines}


def test_help_needs_neither_arrays_nor_the_commands() -> None:
    modules = imported("--help")
    assert "weft.faces.cli.main" in modules
    assert not modules & {
        "numpy",
        "pyarrow",
        "scipy",
        "altair",
        "weft._core",
        "weft.faces.cli.measure.run",
    }


@pytest.mark.parametrize("command", ["run", "show", "compare", "diagnose", "report"])
def test_commands_import_statistics_and_charts_when_they_use_them(command: str) -> None:
    unused = {"scipy.stats", "scipy.optimize", "altair", "pandas.core"}
    assert not imported(command, "--help") & unused


@pytest.mark.parametrize("group", [[], ["lab"], ["fabric"]])
def test_a_group_without_a_command_prints_its_help(group: list[str]) -> None:
    done = weft(*group)
    assert done.returncode == 0
    assert done.stdout.startswith("Usage: ")
    assert ("\nCommands:\n" if group else "\nMeasure, such as `weft run ") in done.stdout
    assert not done.stderr


def test_the_help_has_whole_sentences_and_groups_of_options() -> None:
    _, _, commands = weft("--help").stdout.partition("  -h, --help")
    listed = [line for line in commands.splitlines()[1:] if line.startswith("  ")]
    names = [name for section in SECTIONS.values() for name in section]
    assert sorted(line.split()[0] for line in listed) == sorted(names)
    assert all(line.endswith(".") for line in listed)
    assert "..." not in commands
    groups = ["Where and what:", "The testbed:", "The plan:", "Applications:"]
    lines = weft("run", "--help").stdout.splitlines()
    assert [line for line in lines if line in groups] == groups


@pytest.mark.parametrize("more", [[], ["--json"]])
def test_a_full_disk_behind_standard_output_is_one_message(more: list[str]) -> None:
    with Path("/dev/full").open("w") as full:
        done = subprocess.run(
            [*WEFT, "laws", "--p", "1", "--sigma", "1", *more],
            stdout=full,
            stderr=subprocess.PIPE,
            text=True,
            check=False,
        )
    assert done.returncode == 1
    assert "No space left on device" in done.stderr and "Traceback" not in done.stderr


@pytest.mark.parametrize(
    ("command", "said"),
    [
        (["trace", "r", "--size", "9" * 30], "is not in the range"),
        (["lab", "up", "pair", "--name", "a" * 300], "not a name for a lab"),
        (["run", "latency", "--on", "node:p4-40"], "did you mean p4-400-"),
        (["machine", "show", "server-100g-tso-gr"], 'no row "tso-gr"'),
        (["import", "netpip", "x"], "did you mean netpipe?"),
        (["check", "lab:pair"], "did you mean `weft check --on lab:pair`?"),
        (["accept", "lab:pair"], "did you mean `weft accept --on lab:pair`?"),
        (["--on", "lab:pair"], "--on is an option of `weft run`"),
        (["list", "fabric"], "did you mean fabrics?"),
        (["fit", "r", "--model", "hockny"], "did you mean hockney?"),
        (["tune", "--on", "lab:pair", "--for", "throughput"], "did you mean stream?"),
        (["tune", "--on", "lab:pair", "--time", "3MIN"], "did you mean 3 min?"),
        (["watch", "show", "r", "--since", "3"], "did you mean 3 s or 3 min?"),
    ],
)
def test_a_wrong_name_or_number_is_a_wrong_request(command: list[str], said: str) -> None:
    assert said in refusal(*command)


def test_a_folder_may_have_any_name_in_any_locale(tmp_path: Path) -> None:
    out = tmp_path / "köln-東京"
    plain = {"PATH": os.environ["PATH"], "LC_ALL": "C", "PYTHONUTF8": "0"}
    for command in (["run", "latency", "--on", "sim:pair", "--out", out], ["show", out]):
        done = subprocess.run([*WEFT, *command], env=plain, capture_output=True, check=False)
        assert done.returncode == 0, done.stderr


@pytest.mark.parametrize(
    "command", ["run latency --on sim:pair --out x", "show r", "run --resume r"]
)
def test_no_permission_is_one_message(command: str, tmp_path: Path) -> None:
    """To write a folder, or to read a run: also for root, without its power over files."""
    weft("run", "latency", "--on", "sim:pair", "--out", tmp_path / "r")
    (tmp_path / "r" / "run.json").chmod(0)
    tmp_path.chmod(0o500)
    drop = ["setpriv", "--bounding-set=-dac_override,-dac_read_search"] if not os.geteuid() else []
    done = subprocess.run(
        [*drop, *WEFT, *command.split()], cwd=tmp_path, capture_output=True, text=True, check=False
    )
    tmp_path.chmod(0o700)
    assert done.returncode in (1, 2) and done.stderr.startswith("error: "), done.stderr
    assert "Permission denied" in done.stderr
