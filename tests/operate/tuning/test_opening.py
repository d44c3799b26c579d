"""A pair whose path swallows large packets is tuned with small segments, and they are the first recommendation."""

from __future__ import annotations

from contextlib import nullcontext

import pytest

from weft.measure.execute.work_folder import WorkFolder
from weft.operate.tuning.choice import Have
from weft.operate.tuning.findings import without_which_nothing_works
from weft.operate.tuning.first_look import read_first_look
from weft.operate.tuning.opening import first_look
from weft.operate.tuning.request import COMMAND, TuneRequest


@pytest.mark.timed
def test_where_large_packets_are_lost_small_segments_are_needed(tmp_path):
    request = TuneRequest("lab:mtu-hole", str(tmp_path / "t"), patience_s=1.5)
    opening = first_look(WorkFolder(COMMAND, request), {"mss": Have()}, lambda _: nullcontext())
    assert opening.needed == {"mss": "1200 B"}
    look = read_first_look(opening.run)
    assert look.rate_mbps > 20
    [found] = without_which_nothing_works(opening, {}, look.interfaces, {"mss": "1360 B"})
    assert (found.knob, found.current, found.proposed) == ("mss", "the kernel's", "1360 B")
    assert found.text.endswith("without which nothing works")
    assert "messages of 64 KiB do not arrive" in found.evidence[0]
