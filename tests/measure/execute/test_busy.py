"""What is said of processors before a run, by two readings of /proc/stat."""

from __future__ import annotations

import pytest

from weft.measure.execute.busy import busy_text, times_of

BEFORE = "cpu  200 0 100 1700 0 0 0 0 0 0\ncpu0 100 0 50 850 0 0 0 0 0 0\ncpu1 100 0 50 850 0 0 0 0 0 0\nintr 5\n"
END = "; launches that this disturbs are marked"


def after(first: tuple[int, ...]) -> str:
    """Half a second later: the first spent it so (user, nice, system, idle, stolen), the other was idle."""
    user, nice, system, idle, stolen = first
    return (
        f"cpu  0 0 0 0 0 0 0 0 0 0\ncpu0 {100 + user} {nice} {50 + system} {850 + idle} 0 0 0 {stolen} 0 0\n"
        "cpu1 100 0 50 900 0 0 0 0 0 0\nintr 9\n"
    )


@pytest.mark.parametrize(
    ("first", "said"),
    [
        ((0, 0, 0, 50, 0), ""),
        ((20, 0, 5, 25, 0), f"not a quiet machine: processor 0 is 50 % busy{END}"),
        ((20, 0, 4, 26, 0), ""),
        ((0, 50, 0, 0, 0), ""),
        ((20, 0, 0, 5, 25), f"not a quiet machine: the hypervisor takes 50 % of processor 0{END}"),
        ((0, 0, 0, 45, 5), f"not a quiet machine: the hypervisor takes 10 % of processor 0{END}"),
    ],
    ids=["idle", "busy", "nearly", "what gives way", "stolen", "a little of it"],
)
def test_what_is_said(first: tuple[int, ...], said: str) -> None:
    assert busy_text(times_of(BEFORE), times_of(after(first))) == said
