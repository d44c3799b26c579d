"""Tools that run beside a plan, on the same nodes."""

import shutil
from pathlib import Path

import pytest

from support.here import weft, weft_json
from weft.base.errors import RequestError
from weft.measure.tools import check_tool
from weft.plan.load import load_plan


@pytest.mark.timed
@pytest.mark.skipif(shutil.which("NPtcp") is None, reason="apt-get install netpipe-tcp")
def test_the_real_netpipe_is_a_run_beside_wefts(tmp_path: Path) -> None:
    asked = ("run", "netpipe", "--tool", "NPtcp", "--set", "steps.pingpong.sizes.max=3 B")
    done = weft(*asked, "--on", "lab:pair", "--out", tmp_path / "np")
    assert done.returncode == 0, done.stderr
    own, other = (weft_json("show", tmp_path / name) for name in ("np", "np-NPtcp"))
    assert [one["size_bytes"] for one in other["points"]] == [1, 2, 3]
    assert {"n1", "n2"} == {node["name"] for node in other["nodes"]} and own["status"] == "complete"


def test_what_no_tool_measures_is_refused_before_the_run() -> None:
    with pytest.raises(RequestError, match="nothing can be started on sim:pair"):
        check_tool("NPtcp", load_plan("netpipe"), "sim:pair")
    with pytest.raises(RequestError, match="aapc has no ping-pong"):
        check_tool("NPtcp", load_plan("aapc"), "lab:pair")
