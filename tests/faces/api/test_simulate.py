"""Simulations from Python: in memory, with what a run in a folder has."""

import re
from pathlib import Path

import pytest

import weft
from support.made.computed import compute
from support.refusals import refused


def test_a_simulation_in_memory_is_what_a_run_in_a_folder_is(tmp_path: Path) -> None:
    stored = weft.open(compute(tmp_path / "run", "aapc", "sim:two-racks").directory)
    held = weft.simulate("aapc", weft.fabric("two-racks"))
    assert held.folder is None and held.status == "complete"
    for name in ("samples", "routes", "phases"):
        assert getattr(held, name).to_arrow().equals(getattr(stored, name).to_arrow()), name
    assert re.search(
        r"31 phases took .* ms, each route gets \d+ Mb/s; the slowest is n\d+ to n17", repr(held)
    )
    assert held.figures == stored.figures and "busiest-1" in held.figures
    assert not Path("aapc on two-racks").exists()


def test_plans_are_names_files_and_dictionaries(tmp_path: Path) -> None:
    text = 'name = "t"\ntitle = "t"\n[[steps]]\npattern = "pingpong"\nsizes = ["1 B", "1 KiB"]\n'
    text += "stop = { rule = 'count', repeats = 1, trials = 1 }\n"
    path = tmp_path / "plan.toml"
    path.write_text(text)
    stop = {"rule": "count", "repeats": 1, "trials": 1}
    step = {"pattern": "pingpong", "sizes": ["1 B", "1 KiB"], "stop": stop}
    plan = {"name": "t", "title": "t", "steps": [step]}
    found = [weft.simulate(one, "crossbar(hosts=2)") for one in (path, str(path), plan)]
    assert {tuple(one.points["size_bytes"]) for one in found} == {(1, 1024)}
    with refused("pings"):
        weft.simulate(plan | {"pings": 1}, "two-racks")
    with refused("plan: "):
        weft.simulate({"title": object()}, "two-racks")


def test_a_scaled_fabric_is_simulated_scaled() -> None:
    whole, tenth = (
        weft.simulate("aapc", weft.fabric("two-racks", scale=scale)).routes["rate_mbps"].max()
        for scale in (1.0, 0.1)
    )
    assert tenth == pytest.approx(whole / 10, rel=0.05)


def test_what_is_measured_is_not_simulated() -> None:
    with refused("lab:pair"):
        weft.simulate("aapc", "lab:pair")
    with refused("in memory cannot be resumed"):
        weft.simulate("netpipe", "node:p4-400-base").resume()
    with refused("too many to hold"):
        weft.simulate("aapc", "two-racks(rows=10)")
