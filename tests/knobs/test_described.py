"""Knobs as text: the page, and `weft explain`."""

from pathlib import Path

from support.here import refusal, weft, weft_json
from weft.knobs.described import page

ROOT = Path(__file__).resolve().parents[2]


def test_the_page_is_the_catalogue() -> None:
    assert (ROOT / "docs/knobs.md").read_text() == page()


def test_a_knob_is_explained_with_what_it_may_disturb() -> None:
    lines = weft("explain", "netdev_max_backlog").stdout.splitlines()
    assert lines[0].startswith("netdev_max_backlog: packets queued per CPU ")
    assert "  read:        /proc/sys/net/core/netdev_max_backlog" in lines
    assert any(line.startswith("  may disturb: ") for line in lines)
    (one,) = weft_json("explain", "netdev_max_backlog")["knobs"]
    assert one["needs_root"] is True


def test_a_name_that_is_a_term_as_well_has_both() -> None:
    found = weft_json("explain", "mtu")
    assert len(found["knobs"]) == len(found["terms"]) == 1


def test_what_is_nearly_a_knob_is_guessed() -> None:
    assert "did you mean tcp_rmem" in refusal("explain", "tcp_rmen")
