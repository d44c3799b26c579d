"""Do the printed firewall rules suffice, and are all needed?

The rules that `weft ports` prints: a job passes with them and fails without any one, whose port is then named.

usage: bench/run.py ports [openmpi] [mpich] [srun]     (all when none is named)
tier: peers

Each runs four ranks (srun: two tasks) on the two hosts of lab:pair, which log into each other by a real sshd; Slurm is
a real munged, slurmctld and two slurmd. All else is dropped by nftables. Three times each. Needs root; takes
about 10 minutes.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import tempfile
from pathlib import Path

from common.checkout import PEER_SOURCES
from common.machine import machine
from common.results import Goal, save
from weft.operate.job_ports.ask import PortsAnswer, PortsQuestion, ask

PORTS = "40000-40063"
SRUN_PORTS = "40000-40015"
REPEATS = 3
KINDS = ("openmpi", "mpich", "srun")
HOSTS = {"openmpi": ["--host", "n1:2,n2:2"], "mpich": ["-hosts", "n1:2,n2:2"]}
SOURCE = PEER_SOURCES / "ports_job.c"
SLURM = """ClusterName=weft
SlurmctldHost=n1
SlurmUser=root
AuthType=auth/munge
AuthInfo=socket={folder}/munge.sock
CredType=cred/munge
StateSaveLocation={folder}/state
SlurmdSpoolDir={folder}/spool-%n
SlurmctldPidFile={folder}/slurmctld.pid
SlurmdPidFile={folder}/slurmd-%n.pid
ProctrackType=proctrack/linuxproc
TaskPlugin=task/none
MpiDefault=none
ReturnToService=2
SlurmdParameters=config_overrides
KillWait=1
SrunPortRange={ports}
NodeName=n[1-2] CPUs=1
PartitionName=debug Nodes=ALL Default=YES MaxTime=INFINITE State=UP
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])  # type: ignore[union-attr]
    parser.add_argument("kinds", nargs="*", help=", ".join(KINDS))
    print(machine())
    for kind in parser.parse_args().kinds or KINDS:
        with tempfile.TemporaryDirectory() as folder:
            question = srun(Path(folder)) if kind == "srun" else mpi(kind, Path(folder))
            save("ports", judge(kind, [ask(question) for _ in range(REPEATS)]), kind)


def mpi(kind: str, folder: Path) -> PortsQuestion:
    program = folder / "exchange"
    subprocess.run([f"mpicc.{kind}", "-o", str(program), str(SOURCE)], check=True)
    command = (f"mpirun.{kind}", "-n", "4", *HOSTS[kind], str(program))
    return PortsQuestion(command=command, on="lab:pair", ports=PORTS, check=True, each=True)


def srun(folder: Path) -> PortsQuestion:
    (folder / "slurm.conf").write_text(SLURM.format(folder=folder, ports=SRUN_PORTS))
    (folder / "munge.key").write_bytes(os.urandom(1024))
    (folder / "munge.key").chmod(0o400)
    for name in ("state", "spool-n1", "spool-n2"):
        (folder / name).mkdir()
    os.environ["SLURM_CONF"] = str(folder / "slurm.conf")
    files = {"socket": "sock", "key-file": "key", "pid-file": "pid", "log-file": "log"}
    files |= {"seed-file": "seed"}
    options = " ".join(f"--{name}={folder}/munge.{end}" for name, end in files.items())
    services = (
        f"n1: munged --foreground --force {options}",
        f"n1: sh -c 'until test -S {folder}/munge.sock; do sleep 0.1; done; exec slurmctld -D -i'",
        f"*: sh -c 'until test -S {folder}/munge.sock; do sleep 0.1; done; exec slurmd -D -N {{node}}'",
    )
    return PortsQuestion(
        command=("srun", "-N", "2", "-n", "2", "hostname"),
        on="lab:pair",
        ports=PORTS,
        check=True,
        each=True,
        services=services,
        ready='scancel --user=root; test "$(sinfo -h -t idle -o %D)" = 2',
    )


def judge(kind: str, answers: list[PortsAnswer]) -> list[Goal]:
    for answer in answers:
        print_one(kind, answer)
    verdicts = [one.verdict for one in answers if one.verdict]
    without = [one for answer in answers for one in answer.without]
    count = len(answers[0].rules)
    of = f"of {count} rules, {REPEATS} times"
    failed = sum(not one.passed for one in without)
    named = sum(not one.passed and one.names_the_rule for one in without)
    again = sum(one.runs - 1 for one in [*verdicts, *without])
    return [
        Goal(
            f"{kind}: passes with the rules, of {REPEATS} times",
            sum(one.passed for one in verdicts),
            at_least=REPEATS,
        ),
        Goal(f"{kind}: fails without one, {of}", failed, at_least=count * REPEATS),
        Goal(f"{kind}: names the port, {of}", named, at_least=count * REPEATS),
        Goal(f"{kind}: runs that failed though nothing was dropped", again),
    ]


def print_one(kind: str, answer: PortsAnswer) -> None:
    load = os.getloadavg()[0]
    print(
        f"\n{kind}: status {answer.usage.status} after {answer.usage.seconds:.1f} s, load {load:.1f}"
    )
    for one in [answer.verdict, *answer.without] if answer.verdict else []:
        what = f"without {one.without.text}" if one.without else f"all {len(answer.rules)} rules"
        refused = "; ".join(each.text for each in one.refused) or "nothing"
        how = "passes" if one.passed else "fails"
        print(f"  {what}: {how} in run {one.runs}, {one.seconds:.1f} s, missing {refused}")


if __name__ == "__main__":
    main()
