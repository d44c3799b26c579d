"""`weft machine fit`: what a machine was made of is found again from what it gives, and wrong files are told."""

from collections.abc import Sequence
from pathlib import Path

import numpy as np
import pytest

from support.here import refusal, weft, weft_json
from support.made.computed import compute
from weft.base import catalog
from weft.network.model.machine_text import value_of, with_values
from weft.simulation.calibrate.fit import MachineFit, fit_machine, read_free
from weft.simulation.calibrate.simulated import MachineFile, SimulatedQuantity
from weft.simulation.calibrate.values import read_values

FILE = MachineFile(catalog.read(catalog.find("machine", "p4-400")), "p4-400")
TRUTH = {"costs.protocol": "800", "costs.copy_accesses_per_byte": "0.5"}
FREE = """
[free]
"costs.protocol" = [100, 5000]
"costs.copy_accesses_per_byte" = [0.1, 2]
"""
QUESTIONS = (
    ("latency", "base", "1 B"),
    ("latency", "onload", "64 B"),
    ("rate", "base", "256 KiB"),
    ("stream", "base", "64 KiB"),
    ("interrupts", "onload", "64 KiB"),
)
Questions = Sequence[tuple[str, str, str]]
UNITS = {"latency": "us", "rate": "Mb/s", "stream": "Mb/s", "interrupts": ""}
WORTH = {"us": 1e-6, "Mb/s": 1e6, "": 1.0}


def values_file(
    folder: Path, free: str = FREE, noise: float = 0.0, questions: Questions = QUESTIONS
) -> Path:
    """What a machine of other costs gives, as if it had been measured."""
    truth = MachineFile(with_values(FILE.text, TRUTH, {}), "truth")
    random, text = np.random.default_rng(3), free
    path = folder / "values.toml"
    for quantity, placement, size in questions:
        head = f'[[values]]\nquantity = "{quantity}"\nplacement = "{placement}"\nsize = "{size}"\n'
        path.write_text(f"{head}measured = 1{'' if quantity == 'interrupts' else '000000'}\n")
        unit = UNITS[quantity]
        path.write_text(head + f'measured = "1 {unit}"\n')
        (value,) = read_values(str(path)).values
        measured = truth.answer(value.question, {}) * float(np.exp(noise * random.normal()))
        text += f'{head}measured = "{measured / WORTH[unit]:.6f} {unit}"\nerror = "2 %"\n'
    path.write_text(text)
    return path


def fitted(path: Path) -> MachineFit:
    given = read_values(str(path))
    return fit_machine(FILE, read_free(FILE, given), given.values)


def test_the_costs_that_made_the_values_are_found_within_their_intervals(tmp_path: Path) -> None:
    found = fitted(values_file(tmp_path, noise=0.01))
    assert not found.unidentified
    for one in found.estimates:
        truth = float(TRUTH[one.name])
        assert one.low is not None and one.high is not None
        assert one.low < truth < one.high
        assert one.value == pytest.approx(truth, rel=0.1)
    assert max(abs(one.error_pct) for one in found.values) < 5


def test_keys_that_only_show_together_are_told(tmp_path: Path) -> None:
    free = 'free = ["costs.protocol", "costs.softirq"]\n'
    found = fitted(values_file(tmp_path, free, questions=QUESTIONS[:2]))
    assert found.unidentified
    ((one, other, correlation),) = found.trade_offs
    assert {one, other} == {"costs.protocol", "costs.softirq"}
    assert abs(correlation) > 0.95


def test_the_command_writes_a_machine_that_gives_what_was_fitted(tmp_path: Path) -> None:
    out = tmp_path / "mine.toml"
    path = values_file(tmp_path)
    told = weft_json("machine", "fit", "p4-400", path, "--out", out)
    by_name = {one["name"]: one for one in told["parameters"]}
    assert by_name["costs.protocol"]["identified"]
    assert float(by_name["costs.protocol"]["value"]) == pytest.approx(800, rel=0.02)
    assert "fitted: " in out.read_text()
    assert out.read_text().count("\n") == FILE.text.count("\n")
    written = MachineFile(out.read_text(), "mine")
    for value, row in zip(read_values(str(path)).values, told["values"], strict=True):
        assert written.answer(value.question, {}) == pytest.approx(row["predicted"], rel=1e-3)
    again = weft("machine", "fit", "p4-400", path, "--out", out)
    assert again.returncode == 2 and "exists already" in again.stderr
    nowhere = tmp_path / "gone" / "mine.toml"
    assert "no such folder" in refusal("machine", "fit", "p4-400", path, "--out", nowhere)


def test_a_run_is_a_measured_curve(tmp_path: Path) -> None:
    run = tmp_path / "run"
    on = "node:p4-400-base(costs.protocol=2000)"
    done = weft_json("run", "latency", "--on", on, "--out", run)
    assert done["status"] == "complete"
    path = tmp_path / "values.toml"
    path.write_text('free = ["costs.protocol"]\n[[runs]]\nrun = "run"\nplacement = "base"\n')
    given = read_values(str(path))
    assert 2 < len(given.values) <= 8
    (found,) = fit_machine(FILE, read_free(FILE, given), given.values).estimates
    assert found.value == pytest.approx(2000, rel=0.02)


def test_a_value_over_mpi_is_the_library_s(tmp_path: Path) -> None:
    path = tmp_path / "values.toml"
    compute(tmp_path / "run", "latency", "node:p4-400-base", steps__pingpong__transport='"mpi"')
    path.write_text(ONE + ONE + 'mpi = "mpich"\n[[runs]]\nrun = "run"\nplacement = "base"\n')
    plain, mpich, *of_run = read_values(str(path)).values
    assert FILE.answer(mpich.question, {}) > 1.1 * FILE.answer(plain.question, {})
    assert of_run and {one.question.mpi for one in of_run} == {"openmpi"}
    for one in of_run:
        assert FILE.answer(one.question, {}) == pytest.approx(one.measured, rel=1e-3)


def test_values_in_arrays_of_tables_and_with_units_are_found_and_replaced() -> None:
    keys = {"processors.nic.clock": "200 MHz", "memory.caches.L2.ways": "4", "nic.ring": "64 KiB"}
    text = with_values(FILE.text, keys, {"nic.ring": "less"})
    assert {key: str(value_of(text, key)) for key in keys} == keys
    assert 'ring = "64 KiB" # less' in text
    assert value_of(text, "processors.cpu0.clock") == "400 MHz"


def test_what_a_placement_gives_itself_is_not_fitted_there() -> None:
    text = FILE.text.replace(
        "[placements]",
        '[placements]\nown = { interrupt = "cpu0", driver = "cpu0", protocol = "cpu0", '
        'copy = "cpu0", application = "cpu0", with = { costs = { protocol = 3000 } } }',
    )
    file = MachineFile(text, "own")
    own, base = (SimulatedQuantity("latency", "1 B", name) for name in ("own", "base"))
    keys = {"costs.protocol": "9000"}
    assert file.answer(own, keys) == file.answer(own, {})
    written = MachineFile(with_values(text, keys, {}), "written")
    for question in (own, base):
        assert file.answer(question, keys) == written.answer(question, {})


ONE = '[[values]]\nquantity = "latency"\nplacement = "base"\nmeasured = "68 us"\n'
WRONG = {
    "costs.protocl": ('free = ["costs.protocl"]\n' + ONE, "costs.protocl is not in the machine's"),
    "no values": ('free = ["costs.protocol"]\n', "no values"),
    "a rate for a time": (
        'free = ["costs.protocol"]\n' + ONE.replace("68 us", "68 Mb/s"),
        "values[0].measured = '68 Mb/s': not a time",
    ),
    "another unit": (
        'free = { "nic.coalesce_time" = ["1 Mb/s", "2 Mb/s"] }\n' + ONE,
        "free.nic.coalesce_time = '1 Mb/s': not a time",
    ),
    "too many": (
        'free = ["costs.protocol", "costs.driver"]\n' + ONE,
        "1 values do not determine 2",
    ),
    "nothing free": (ONE, "no key is free"),
    "a text": ('free = ["nic.location"]\n' + ONE, "nic.location = 'io-bus': not a number"),
    "an unknown field": (
        'free = ["costs.protocol"]\n' + ONE + 'sise = "1 B"\n',
        "values[0].sise = '1 B': unknown key, did you mean \"size\"?",
    ),
    "an unknown quantity": (
        'free = ["costs.protocol"]\n' + ONE.replace('"latency"', '"speed"'),
        "values.toml:3: values[0].quantity = 'speed': unknown; known: interrupts",
    ),
    "an unknown placement": (
        'free = ["costs.protocol"]\n' + ONE.replace('"base"', '"bass"'),
        'no row "bass"',
    ),
    "an unknown key of a value": (
        'free = ["costs.protocol"]\n' + ONE + 'with = { "nic.mtu" = 1500 }\n',
        "unknown key",
    ),
}


@pytest.mark.parametrize("name", WRONG)
def test_wrong_files_are_refused_with_what_is_wrong(tmp_path: Path, name: str) -> None:
    text, told = WRONG[name]
    path = tmp_path / "values.toml"
    path.write_text(text)
    message = refusal("machine", "fit", "p4-400", path, "--out", tmp_path / "mine.toml")
    assert told in message
    assert not (tmp_path / "mine.toml").exists()
