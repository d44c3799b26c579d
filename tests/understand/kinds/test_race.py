"""How a race stands, by blocks of arithmetic."""

from __future__ import annotations

import math
from collections.abc import Mapping

import numpy as np
import pyarrow as pa
import pytest
from msgspec.structs import replace

from support.plans import a_plan, a_step
from support.runs import sample_batch
from weft.base.interval import Interval
from weft.base.paired import LOOKS
from weft.plan.pattern import Pingpong, Stream
from weft.plan.plan import Entrant, Race
from weft.runs.meta import RunMeta
from weft.understand.kinds.race.contest import (
    MOST_CONFIRMING,
    ContestLimits,
    ContestStanding,
    standing,
    winner,
)
from weft.understand.kinds.race.outcome import Confirmation, RaceOutcome
from weft.understand.kinds.race.scores import Scores, scores
from weft.understand.kinds.race.words import race_lines

NONE = ContestLimits({})


def a_race(*names: str, **changes: object) -> Race:
    """Candidates of one step each, the first the baseline; a margin of 1 %."""
    entrants = tuple(Entrant(name, (index,)) for index, name in enumerate(names))
    race = Race(names[0], "throughput", 10_000, 10**9, "winner", entrants)
    return replace(race, **changes)


def carried_out(
    race: Race, gains: Mapping[str, float], noise: float = 0.02, most: int = 200
) -> tuple[ContestStanding, list[Scores]]:
    """Blocks until the race ends; gains are logarithms of ratios over the baseline, and the noise drifts."""
    random = np.random.default_rng(3)
    blocks: list[Scores] = []
    now = standing(blocks, race, NONE)
    while now.open and len(blocks) < most:
        drift = 0.01 * len(blocks)
        blocks.append(
            {name: gains.get(name, 0.0) + drift + random.normal(0, noise) for name in now.open}
        )
        now = standing(blocks, race, NONE)
    return now, blocks


def test_losers_are_dropped_and_the_winner_is_confirmed_in_fresh_blocks():
    race = a_race("default", "good", "fair", "bad")
    now, blocks = carried_out(race, {"good": 0.2, "fair": 0.1, "bad": -0.2})
    assert {out.name: (out.after, out.reason, out.other) for out in now.out.values()} == {
        "bad": (LOOKS[0], "no-better", ""),
        "fair": (LOOKS[1], "worse", "good"),
    }
    assert (now.raced, now.ended, winner(now, blocks, race)) == (LOOKS[1], "one-left", "good")
    (confirmed,) = now.confirmations
    assert confirmed.is_better
    assert confirmed.blocks == len(blocks) - LOOKS[1] == 12
    assert 1.01 < confirmed.ratio.low < math.exp(0.2) < confirmed.ratio.high
    assert blocks[LOOKS[1]].keys() == {"default", "good"}


@pytest.mark.parametrize(("candidates", "looks"), [(2, 1), (4, 2), (9, 3)])
def test_the_more_may_lead_the_more_blocks_it_takes_to_drop_one(candidates, looks):
    """Of n blocks all alike the chance is 2^-n, and of 15 % the share of each other candidate allows 6.8 % at the first
    look, 8 % at both first ones, and 9 % at three."""
    race = a_race("default", *(f"c{number}" for number in range(candidates)))
    block: Scores = {"default": 0.0} | {f"c{number}": 0.2 for number in range(candidates)}
    blocks = [block | {"c0": 0.1}] * LOOKS[looks - 1]
    assert standing(blocks, race, NONE).out.keys() == {"c0"}
    assert not standing(blocks[: LOOKS[looks - 2]] if looks > 1 else [], race, NONE).out


def test_a_confirmed_ratio_leads_with_what_holds_and_a_retry_is_said():
    found = RaceOutcome(
        baseline="default",
        winner="good",
        leader="good",
        recommended=True,
        effect=Interval(1.044, 1.011, 1.08),
        places=(),
        confirmations=(Confirmation("good", Interval(1.044, 1.011, 1.08), 15, True),),
        ended="one-left",
        blocks=8,
        retried={"good": 2},
    )
    _, confirmed, retried = race_lines(found)
    assert confirmed.startswith(
        "confirmed: good is at least 1.01 times as good (1.04, up to 1.08) as default, in 15 blocks"
    )
    assert retried.startswith("good was tried again in 2 blocks, behind the others")


def test_a_race_that_is_cut_at_any_block_goes_on_with_the_same_candidates():
    race = a_race("default", "good", "same", "bad")
    _, blocks = carried_out(race, {"good": 0.06, "bad": -0.06}, noise=0.04)
    assert len({frozenset(block) for block in blocks}) > 1
    for count, block in enumerate(blocks):
        assert set(standing(blocks[:count], race, NONE).open) == set(block)


def test_a_block_that_is_not_over_does_not_count():
    race = a_race("default", "good", "bad")
    blocks: list[Scores] = [{"default": 0.0, "good": 0.2, "bad": -0.2}] * 3
    assert standing([*blocks, {"default": 0.0, "good": 0.2}], race, NONE).out == {}
    assert standing([*blocks, blocks[0]], race, NONE).out.keys() == {"bad"}


def test_what_is_no_better_than_the_margin_ends_a_race_without_a_winner():
    race = a_race("default", "same", "other")
    now, blocks = carried_out(race, {"same": -0.004}, noise=0.004)
    assert winner(now, blocks, race) == "default"
    assert now.ended == "none-ahead"
    assert {out.reason for out in now.out.values()} <= {"no-better", "worse"}


def test_those_that_are_alike_and_better_end_a_race_and_one_is_confirmed():
    race = a_race("default", "twin", "other")
    now, blocks = carried_out(race, {"twin": 0.1, "other": 0.1}, noise=0.004)
    assert now.ended == "equal"
    assert winner(now, blocks, race) in ("twin", "other")


def test_one_that_fails_is_out_by_name_and_the_others_go_on():
    race = a_race("default", "good", "dead")
    limits = ContestLimits({"dead": (2, "refused")})
    alive: Scores = {"default": 0.0, "good": 0.2}
    whole = alive | {"dead": 0.0}
    blocks = [whole, whole, alive, alive]
    now = standing(blocks, race, limits)
    assert (now.out["dead"].reason, now.out["dead"].said) == ("failed", "refused")
    assert now.raced == LOOKS[0]
    assert now.open == ("default", "good")
    # The winner itself may fail, when it is to be confirmed.
    late = ContestLimits({"dead": (2, "refused"), "good": (5, "died")})
    now = standing([*blocks, alive], race, late)
    assert (now.open, winner(now, blocks, race)) == ((), "default")


def test_a_race_ends_with_its_time():
    race = a_race("default", "one", "two")
    blocks: list[Scores] = [{"default": 0.0, "one": 0.1 * (-1) ** i, "two": 0.0} for i in range(7)]
    now = standing(blocks, race, ContestLimits({}, raced=7, blocks=7))
    assert (now.ended, now.raced, now.open) == ("time", 7, ())


def test_without_a_race_all_are_confirmed():
    race = a_race("default", "both", "one", "none", confirm="all")
    now, blocks = carried_out(race, {"both": 0.2, "one": 0.1}, noise=0.01)
    assert {one.name: one.is_better for one in now.confirmations} == {
        "both": True,
        "one": True,
        "none": False,
    }
    assert winner(now, blocks, race) == "both"
    assert now.raced == 0
    assert len(blocks) <= MOST_CONFIRMING


@pytest.mark.parametrize(
    ("measure", "ratio"),
    [("throughput", 2.0), ("latency", 0.5), ("mixed", 1.0), ("time", (100 + 50) / (50 + 100))],
)
def test_scores_are_ratios_of_what_is_measured(measure, ratio):
    """Twice the rate at twice the latency: the geometric mean of both is one."""
    steps = [
        a_step(pattern, name=f"{pattern.kind}-{name}")
        for name in "ab"
        for pattern in (Stream(window=1), Pingpong())
    ]
    entrants = (Entrant("a", (0, 1)), Entrant("b", (2, 3)))
    plan = replace(a_plan(*steps), race=Race("a", measure, 10_000, 1, "winner", entrants))
    # Two batches of each step, and one that was disturbed.
    times_ns = np.array([(100, 100, 1000), (50, 50, 500), (50, 50, 500), (100, 100, 1000)])
    rows = sample_batch(
        step=np.repeat(range(4), 3),
        batch=np.tile(range(3), 4),
        messages=1,
        elapsed_ns=times_ns.ravel(),
    )
    meta = RunMeta(plan, {}, [], done=[[step, 0] for step in range(4)])
    (block,) = scores(meta, pa.Table.from_batches([rows]))
    assert math.exp(block["b"] - block["a"]) == pytest.approx(ratio)
    meta.done.pop()
    assert scores(meta, pa.Table.from_batches([rows]))[0].keys() == {"a"}
