"""The page of a tuning: recommendations first, and that there is none is said as plainly."""

from __future__ import annotations

import contextlib
import io
import re

import msgspec

from base.test_table import check_alone
from support.made.tuned import WINDOW, choice_of, raced, tuning_of
from weft.faces.cli.tables.tuning import print_tuning
from weft.operate.tuning.choice import NO_TIME, SkippedKnob
from weft.operate.tuning.page.page import TuningPage
from weft.operate.tuning.tables import candidates_table
from weft.runs.run_warnings import RunWarning

CANDIDATE = "tcp_rmem 4096 131072 8388608"
WON = raced(choice_of("tcp_rmem", values=("4096 131072 8388608",), why=WINDOW), CANDIDATE, 1.8)
LOST = raced(choice_of("congestion", values=("bbr", "reno")), None, 1.004)


def test_the_page_says_what_to_change_why_and_how_to_undo_it() -> None:
    html = TuningPage(tuning_of(WON, LOST), ["weft", "tune", "--on", "lab:long-fat"]).html()
    assert "1 recommendation<" in html and "at least 1.76 times as good (1.80, up to 1.84)" in html
    assert "84 % of the time before, 2 % after" in html
    assert "sysctl -w net.ipv4.tcp_rmem=&#39;4096 131072 8388608&#39;" in html
    assert "sysctl -w net.ipv4.tcp_rmem=&#39;4096 131072 262144&#39;" in html.split("To undo it")[1]
    assert html.count("<svg") == 2 and "congestion reno led, and was not confirmed" in html
    assert not re.search(r"<script|(?:src|href)=['\"](?!#|data:)", html)


def test_candidates_are_told_alike() -> None:
    table = candidates_table([WON, LOST])
    check_alone(table)
    assert table.values("ratio")[0] is None and table.values("race").count("congestion") == 3
    html = TuningPage(tuning_of(WON, LOST), ["weft", "tune"]).html()
    assert "Times as good" in html and "1.004" in html


def test_no_recommendation_is_an_answer() -> None:
    found = tuning_of(LOST)
    html = TuningPage(found, ["weft", "tune"]).html()
    assert "No recommendation" in html and "To undo it" not in html
    assert found.to_json()["recommendations"] == [] and found.to_json()["settings"] == {}


def test_json_has_all_of_the_races() -> None:
    document = tuning_of(WON, LOST).to_json()
    assert document["settings"] == {"tcp_rmem": "4096 131072 8388608"}
    assert document["recommendations"][0]["effect"]["low"] > 1.7
    assert [one["result"]["recommended"] for one in document["raced"]] == [True, False]


def test_errors_of_races_add_up() -> None:
    """One of a thousand in each, so that of twenty knobs, raced twice, 4 % are said."""
    found = tuning_of(WON, *[LOST] * 39)
    assert abs(found.to_json()["wrong_at_most"] - 0.04) < 1e-9
    said = "40 races: any recommends what is no better in 4 % of tunings at most"
    assert said in TuningPage(found, ["weft", "tune"]).html()


def test_what_had_too_few_blocks_is_named_as_undecided() -> None:
    found = tuning_of(raced(choice_of("congestion", values=("bbr", "reno")), None, 1.3))
    assert found.undecided == (
        "congestion reno was 1.30 times as good (1.27 to 1.33) in 12 blocks",
    )
    assert "give more --time" in found.verdict and not tuning_of(LOST).undecided


def test_too_short_a_time_is_named() -> None:
    found = msgspec.structs.replace(tuning_of(), skipped=(SkippedKnob("mtu", NO_TIME),))
    assert found.verdict == "no recommendation: --time was too short to try anything"


def test_what_races_warn_of_stands_beside_the_verdict() -> None:
    late = [
        RunWarning("lab-late", f"{share} % of the frames left late", "use --scale", f"t/{name}")
        for name, share in {"first-look": "3.1", "tcp_rmem": "40.6"}.items()
    ]
    found = msgspec.structs.replace(tuning_of(WON), warnings=tuple(late))
    doubt = "frames left the lab late (lab-late in first-look, tcp_rmem)"
    assert found.verdict.endswith(f"= 4096 131072 8388608; in doubt: {doubt}")
    document = found.to_json()
    assert document["doubts"] == [doubt] and document["warnings"][1]["run"] == "t/tcp_rmem"
    html = TuningPage(found, ["weft", "tune"]).html()
    warned = "2 runs (first-look, tcp_rmem): 3.1 to 40.6 % of the frames left late"
    assert f"in doubt: {doubt}." in html and html.count(warned) == 1
    printed = io.StringIO()
    with contextlib.redirect_stdout(printed):
        print_tuning(found)
    assert doubt in printed.getvalue().splitlines()[0] and warned in printed.getvalue()
    assert "Warnings of" not in TuningPage(tuning_of(WON), ["weft", "tune"]).html()
