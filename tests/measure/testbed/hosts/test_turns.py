"""How many logins go on at a time."""

import asyncio

import pytest

from weft.measure.testbed.hosts import turns
from weft.measure.testbed.hosts.turns import Turns


class Logins:
    """Counts how many go on at a time."""

    def __init__(self) -> None:
        self.now = self.most = 0

    async def one(self, seconds: float) -> None:
        self.now += 1
        self.most = max(self.most, self.now)
        await asyncio.sleep(seconds)
        self.now -= 1


def most_at_once(usual_s: float) -> int:
    """How many of eight logins go on at a time in two turns, after one that took so long."""

    async def run() -> int:
        two, logins = Turns(2), Logins()
        await two.take(lambda: logins.one(usual_s))
        await asyncio.gather(*(two.take(lambda: logins.one(0.1)) for _ in range(8)))
        return logins.most

    return asyncio.run(run())


def test_a_login_that_takes_longer_than_others_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "HOLD_S", 0.005)
    assert most_at_once(0.0) > 2


def test_where_all_are_slow_none_makes_room(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(turns, "HOLD_S", 0.005)
    assert most_at_once(0.5) == 2
