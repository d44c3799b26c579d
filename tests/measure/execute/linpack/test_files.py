"""HPL's files: what it reads, and what it prints."""

import pytest

from support.paths import DATA
from support.refusals import refused
from weft.measure.execute.linpack.input_file import input_file
from weft.measure.execute.linpack.memory import check_memory
from weft.measure.execute.linpack.output import complaint, read_output
from weft.plan.load import load_plan
from weft.plan.pattern import Grid, Hpl

FLOPS = (2 / 3 * 2000 + 3 / 2) * 2000**2


def pattern_of(**settings: str) -> Hpl:
    found = load_plan("hpl", [(f"steps.hpl.{key}", value) for key, value in settings.items()])
    pattern = found.steps[0].pattern
    assert isinstance(pattern, Hpl)
    return pattern


def lines(name: str) -> list[str]:
    return (DATA / "linpack" / name).read_text().splitlines()


def test_a_right_solution_is_read_with_a_time_that_is_not_rounded() -> None:
    found = read_output(lines("xhpl.txt"), FLOPS)
    assert found and found.is_right and found.n == 2000
    assert found.residual == 0.0036063
    # HPL prints 1.98 s and 2.701 GFlop/s.
    assert found.elapsed_s == pytest.approx(1.98, abs=0.005)
    assert found.gflops == 2.701


def test_a_wrong_solution_is_told_from_a_right_one() -> None:
    found = read_output(lines("wrong.txt"), FLOPS)
    assert found and not found.is_right


def test_a_residual_that_is_no_number_is_wrong() -> None:
    text = [
        line.replace("0.0036063 ...... PASSED", "nan ...... FAILED") for line in lines("xhpl.txt")
    ]
    found = read_output(text, FLOPS)
    assert found and not found.is_right and found.residual != found.residual


def test_a_time_without_its_residual_is_no_solution() -> None:
    assert read_output([line for line in lines("xhpl.txt") if "||" not in line], FLOPS) is None
    assert read_output([], FLOPS) is None


def test_the_words_of_hpl_are_found() -> None:
    said = ["", "HPL ERROR from process # 0, on line 438 of function HPL_pdinfo:"]
    said += [">>> Need at least 4 processes for these tests <<<", ""]
    assert complaint(said).endswith("HPL_pdinfo: >>> Need at least 4 processes for these tests <<<")
    assert complaint(lines("xhpl.txt")) == ""


def test_the_input_has_a_value_on_each_line_that_hpl_reads() -> None:
    pattern = pattern_of(n="20000", nb="160", bcast="2rM", depth="1", swap="long", pfact="crout")
    text = input_file(pattern, Grid(4, 8)).splitlines()
    values = [line.split()[0] for line in text[2:31]]
    assert values[3:14] == ["20000", "1", "160", "0", "1", "4", "8", "16.0", "1", "1", "1"]
    assert values[14:29] == [
        "4",
        "1",
        "2",
        "1",
        "1",
        "1",
        "3",
        "1",
        "1",
        "1",
        "64",
        "0",
        "0",
        "1",
        "8",
    ]


def test_a_matrix_that_nodes_cannot_hold_is_refused_with_what_they_can() -> None:
    pattern = pattern_of(n="40000")
    check_memory("hpl", pattern, 4, 4 * 10**9, are_one=False)
    with refused(
        "n = 40,000 takes 3.20 GB on each of 4 nodes for its matrix alone, and the smallest of them has 3.00 GB"
    ):
        check_memory("hpl", pattern, 4, 3 * 10**9, are_one=False)
    with refused("this machine has for all of them 12.0 GB free"):
        check_memory("hpl", pattern, 4, 12 * 10**9, are_one=True)
