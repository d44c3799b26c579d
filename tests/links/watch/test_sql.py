"""The queries of docs/watch-folder.md, on a real folder."""

import re
from pathlib import Path

import pytest

from support.made.watched import DAY_S, MONDAY_S, probes, record
from support.paths import CHECKOUT
from weft.links.watch.sites import Settings, Thinning
from weft.links.watch.store.store import Writer
from weft.links.watch.upkeep import Upkeep

PAGE = (CHECKOUT / "docs/watch-folder.md").read_text()


@pytest.fixture
def samples(tmp_path: Path) -> Path:
    """Two days of two links, of which the first is thinned."""
    writer = Writer.create(tmp_path / "watch", record())
    for day in (0, 1):
        for link in (0, 1):
            writer.append(probes(MONDAY_S + day * DAY_S, 7200, link, seed=2 * day + link))
    writer.close()
    thin = Settings(thin=Thinning(after_s=DAY_S))
    assert [one.what for one in Upkeep(tmp_path / "watch").step(thin, MONDAY_S + 2.5 * DAY_S)]
    return tmp_path / "watch" / "samples"


def test_the_three_queries(samples: Path) -> None:
    duckdb = pytest.importorskip("duckdb")
    queries = re.search(r"```sql\n(.*?)```", PAGE, re.DOTALL)
    assert queries
    text = queries[1].replace("runs/campus/samples", str(samples))
    by_link, by_hour, by_kind = (duckdb.sql(one).fetchall() for one in text.split(";")[:3])
    assert sorted((link, int(count)) for link, count, _ in by_link) == [(0, 14_400), (1, 14_400)]
    assert all(0.005 < lost < 0.015 for _, _, lost in by_link)
    assert len(by_hour) == 8
    assert all(1.3 < ms < 1.5 for link, _, ms in by_hour if link == 0)
    assert len(by_kind) == 8


def test_pyarrow_alone(samples: Path, capsys: pytest.CaptureFixture[str]) -> None:
    pytest.importorskip("pandas")
    code = re.search(r"```\n(import pyarrow.*?)```", PAGE, re.DOTALL)
    assert code
    exec(code[1].replace("runs/campus/samples", str(samples)), {})
    assert re.search(r"min +1\.3\d*e\+06", capsys.readouterr().out)
