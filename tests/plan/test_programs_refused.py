"""A step that is no program for so many nodes is refused, wherever a program is asked for."""

import pytest

from support.plans import a_step
from weft import _core
from weft.plan.pattern import Collective
from weft.plan.plan import to_json


def test_no_algorithm_fits():
    pattern = Collective(
        nodes=None,
        rendezvous_bytes=0,
        operation="allgather",
        algorithms=("recursive-doubling",),
        group=2,
    )
    step = a_step(pattern)
    with pytest.raises(_core.RefusedError, match="needs a power of two nodes, not 12"):
        _core.Program.of_step(to_json(step), 0, 12)
    assert _core.Program.of_step(to_json(step), 0, 8)
