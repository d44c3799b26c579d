"""Does damaged input end in one message?

Damaged run folders, plans, fabrics, machines, host files and other tools' results, each read by commands.

usage: bench/run.py fuzz [--mutations N] [--seed N] [SUBJECT...]

Keys are removed, values get other types, files are cut, bits flipped, pipes and folders put in the place of files. A
command must end with 0, or with 1 or 2 and one message (with --json one document), never with a traceback, a hang or
more than 2 GB, or 10 s of a processor. Frames of agents are damaged, too. The tests do the same with 300 mutations of
each; each failure is printed with its seed.

Takes ten minutes.
"""

from __future__ import annotations

import argparse
import json
import shutil
import time
from collections.abc import Callable, Iterator
from dataclasses import dataclass
from pathlib import Path
from random import Random
from tempfile import TemporaryDirectory

from common.checkout import ROOT
from common.frames import frame_failures
from common.inprocess import complaint
from common.mutation import change_file, remove
from common.results import Goal, save
from weft.base import catalog

DATA = ROOT / "tests" / "data"
MUTATIONS = 800
LONGEST_CPU_S = 10
MAKING_S = 300
"""So long the sound files may take."""
HOSTS = """
agent = "/opt/weft-probe"
ports = "7000-7100"
launcher = "ssh"
[[nodes]]
ids = "n[1-4]"
login = "me@{id}"
address = "127.0.0.1"
[groups]
rack1 = "n[1-2]"
"""
RUNS = {
    "pair": ("signature", "sim:pair"),
    "ensemble": ("aapc", "sim:fat-tree-16"),
    "xray": ("xray", "sim:fat-tree-16"),
    "node": ("gamma-sweep", "node:p4-400-base", "--gamma", "0:1:0.5"),
    "sampled": ("alltoall", "sim:two-racks(rows=4)"),
}
"""Run folders, by what there is in them."""
IMPORTS = {
    "netpipe": "np3.7.2.np.out",
    "iperf3": "iperf3_tcp.json",
    "osu": "osu_latency_7.4.txt",
    "imb": "imb_mpi1.txt",
    "sockperf": "sockperf_pp.txt",
    "qperf": "qperf_0.4.11.txt",
    "ucx": "ucx_1.13_latency.txt",
    "netgauge": "ng_loggp.stdout",
    "fping": "fping_5.1_C.txt",
    "neper": "neper_tcp_rr.txt",
    "mpigraph": "mpigraph.out",
}
PROBES = (
    "ping_20221126_D.txt",
    "fping_5.1_D.txt",
    "fping_5.1_C.txt",
    "owping_5.2.3_R.txt",
    "smokeping_2.7.3.xml",
    "smokeping_2.7.3_fetch.txt",
    "published/pscheduler_latency.json",
    "published/pscheduler_archived.jsonl",
    "probes.csv",
)
READERS = (
    *(["show", "{0}", "--json"],) * 6,
    *(["show", "{0}"], ["diagnose", "{0}", "--json"], ["diagnose", "{0}"]) * 3,
    *(["compare", "{0}", "{1}", "--json"], ["compare", "{1}", "{0}"]) * 3,
    ["export", "{0}", "netpipe", "--json"],
    ["fit", "{0}", "--model", "hockney", "--json"],
    ["fit", "{0}", "--model", "laws", "--json"],
    ["trace", "{0}", "--size", "1048576", "--out", "{2}/trace.json"],
    ["fabric", "export", "fat-tree-16", "dot", "--run", "{0}"],
    ["run", "--resume", "{0}", "--json"],
    ["report", "{0}", "--out", "{2}/page.html"],
)
DRY = ("--dry-run", "--json")
SITES = """
[[sites]]
name = "a"
on = "local:2"
address = "127.0.0.1"
[[sites]]
name = "b"
address = "127.0.0.2"
[watch]
interval = "1 s"
sizes = ["8 B", "1 kB"]
"""


@dataclass(frozen=True)
class Subject:
    """Files to damage, and commands that read them: {0} is the damaged, {1} the sound, {2} a folder to write to."""

    make: Callable[[Path], list[Path]]
    commands: Callable[[str], tuple[list[str], ...]]


def _runs(folder: Path) -> list[Path]:
    for name, (plan, testbed, *more) in RUNS.items():
        out = folder / name
        failure = complaint(["run", plan, "--on", testbed, *more, "--out", str(out)], MAKING_S)
        assert not failure and (out / "run.json").exists(), failure
    _add_events(folder / "ensemble" / "run.json")
    imported = folder / "imported"
    assert not complaint(
        ["import", "netpipe", str(DATA / IMPORTS["netpipe"]), "--out", str(imported)]
    )
    return [*(folder / name for name in RUNS), imported]


def _add_events(path: Path) -> None:
    """What agents leave in run.json besides."""
    document = json.loads(path.read_text())
    at = {"step": 0, "launch": 0, "phase": 1}
    counts = dict.fromkeys(("sent", "received", "duplicated", "reordered", "overrun"), 7)
    document |= {
        "lost": [{"node": "n1", "reason": "killed"} | at],
        "incomplete": [{"nodes": ["n1"], "reason": "without n1"} | at],
        "effective": [{"step": 0, "launch": 0, "node": "n2", "settings": {"nodelay": True}}],
        "timing": [{"node": "n1", "clock_read_ns": 20.5, "loop_ns": 30}],
        "clocks": [{"node": "n1", "offset_ns": 5000, "error_ns": 40}],
        "deliveries": [at | counts | {"jitter_ns": 3, "sending_ns": 9000}],
    }
    document["nodes"][0]["facts"] = {"kernel": "6.8.0", "cpus": 2}
    path.write_text(json.dumps(document))


def _catalogue(kind: str) -> Callable[[Path], list[Path]]:
    def make(folder: Path) -> list[Path]:
        return [
            Path(shutil.copy(path, folder)) for path in sorted(catalog.folder(kind).glob("*.toml"))
        ]

    return make


def _hosts(folder: Path) -> list[Path]:
    (folder / "hosts.toml").write_text(HOSTS)
    return [folder / "hosts.toml"]


def _results(folder: Path) -> list[Path]:
    return [
        Path(shutil.copy(DATA / file, folder / f"{tool}.out")) for tool, file in IMPORTS.items()
    ]


def _probes(folder: Path) -> list[Path]:
    return [Path(shutil.copy(DATA / file, folder)) for file in PROBES]


def _sites(folder: Path) -> list[Path]:
    (folder / "sites.toml").write_text(SITES)
    return [folder / "sites.toml"]


def _platforms(folder: Path) -> list[Path]:
    return [Path(shutil.copy(path, folder)) for path in sorted((DATA / "simgrid").glob("*.xml"))]


def _watches(folder: Path) -> list[Path]:
    out = folder / "watch"
    probes = str(DATA / "ping_20221126_D.txt")
    assert not complaint(["watch", "replay", probes, "--out", str(out)])
    return [out]


def _twins(folder: Path) -> list[Path]:
    run, twin = str(folder / "run"), folder / "twin"
    assert not complaint(["run", "xray", "--on", "sim:fat-tree-16", "--out", run], MAKING_S)
    assert not complaint(["twin", "make", run, "--out", str(twin)], MAKING_S)
    return [twin]


SUBJECTS = {
    "runs": Subject(_runs, lambda name: READERS),
    "plans": Subject(
        _catalogue("plan"), lambda name: (["run", "{0}", "--on", "sim:two-racks", *DRY],)
    ),
    "fabrics": Subject(
        _catalogue("fabric"),
        lambda name: (
            ["fabric", "show", "{0}", "--json"],
            ["fabric", "export", "{0}", "simgrid"],
            ["run", "latency", "--on", "sim:{0}", *DRY],
        ),
    ),
    "machines": Subject(
        _catalogue("machine"), lambda name: (["run", "latency", "--on", "node:{0}", *DRY],)
    ),
    "hosts": Subject(_hosts, lambda name: (["run", "latency", "--on", "hosts:{0}", *DRY],)),
    "sites": Subject(_sites, lambda name: (["watch", "install", "{0}", "--out", "{2}/w", *DRY],)),
    "designs": Subject(
        _catalogue("decision"),
        lambda name: (["decide", "{0}", "--out", "{2}/d", "--list", "--json"],),
    ),
    "platforms": Subject(
        _platforms,
        lambda name: (
            ["fabric", "show", "{0}", "--json"],
            ["run", "latency", "--on", "sim:{0}", *DRY],
        ),
    ),
    "watches": Subject(
        _watches, lambda name: (["watch", "show", "{0}", "--json"], ["watch", "status", "{0}"])
    ),
    "twins": Subject(
        _twins,
        lambda name: (
            ["twin", "show", "{0}", "--json"],
            ["what-if", "{0}", "links.backplane.rate*=2", "--json"],
        ),
    ),
    "imports": Subject(
        _results, lambda name: (["import", name, "{0}", "--out", "{2}/imported", "--json"],)
    ),
    "probes": Subject(
        _probes,
        lambda name: (
            [
                *("watch", "replay", "{0}", "--out", "{2}/links", "--json"),
                *("--start", "2026-11-24T04:00"),
            ],
        ),
    ),
}


def failures(name: str, mutations: int, seed: int, folder: Path) -> Iterator[str]:
    """Damage the files of a subject so often, one at a time; what went wrong, with the command."""
    made = folder / "sound"
    made.mkdir(parents=True)
    subject = SUBJECTS[name]
    sound = subject.make(made)
    for number in range(seed, seed + mutations):
        chance = Random(number)
        one = chance.choice(sound)
        damaged, out = folder / one.name, folder / "out"
        shutil.copytree(one, damaged) if one.is_dir() else shutil.copy(one, damaged)
        out.mkdir()
        change_file(_file_of(damaged, chance), chance)
        command = [
            word.format(damaged, one, out) for word in chance.choice(subject.commands(one.stem))
        ]
        began = time.process_time()
        why = complaint(command)
        took_s = time.process_time() - began
        if why or took_s > LONGEST_CPU_S:
            why = why or f"took {took_s:.1f} s of a processor"
            yield f"{name}, seed {number}: weft {' '.join(command)}\n{why}"
        remove(damaged)
        remove(out)


def _file_of(damaged: Path, chance: Random) -> Path:
    """run.json more often than any table."""
    if not damaged.is_dir():
        return damaged
    files = sorted(one for one in damaged.rglob("*") if one.is_file())
    main = damaged / ("twin.json" if (damaged / "twin.json").exists() else "run.json")
    return chance.choice([main, main, chance.choice(files)])


def _of_frames(count: int, seed: int) -> Goal:
    found = frame_failures(count, seed)
    print(f"frames: {len(found)} of {count} ended as they must not", *found, sep="\n")
    return Goal(
        f"frames of agents: of {count} that ended otherwise than they must", len(found), at_most=0
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--mutations", type=int, default=MUTATIONS)
    parser.add_argument("--seed", type=int, default=10**6)
    parser.add_argument("subjects", nargs="*", default=list(SUBJECTS), metavar="SUBJECT")
    asked = parser.parse_args()
    goals = []
    if list(asked.subjects) == list(SUBJECTS):
        goals.append(_of_frames(asked.mutations, asked.seed))
    for name in asked.subjects:
        with TemporaryDirectory() as folder:
            found = list(failures(name, asked.mutations, asked.seed, Path(folder)))
        print(f"{name}: {len(found)} of {asked.mutations} commands ended as they must not")
        print(*found, sep="\n\n")
        what = f"{name}: commands of {asked.mutations} that ended with a traceback or hung"
        goals.append(Goal(what, len(found), at_most=0))
    save("fuzz", goals)


if __name__ == "__main__":
    main()
