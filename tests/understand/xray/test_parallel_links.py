"""What several links carry together, told from rounds in which flows met on some of them."""

from itertools import product

import numpy as np
import pytest

from weft.understand.xray.parallel_links import (
    LEAST_ROUNDS,
    MOST_ROUNDS,
    ParallelRound,
    chance_of_all,
    decide_links,
    rounds_needed,
)

PORT, LINK = 9.1, 9.4


def rounds_of(links: int, flows: int, count: int, choices: int = 1) -> list[ParallelRound]:
    """Each flow on a link by chance; with several choices in a row it gets the least of them."""
    rng = np.random.default_rng(1)
    found = []
    for _ in range(count):
        mbps = np.full(flows, LINK)
        for chosen in rng.integers(links, size=(choices, flows)):
            mbps = np.minimum(mbps, LINK / np.bincount(chosen)[chosen])
        found.append(ParallelRound(float(mbps.sum()), flows * PORT, float(mbps.max()), flows))
    return found


@pytest.mark.parametrize(("links", "flows"), [(1, 3), (2, 2), (3, 4), (4, 3), (3, 6)])
def test_the_chance_that_all_links_are_used(links: int, flows: int) -> None:
    ways = list(product(range(links), repeat=flows))
    used = sum(len(set(way)) == links for way in ways)
    assert chance_of_all(links, flows) == pytest.approx(used / len(ways), abs=1e-8)


@pytest.mark.parametrize(("links", "flows"), [(4, 8), (2, 8), (4, 16), (3, 6)])
def test_links_carry_the_most_of_all_rounds(links: int, flows: int) -> None:
    rounds = rounds_of(links, flows, 20)
    decision, full = decide_links(rounds)
    assert decision.state == "limited"
    assert {round(rounds[at].mbps, 6) for at in full} == {round(links * LINK, 6)}
    assert decision.ratio.median == pytest.approx(links * LINK / (flows * PORT))
    assert decide_links(rounds[: LEAST_ROUNDS - 1])[0].state == "open"


def test_links_that_carried_all_in_some_rounds_do_not_limit() -> None:
    rounds = rounds_of(4, 4, 40)
    assert decide_links(rounds)[0].state == "free"
    full = [one for one in rounds if one.ratio > 1]
    rest = [one for one in rounds if one.ratio <= 1]
    assert decide_links(rest[:15])[0].state == "open"
    assert decide_links(rest, full)[0].state == "free"
    # Of one such round the clock may have been odd; but three links are no longer all there is.
    assert decide_links(rest, full[:1])[0].state == "open"


def test_a_further_link_that_is_seldom_seen_takes_many_rounds() -> None:
    rounds = rounds_of(3, 4, MOST_ROUNDS)
    needed = int(np.ceil(rounds_needed(rounds)))
    assert 40 < needed < MOST_ROUNDS
    assert decide_links(rounds[: needed - 1])[0].state == "open"
    assert decide_links(rounds[:needed])[0].state == "limited"
    # More links than flows are never used all at once.
    assert rounds_needed(rounds_of(3, 3, 10)) == np.inf


def test_behind_several_choices_hardly_any_round_fills_all_links() -> None:
    assert decide_links(rounds_of(4, 8, 40, choices=4))[0].state == "open"


def test_no_rounds_say_nothing() -> None:
    assert decide_links([])[0].state == "open"
