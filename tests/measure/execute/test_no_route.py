"""A run on a network that does not connect its nodes says which, and leaves no folder."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.base.errors import RequestError
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.request import RunRequest, start_run

PLATFORM = Path(__file__).resolve().parents[2] / "data" / "simgrid" / "no_routes.xml"
PARTLY = """<platform version="4.1"><zone id="z" routing="Full">
<host id="h1" speed="1Gf"/><host id="h2" speed="1Gf"/><host id="h3" speed="1Gf"/>
<link id="l" bandwidth="1Gbps" latency="1us"/>
<route src="h1" dst="h2"><link_ctn id="l"/></route>
</zone></platform>"""


def test_a_run_without_any_route_is_refused_and_leaves_no_folder(tmp_path: Path) -> None:
    """Its zone that finds routes has none to find: it once was searched without end."""
    out = tmp_path / "runs" / "one"
    with pytest.raises(RequestError, match="no route from h1 to h2"):
        start_run(RunRequest("latency", f"sim:{PLATFORM}", RunOptions(out=out)))
    assert not out.parent.exists()


def test_a_run_with_some_routes_warns_of_the_others(tmp_path: Path) -> None:
    platform = tmp_path / "partly.xml"
    platform.write_text(PARTLY)
    run = start_run(RunRequest("aapc", f"sim:{platform}", RunOptions(out=tmp_path / "run")))
    assert run.meta.status == "partial"
    (said,) = (one.message for one in run.meta.warnings if one.code == "no-route")
    assert said.startswith("no route from h") and said.endswith(", and between 3 more pairs")
