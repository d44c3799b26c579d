"""`weft completions` in real shells, and what words are completed to."""

import os
import shutil
import sys
from pathlib import Path

import pexpect
import pytest

from support.command import weft

SHELLS = {
    "bash": (["--norc", "--noprofile", "-i"], "bind 'set bell-style none'"),
    "zsh": (["-f", "-i"], "autoload -U compinit && compinit -u -D"),
    "fish": (["--no-config", "-i"], ""),
}
LINES = {
    "weft lab up two-r\t": "weft lab up two-racks",
    "weft run sig\t--on lab:two-r\t": "weft run signature --on lab:two-racks",
    "weft run signature --on nod\tp4-400-b\t": "weft run signature --on node:p4-400-base",
    "weft explain buffer-c\t": "weft explain buffer-capped",
    "weft explain swapped-c\t": "weft explain swapped-cables",
    "weft show runs/p\t": "weft show runs/pair",
    "weft diagnose --fab\t": "weft diagnose --fabric",
}


@pytest.mark.parametrize(
    "shell", [pytest.param(shell, marks=pytest.mark.smoke(shell)) for shell in SHELLS]
)
def test_a_shell_completes_words_of_each_kind(shell: str, tmp_path: Path) -> None:
    if not shutil.which(shell):
        pytest.skip(f"{shell} is not installed")
    (tmp_path / "runs" / "pair").mkdir(parents=True)
    (tmp_path / "runs" / "pair" / "run.json").touch()
    (tmp_path / "script").write_text(weft("completions", shell).stdout)
    options, first = SHELLS[shell]
    path = f"{Path(sys.executable).parent}:{os.environ['PATH']}"
    environment = os.environ | {"PATH": path, "TERM": "dumb", "HOME": str(tmp_path), "PS1": "> "}
    user = pexpect.spawn(
        shell, options, cwd=tmp_path, env=environment, encoding="utf-8", timeout=30
    )
    user.sendline(f"{first}; source ./script; printf 'rea%s\\n' dy".removeprefix("; "))
    user.expect("ready")
    for typed, completed in LINES.items():
        # The line, as the shell has it, becomes the arguments of printf.
        user.send(typed)
        user.send("\x01printf '<%s>' \r")
        user.expect_exact("".join(f"<{word}>" for word in completed.split()))
    user.close(force=True)
