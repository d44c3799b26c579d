"""What folders of accept, tune and watch, and runs of pairs, lead to."""

from __future__ import annotations

from pathlib import Path

import msgspec
import pytest

from support.here import weft_json
from support.made.evidence import add_evidence
from support.made.explained import BUSY, SIZES, STREAM, a_run, even, noise_counters
from support.made.probes import MONDAY, lose, probes
from support.made.searched import search
from support.made.tuned import WINDOW, choice_of, raced, tuning_of
from support.plans import a_step
from support.refusals import refused
from weft.decisions.recommendations.action import AcceptanceCheck, ByHand, PlanCheck
from weft.decisions.recommendations.folder import write_folder
from weft.decisions.recommendations.judging import JudgingRequest
from weft.decisions.recommendations.recommend import recommend
from weft.decisions.recommendations.recommendations import RecommendationList
from weft.decisions.recommendations.verify import VerifyRequest, verify
from weft.links.watch.store.importing import write_watch
from weft.measure.execute.progress import silent
from weft.operate.tuning.request import TuneRequest
from weft.operate.tuning.tuning import TuningResult
from weft.plan.plan import Options
from weft.runs.work_document import write_json

RMEM = raced(
    choice_of("tcp_rmem", values=("4096 131072 8388608",), why=WINDOW),
    "tcp_rmem 4096 131072 8388608",
    1.8,
)
LOST = raced(choice_of("congestion", values=("bbr", "reno")), None, 1.004)


def of(*folders: Path, twin: str | None = None) -> RecommendationList:
    return recommend(list(map(str, folders)), JudgingRequest(twin))


def tuned(folder: Path, found: TuningResult) -> Path:
    write_json(folder / "request.json", TuneRequest("lab:long-fat", str(folder)))
    write_json(
        folder / "tuning.json",
        msgspec.json.decode(msgspec.json.encode(found.to_json(), enc_hook=str)),
    )
    return folder


def test_a_setting_that_won_is_kept_with_what_it_brought(tmp_path: Path) -> None:
    (one,) = of(tuned(tmp_path / "tune", tuning_of(RMEM, LOST))).actions
    assert (one.id, one.kind) == ("set-tcp_rmem-n1-n2", "tune")
    assert one.effect and one.effect.basis == "measured" and one.effect.ratio.low > 1.7
    assert any("sysctl" in command for command in one.commands)
    assert isinstance(one.checks[0], ByHand)


def test_a_tuning_without_a_winner_is_nothing_to_do(tmp_path: Path) -> None:
    found = of(tuned(tmp_path / "tune", tuning_of(LOST)))
    assert not found.actions and "nothing that was tried is better" in found.verdict


@pytest.fixture(scope="module")
def accepted(tmp_path_factory: pytest.TempPathFactory) -> Path:
    folder = tmp_path_factory.mktemp("accept") / "a"
    weft_json("accept", "--on", "sim:bad-cable", "--out", str(folder), status=1)
    return folder


def test_faults_of_an_acceptance_are_mended_and_accepted_again(
    accepted: Path, tmp_path: Path
) -> None:
    found = of(accepted, twin="bad-cable")
    (one,) = found.actions
    assert one.id == "link-n7" and one.effect and one.effect.ratio.low > 5
    assert "likely" in one.do and isinstance(one.checks[-1], AcceptanceCheck)
    write_folder(found, tmp_path / "advice")
    request = VerifyRequest(str(tmp_path / "advice"), one.id, str(tmp_path / "v"), "sim:bad-cable")
    shown = verify(request, silent).shown
    assert {each.outcome for each in shown if each.predicted is None} == {"still there"}


def test_an_acceptance_and_a_search_agree(accepted: Path) -> None:
    (one,) = of(search("bad-cable"), accepted, twin="bad-cable").actions
    assert "sends and receives 9.15" in one.do
    assert {type(each) for each in one.checks} == {PlanCheck, AcceptanceCheck}


def test_outages_are_told_by_cause_with_the_time_that_they_took(tmp_path: Path) -> None:
    day = 86400
    there = lose(probes(2 * day, step_s=10), 3600, 7200)
    back = probes(2 * day, src="b", dst="a", step_s=10)
    write_watch(tmp_path / "links", [there, back], "ping")
    (one,) = of(tmp_path / "links").actions
    assert one.kind == "fix" and one.nodes == ("a", "b") and "1 time, 3600 s" in one.do
    assert one.effect and one.effect.workload == "availability of a -> b"
    assert one.effect.ratio.median == pytest.approx(48 / 47, rel=0.001)


def test_a_short_outage_is_not_worth_a_recommendation(tmp_path: Path) -> None:
    there = lose(probes(2 * 86400, step_s=10), 3600, 3660)
    write_watch(tmp_path / "links", [there], "ping")
    found = of(tmp_path / "links")
    assert not found.actions and "1 outage" in found.verdict


def test_busy_hours_are_to_be_avoided(tmp_path: Path) -> None:
    series = probes(8 * 86400, sizes=(8, 20_000), step_s=30, beta_s=1e-7)
    hour = (series.time_s // 3600) % 24
    series.rtt_s[(hour >= 9) & (hour < 17)] *= 3
    series.rtt_s[(hour >= 9) & (hour < 17)] += (
        0.01 * (series.time_s[(hour >= 9) & (hour < 17)] % 7) / 7
    )
    assert series.start == MONDAY
    write_watch(tmp_path / "links", [series], "ping")
    (one,) = [one for one in of(tmp_path / "links").actions if one.id.startswith("busy")]
    assert one.kind == "operate" and "outside of 09-17 (UTC)" in one.do
    assert one.effect and 2 < one.effect.ratio.low <= one.effect.ratio.high < 6


def test_a_pair_whose_evidence_suggests_a_setting_is_to_be_tuned(tmp_path: Path) -> None:
    step = a_step(STREAM, sizes=SIZES, options=Options(receive_buffer_bytes=16384))
    run, time_ns = a_run(tmp_path, even(), step)
    window = {(0, "tcp_receive_window_limited_ns", None): 0.84 * time_ns}
    add_evidence(run, {**noise_counters(run), **BUSY, **window})
    (one,) = of(run.directory).actions
    assert one.kind == "measure" and one.id.startswith("try-receive_buffer")
    assert "receive window full 84 %" in one.evidence[0].text


def test_nothing_is_refused() -> None:
    with refused("nothing to recommend from"):
        of()
