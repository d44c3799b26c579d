"""A run folder names commands: resuming it runs only those that the user has seen."""

import json
import os
import pty
import shutil
import subprocess
from pathlib import Path

import pytest
from msgspec.structs import replace

from support.command import WEFT
from support.here import refusal, weft
from support.made.synthetic import write_run
from support.runs import change_meta
from weft.measure.execute.gate import side_effects
from weft.plan.pattern import Cast, CastFile
from weft.plan.plan import CountRule, SizeList
from weft.runs.meta import RunMeta

SIZES = [1, 1024, 65536]


@pytest.fixture
def folder(tmp_path: Path) -> Path:
    """A run, partial, of a template that leaves a trace."""
    write_run(tmp_path / "r", sizes=SIZES, change=complete_plan)
    change(tmp_path / "r", f"template:sh -c 'touch {tmp_path}/trace' {{node}}:n[1-2]")
    return tmp_path / "r"


def complete_plan(meta: RunMeta) -> None:
    step = replace(meta.plan.steps[0], sizes=SizeList(tuple(SIZES)))
    meta.plan = meta.plan.with_step(0, step)


def change(folder: Path, spec: str) -> None:
    testbed = {"kind": "template", "spec": spec}
    change_meta(folder, status="partial", done=[], testbed=testbed)


def test_a_command_is_not_run_unasked(folder, tmp_path):
    said = refusal("run", "--resume", folder)
    assert f"sh -c 'touch {tmp_path}/trace' '{{node}}'" in said and "--yes" in said
    assert not (tmp_path / "trace").exists()
    weft("run", "--resume", folder, "--yes")
    assert (tmp_path / "trace").exists()


@pytest.mark.parametrize(("answer", "runs"), [("n", False), ("y", True)])
def test_on_a_terminal_it_is_shown_and_asked(folder, tmp_path, answer, runs):
    ours, theirs = pty.openpty()
    process = subprocess.Popen(
        [*WEFT, "run", "--resume", folder], stdin=theirs, stdout=subprocess.PIPE, stderr=theirs
    )
    os.close(theirs)
    shown = b""
    while b"Run it?" not in shown:
        shown += os.read(ours, 4096)
    assert f"touch {tmp_path}/trace".encode() in shown
    os.write(ours, f"{answer}\n".encode())
    with pytest.raises(OSError):
        while os.read(ours, 4096):
            pass
    process.communicate(timeout=60)
    os.close(ours)
    assert (tmp_path / "trace").exists() == runs


@pytest.mark.parametrize("kind", ["template", "ssh", "agent"])
def test_commands_of_a_host_file_are_commands_too(folder, tmp_path, kind):
    keys = {
        "template": 'command = "touch {node}"',
        "ssh": 'options = ["-o", "ProxyCommand=x"]',
        "agent": 'agent = "/tmp/x"',
    }
    (tmp_path / "hosts.toml").write_text(f'{keys[kind]}\n[[nodes]]\nids = "n[1-2]"\n')
    change(folder, f"hosts:{tmp_path}/hosts.toml")
    assert "going on with it does what the folder names" in refusal("run", "--resume", folder)


@pytest.mark.skipif(os.geteuid() != 0, reason="only root can give a folder away")
def test_a_folder_of_another_user_is_not_resumed(folder, tmp_path):
    for given in (folder, folder / "run.json"):
        shutil.chown(given, 65534)
        assert "belongs to another user" in refusal("run", "--resume", folder, "--yes")
        shutil.chown(given, 0)
    assert not (tmp_path / "trace").exists()


@pytest.mark.parametrize("value", ["nan", "inf"])
def test_patience_is_a_time(value):
    said = refusal("run", "signature", "--on", "local:", "--patience", value)
    assert "not a time" in said


def knobbed(meta: RunMeta) -> None:
    complete_plan(meta)
    step = meta.plan.steps[0]
    options = replace(step.options, knobs={"rps_cpus": "2"})
    meta.plan = meta.plan.with_step(0, replace(step, options=options))


def test_settings_of_this_machine_are_not_changed_unasked(tmp_path: Path) -> None:
    folder = tmp_path / "r"
    write_run(folder, sizes=SIZES, change=knobbed)
    change_meta(folder, status="partial", done=[], testbed={"kind": "local", "spec": "local:"})
    said = refusal("run", "--resume", folder)
    assert "set rps_cpus = 2 on nodes of local:" in said and "--yes" in said


@pytest.mark.parametrize("overwrite", [False, True])
def test_files_are_not_copied_unasked(tmp_path: Path, overwrite: bool) -> None:
    def casting(meta: RunMeta) -> None:
        file = CastFile("/etc/key", f"{tmp_path}/precious", overwrite, None, True)
        cast = Cast(None, 65536, 1, False, file)
        once = CountRule(repeats=1, trials=1)
        step = replace(meta.plan.steps[0], pattern=cast, stop=once)
        meta.plan = meta.plan.with_step(0, step)

    folder = tmp_path / "r"
    write_run(folder, sizes=SIZES, change=casting)
    change_meta(folder, status="partial", done=[], testbed={"kind": "local", "spec": "local:"})
    said = refusal("run", "--resume", folder)
    assert f"copy /etc/key to {tmp_path}/precious" in said and "--yes" in said
    assert ("over what is there" in said) == overwrite
    assert not list(side_effects("vm:pair", [RunMeta.read(folder).plan]))


def test_work_of_a_stranger_does_nothing_unasked(tmp_path: Path) -> None:
    """An acceptance that was unpacked from somewhere: its request, or a run in it, names a command."""
    template = f"template:sh -c 'touch {tmp_path}/trace' {{node}}:n[1-2]"
    folder = tmp_path / "a"
    folder.mkdir()
    request = {"testbed": template, "out": str(folder)}
    (folder / "request.json").write_text(json.dumps(request))
    said = refusal("accept", "--resume", folder)
    assert "touch" in said and "--yes" in said and not (tmp_path / "trace").exists()
    (folder / "request.json").write_text(json.dumps(request | {"testbed": "sim:pair"}))
    write_run(folder / "pairs", sizes=SIZES, change=complete_plan)
    change(folder / "pairs", template)
    assert "touch" in refusal("accept", "--resume", folder)
    assert not (tmp_path / "trace").exists()
