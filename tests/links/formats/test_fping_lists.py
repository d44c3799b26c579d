"""`fping -C` becomes series only with the time that it does not write."""

import pytest

from support.importing import DATA
from weft.base.errors import RequestError
from weft.links.formats.read import read_probes
from weft.links.formats.source import ProbeOptions


def test_lists_begin_where_the_user_says() -> None:
    start = ProbeOptions(start_s=1795482757.0, interval_s=0.3)
    _, found = read_probes(DATA / "fping_5.1_loss.txt", start)
    for one in found.series:
        assert one.start == 1795482757
        assert one.time_s[:3] == pytest.approx([0, 0.3, 0.6])
    assert sum(int(one.lost.sum()) for one in found.series) > 0


def test_lists_without_a_time_are_refused() -> None:
    with pytest.raises(RequestError, match="fping -C writes no times"):
        read_probes(DATA / "fping_5.1_C.txt", ProbeOptions())
