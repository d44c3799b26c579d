"""Are settings restored after weft is killed?

How often settings of nodes are as before after weft was killed at a random moment.

usage: bench/run.py restore [TRIALS] [SEED]

Two network namespaces with a cable between them, and a run that changes settings of both at each of its steps. At a
random moment, from its start to its end, one of these is killed with SIGKILL: the coordinator, an agent, a guard, all
of weft's processes at once; or the coordinator is stopped, so that nothing is heard of it. Then the guards have 15 s;
what they do not put back is left to `undo`. Settings are read before and afterwards, by other programs.
"""

from __future__ import annotations

import contextlib
import os
import random
import signal
import subprocess
import sys
import tempfile
import time
from collections import Counter
from pathlib import Path

from common.machine import machine
from common.results import Goal, save
from support.clusters.namespaces import settings_of, spec_of, two_namespaces
from support.command import descendants, start
from weft.measure.execute.host_settings import undo
from weft.measure.execute.host_settings.journal import folder

TRIALS = 50
KINDS = ("coordinator", "agent", "guard", "all", "stopped")
GUARD_WITHIN_S = 15.0
STEPS = 12
LONGEST_S = 4.0
"""A run takes about as long."""


def plan(chance: random.Random) -> str:
    """Steps that change random settings to random values."""
    values = {
        "mtu": lambda: chance.randrange(1300, 1500),
        "tx_queue_len": lambda: chance.randrange(100, 5000),
        "rps_cpus": lambda: chance.randrange(1, 4),
        "tcp_rmem": lambda: f"4096 131072 {chance.randrange(200_000, 9_000_000)}",
        "tcp_wmem": lambda: f"4096 16384 {chance.randrange(200_000, 9_000_000)}",
        "tcp_mtu_probing": lambda: chance.randrange(1, 3),
    }
    text = 'name = "restore"\ntitle = "Settings that change"\nlaunches = 1\n'
    for step in range(STEPS):
        chosen = chance.sample(sorted(values), chance.randrange(1, len(values) + 1))
        knobs = ", ".join(f'{name} = "{values[name]()}"' for name in chosen)
        text += f'[[steps]]\nname = "s{step}"\npattern = "pingpong"\nsizes = ["1 B"]\n'
        text += 'stop = { rule = "time", trial = "50 ms", trials = 2 }\n'
        text += f"options = {{ knobs = {{ {knobs} }} }}\n"
    return text


class Trial:
    """One run that is killed."""

    def __init__(self, names: tuple[str, str], kind: str, chance: random.Random) -> None:
        self.names, self.kind, self.chance = names, kind, chance

    def carry_out(self, place: Path) -> tuple[bool, bool, str]:
        """Whether anything was changed when it was killed; whether all is as before; and what put it back."""
        before = self._settings()
        (place / "plan.toml").write_text(plan(self.chance))
        running = start(
            "run", place / "plan.toml", "--on", spec_of(self.names), "--out", place / "r"
        )
        try:
            self._wait()
            was_changed = self._settings() != before
            self._kill(running)
            by = self._put_back(running, before)
            return was_changed, self._settings() == before, by
        finally:
            running.kill()
            running.communicate()

    def _wait(self) -> None:
        """To some moment; of most runs not before the first change, since starting takes longest."""
        if self.chance.random() < 0.8:
            deadline = time.monotonic() + 30
            while not any(folder().glob("*.jsonl")) and time.monotonic() < deadline:
                time.sleep(0.002)
        time.sleep(self.chance.uniform(0, LONGEST_S if self.chance.random() < 0.5 else 0.1))

    def _kill(self, running: subprocess.Popen[str]) -> None:
        """What there is of this kind; the coordinator where there is none yet."""
        below = descendants(running.pid)
        named = {"agent": "weft-probe", "guard": "weft-guard"}
        victims = [pid for pid, name in below if name.startswith(named.get(self.kind, "no"))]
        if self.kind == "all":
            everything = [running.pid, *(pid for pid, _ in below)]
            send(signal.SIGSTOP, everything)
            send(signal.SIGKILL, everything)
        elif self.kind == "stopped":
            send(signal.SIGSTOP, [running.pid])
        else:
            send(signal.SIGKILL, [self.chance.choice(victims)] if victims else [running.pid])

    def _put_back(self, running: subprocess.Popen[str], before: list[dict[str, str]]) -> str:
        if self.kind == "guard":
            # The others are there: the run goes on, and puts back what it has changed itself.
            with contextlib.suppress(subprocess.TimeoutExpired):
                running.communicate(timeout=60)
        deadline = time.monotonic() + (0 if self.kind == "all" else GUARD_WITHIN_S)
        while time.monotonic() < deadline:
            if self._settings() == before and (self.kind != "agent" or running.poll() is not None):
                break
            time.sleep(0.1)
        by = "weft or its guard" if self._settings() == before else "undo"
        running.kill()
        running.communicate()
        undo()
        return by

    def _settings(self) -> list[dict[str, str]]:
        return [settings_of(name) for name in self.names]


def send(sign: signal.Signals, pids: list[int]) -> None:
    for pid in pids:
        with contextlib.suppress(ProcessLookupError):
            os.kill(pid, sign)


def main() -> None:
    trials = int(sys.argv[1]) if len(sys.argv) > 1 else TRIALS
    seed = int(sys.argv[2]) if len(sys.argv) > 2 else 1
    print(machine(), flush=True)
    restored, changed, by_what = 0, 0, Counter[str]()
    with two_namespaces() as names, tempfile.TemporaryDirectory() as place:
        for trial in range(trials):
            kind, own = KINDS[trial % len(KINDS)], Path(place, str(trial))
            own.mkdir()
            os.environ["XDG_STATE_HOME"] = str(own / "state")
            one = Trial(names, kind, random.Random(f"{seed}-{trial}"))
            was_changed, is_restored, by = one.carry_out(own)
            restored, changed = restored + is_restored, changed + was_changed
            by_what[by] += was_changed
            said = "changed" if was_changed else "nothing changed yet"
            told = f"as before, by {by}" if is_restored else "NOT AS BEFORE"
            print(f"{trial + 1:3}  {kind:<12} {said:<20} {told}", flush=True)
    print(
        f"\nsettings as before: {restored} of {trials}; changed when killed: {changed}; {dict(by_what)}"
    )
    save(
        "restore",
        [
            Goal(f"settings as before after a kill, of {trials}", restored, at_least=trials),
            Goal("runs in which settings were changed at that moment", changed),
            Goal(
                "of these put back by weft or its guard, without undo", by_what["weft or its guard"]
            ),
        ],
    )


if __name__ == "__main__":
    main()
