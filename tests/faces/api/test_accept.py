"""Accepting a cluster from Python, and interrupts of what is computed."""

from collections.abc import Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

import weft
from base.test_table import check_alone
from support.refusals import refused
from weft.measure.execute.progress import Reporter
from weft.operate.acceptance.tables import verdicts_table


def test_an_acceptance_says_what_is_wrong(tmp_path: Path) -> None:
    found = weft.accept("sim:bad-cable", out=tmp_path / "a")
    assert found.passed is False and found.page.exists()
    wrong = [row for row in found.verdicts.rows() if row["status"] == "not met"]
    assert wrong and all(row["elements"] for row in wrong)
    element = found.faults[0].element
    assert "NOT accepted" in repr(found) and element in repr(found)
    assert found.runs["pairs"].status == "complete"
    check_alone(verdicts_table(found.found.verdicts))
    again = weft.resume_acceptance(found.folder)
    assert again.verdicts.to_arrow().equals(found.verdicts.to_arrow())
    with refused("already exists"):
        weft.accept("sim:bad-cable", out=tmp_path / "a")


class Impatient(Reporter):
    """Interrupts as soon as something was measured."""

    def advance(self, phases: int) -> None:
        raise KeyboardInterrupt


@contextmanager
def impatient(what: str) -> Iterator[Reporter]:
    yield Impatient()


def test_an_interrupt_ends_the_whole_acceptance(tmp_path: Path) -> None:
    out = tmp_path / "a"
    with pytest.raises(KeyboardInterrupt, match="weft accept --resume"):
        weft.accept("sim:two-racks", out=out, showing=impatient)
    assert weft.open(out / "pairs").status == "partial"
    assert not (out / "acceptance.json").exists() and not (out / "bisection").exists()
    assert weft.resume_acceptance(out).passed is True


def test_an_interrupt_of_a_simulation_says_so(tmp_path: Path) -> None:
    with pytest.raises(weft.Interrupted) as caught:
        weft.run("aapc", on="sim:two-racks", out=tmp_path / "run", reporter=Impatient())
    assert caught.value.run.status == "partial" and str(tmp_path) in str(caught.value)
    assert caught.value.run.resume().status == "complete"
