"""`--set` with several keys."""

import pytest

from support.refusals import refused
from weft.faces.cli.options import split_settings


@pytest.mark.parametrize(
    ("given", "meant"),
    [
        ("launches=3", {"launches": "3"}),
        ("launches=3, name=x", {"launches": "3", "name": "x"}),
        (
            "steps.hpl.n=20000,nb=160,grid=8x8,bcast=1ringM",
            {
                "steps.hpl.n": "20000",
                "steps.hpl.nb": "160",
                "steps.hpl.grid": "8x8",
                "steps.hpl.bcast": "1ringM",
            },
        ),
        (
            "steps.x.n=1,options.nodelay=false",
            {"steps.x.n": "1", "steps.x.options.nodelay": "false"},
        ),
        (
            'steps.x.stop={ rule = "time", trial="1 s"}',
            {"steps.x.stop": '{ rule = "time", trial="1 s"}'},
        ),
        (
            'steps.x.sizes=["1 B", "2 B"],nodes=4',
            {"steps.x.sizes": '["1 B", "2 B"]', "steps.x.nodes": "4"},
        ),
        ("steps.x.note='a, b=c'", {"steps.x.note": "'a, b=c'"}),
        ("steps.x.nodes=1,3,5", {"steps.x.nodes": "1,3,5"}),
    ],
)
def test_further_keys_are_beside_the_first(given: str, meant: dict[str, str]) -> None:
    assert split_settings([given]) == meant


def test_a_setting_without_a_value_is_refused() -> None:
    with refused("--set launches: not KEY=VALUE"):
        split_settings(["launches"])
