"""Files of designs that are wrong: one message with file, line and key."""

import pytest

from weft.base.errors import RequestError
from weft.decisions.decision.request import parse_request

DESIGN = '[[designs]]\nname = "a"\nfabric = "two-racks"\n'
WORKLOAD = '[[workloads]]\nname = "w"\nplan = "aapc"\n'


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("", "designs is missing"),
        (
            "designs = []\n" + WORKLOAD,
            "designs.toml:1: designs = []: must be a list of length >= 1",
        ),
        (DESIGN, "workloads is missing"),
        (DESIGN + "colour = 1\n" + WORKLOAD, "designs[0].colour = 1: unknown key"),
        (
            DESIGN + WORKLOAD + "weight = 0\n",
            "designs.toml:7: workloads[0].weight = 0: must be a number > 0",
        ),
        (DESIGN + WORKLOAD + "weight = -2\n", "workloads[0].weight"),
        (DESIGN + DESIGN + WORKLOAD, "two designs are called 'a'"),
        (DESIGN + WORKLOAD + WORKLOAD, "two workloads are called 'w'"),
        (
            DESIGN + WORKLOAD + '[[constraints]]\nworkload = "v"\nbelow = "2 s"\n',
            "constraints[0].workload = 'v': no such workload; known: w",
        ),
        (DESIGN + WORKLOAD + '[[constraints]]\nworkload = "w"\nbelow = "2 Mb"\n', "'2 Mb'"),
        (DESIGN + WORKLOAD + '[[constraints]]\nbelow = "2 s"\n', "a time is written"),
        (DESIGN + WORKLOAD + '[[constraints]]\nworkload = "w"\n', "needs one of below"),
        (DESIGN + WORKLOAD + '[[constraints]]\nbudget = "much"\n', "'much': is no amount"),
        (DESIGN + WORKLOAD + '[uncertain]\nprices = "some"\n', "'some'"),
        (DESIGN + WORKLOAD + '[uncertain]\noverhead = "9 us..5 us"\n', "is empty"),
        (DESIGN + WORKLOAD + "[decision]\nby = 'luck'\n", "decision.by"),
        ("[[designs]\n", "not TOML"),
    ],
)
def test_what_is_wrong_is_named(text: str, said: str) -> None:
    with pytest.raises(RequestError) as error:
        parse_request(text, "designs.toml")
    assert said in error.value.message
    assert error.value.message.startswith("designs.toml")
