"""Which knobs are tried, in which order, with which values: a pure function of what was measured."""

from __future__ import annotations

from pathlib import Path

import pytest

from weft.knobs.catalog import knobs
from weft.operate.tuning.candidates import candidates, values
from weft.operate.tuning.choice import Have, TuningGoal, choose
from weft.operate.tuning.first_look import InitialDiagnosis
from weft.operate.tuning.rounds import LEAST_RACE_S, share_of
from weft.operate.tuning.settings import nodelay_of

TCP = frozenset(["tcp"])
ALL = {
    name: Have(why_not="" if not one.needs_root else "needs root") for name, one in knobs().items()
}
LOOK = InitialDiagnosis(160_000.0, 100.0)


def chosen(
    look: InitialDiagnosis | None = LOOK, have: dict[str, Have] = ALL, **wanted: object
) -> tuple[list[str], dict[str, str]]:
    asked = TuningGoal(**{"goal": "stream", "transports": TCP, **wanted})  # type: ignore[arg-type]
    found, skipped = choose(asked, knobs(), have, look, 2)
    return [one.name for one in found], {one.knob: one.why for one in skipped}


def test_buffers_come_from_the_bandwidth_delay_product_of_the_path() -> None:
    assert LOOK.bandwidth_delay_bytes == 2_000_000
    sizes = [int(one.removesuffix(" B")) for one in values(knobs()["send_buffer"], LOOK, 2)]
    assert sizes == [2**22, 2**24, 2**26]
    assert values(knobs()["send_buffer"], None, 2) == ()


def test_knobs_that_fit_the_evidence_come_first() -> None:
    lossy = InitialDiagnosis(
        1000.0, 100.0, {"loss-on-the-way": "n1: 2 % of the segments were sent again"}
    )
    assert chosen()[0][0] == "send_buffer and receive_buffer"
    assert chosen(lossy)[0][:3] == ["congestion", "pacing", "mss"]


def test_where_time_is_short_the_likeliest_knobs_get_it() -> None:
    lossy = InitialDiagnosis(
        1000.0, 100.0, {"loss-on-the-way": "n1: 2 % of the segments were sent again"}
    )
    first, *_, last = choose(TuningGoal("stream", TCP), knobs(), ALL, lossy, 2)[0]
    assert (first.is_suggested, last.is_suggested) == (True, False)
    assert share_of(600.0, first, 7) == 360.0 and share_of(600.0, last, 7) == 75.0
    assert share_of(100.0, first, 7) == 60.0 and share_of(100.0, last, 7) == LEAST_RACE_S
    assert share_of(30.0, first, 7) > 30.0


def test_every_knob_is_tried_or_skipped_with_a_reason() -> None:
    names, skipped = chosen()
    tried = {one for name in names for one in name.split(" and ")}
    assert tried | skipped.keys() == knobs().keys() and not tried & skipped.keys()
    assert skipped["tcp_rmem"] == "needs root" and skipped["mpi_eager"] == "the steps use tcp"
    assert skipped["busy_read"] == "is not about stream"


@pytest.mark.parametrize(
    ("have", "why"),
    [
        (Have("fq"), None),
        (Have(why_not="n2: no ethtool there"), "n2: no ethtool there"),
    ],
)
def test_a_value_in_effect_is_not_tried(have: Have, why: str | None) -> None:
    found, skipped = choose(
        TuningGoal("stream", TCP, ("queueing",)), knobs(), {"queueing": have}, LOOK, 2
    )
    assert {one.knob: one.why for one in skipped}.get("queueing") == why
    assert [one.values for one in found] == (
        [{"queueing": ("fq_codel", "pfifo_fast")}] if why is None else []
    )


def test_knobs_that_need_each_other_are_tried_together_then_alone() -> None:
    both = [knobs()[name] for name in ("send_buffer", "receive_buffer")]
    found = list(
        candidates(
            both,
            {"send_buffer": ("1 B", "2 B"), "receive_buffer": ("1 B", "2 B")},
            {"nodelay": "false"},
        )
    )
    assert [one.settings for one in found] == [
        {"nodelay": "false", "send_buffer": "1 B", "receive_buffer": "1 B"},
        {"nodelay": "false", "send_buffer": "2 B", "receive_buffer": "2 B"},
        {"nodelay": "false", "send_buffer": "2 B"},
        {"nodelay": "false", "receive_buffer": "2 B"},
    ]
    settled = {"send_buffer": "1 B"}
    alone = candidates(both[:1], {"send_buffer": ("1 B", "2 B")}, settled)
    assert [one.settings for one in alone] == [{"send_buffer": "2 B"}]


def test_a_batch_of_a_race_is_long_beside_the_delay_of_the_path() -> None:
    assert LOOK.stream_messages * 256 * 1024 >= 8 * LOOK.bandwidth_delay_bytes
    assert InitialDiagnosis(50.0, 940.0).stream_messages == 1


def test_only_what_a_node_offers_is_tried() -> None:
    assert Have("cubic", allowed=("cubic", "bbr")).offers("bbr")
    assert not Have("cubic", allowed=("cubic", "bbr")).offers("htcp")
    assert [Have("256", allowed=("1024",)).offers(one) for one in ("256", "1024", "4096")] == [
        False,
        True,
        False,
    ]


def test_what_a_plan_sets_of_sockets_is_what_is_in_effect(tmp_path: Path) -> None:
    step = 'pattern = "stream"\nsizes = ["200 B"]\noptions = {{ nodelay = {} }}\n'
    step += 'stop = {{ rule = "time", trial = "10 ms", trials = 3 }}\n'
    plan = tmp_path / "held.toml"
    plan.write_text('name = "held"\n[[steps]]\nname = "a"\n' + step.format("false"))
    assert (nodelay_of(str(plan)), nodelay_of("latency")) == ("false", "true")
    plan.write_text(plan.read_text() + '[[steps]]\nname = "b"\n' + step.format("true"))
    assert nodelay_of(str(plan)) == ""
