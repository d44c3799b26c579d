"""What plans expand to and simulators compute, against a table: it changes only in a commit that says why.

python tests/test_fingerprints.py     writes the table of tests/data/fingerprints.toml anew, for the cases in it
"""

import hashlib
import json
import tomllib
from pathlib import Path
from typing import Any

import pytest

from weft import _core
from weft.measure.testbed.computed.network import open_simulated
from weft.measure.testbed.computed.node import open_nodes
from weft.plan.load import load_plan
from weft.plan.plan import Step, to_json

TABLE = Path(__file__).parent / "data" / "fingerprints.toml"
PHASES = 3
"""So many of a step are simulated."""


def cases() -> dict[str, str]:
    """The fingerprint expected of each case: KIND PLAN on WHAT."""
    return tomllib.loads(TABLE.read_text())["fingerprints"]


def fingerprint(case: str) -> str:
    """Of every number that comes out."""
    kind, plan, what = case.replace(" on ", " ").split(" ", 2)
    hashed = hashlib.blake2b(digest_size=8)
    for step in load_plan(plan).steps:
        hashed.update(_bytes(_outcome(kind, step, what)))
    return hashed.hexdigest()


def _outcome(kind: str, step: Step, what: str) -> Any:
    if kind == "expand":
        return json.loads(_core.expand_step(to_json(step), int(what)))
    if kind == "node":
        nodes = open_nodes(what)
        return nodes.model.simulate(to_json(step), 0, min(PHASES, nodes.phase_count(step)))
    network = open_simulated(what)
    parameters = network._parameters
    last = min(PHASES, network.phase_count(step))
    return network.model.simulate(to_json(step), 0, last, set(), True, **parameters)


def _bytes(value: Any) -> bytes:
    if isinstance(value, bytes):
        return value
    if isinstance(value, dict):
        return b"".join(key.encode() + _bytes(value[key]) for key in sorted(value))
    if isinstance(value, list | tuple):
        return b"[" + b",".join(map(_bytes, value)) + b"]"
    return repr(value).encode()


@pytest.mark.parametrize("case", cases())
def test_every_number_is_what_it_was(case: str) -> None:
    assert fingerprint(case) == cases()[case], (
        "other numbers than before; if they are meant to be, run `python tests/test_fingerprints.py` "
        "and say in the commit why they change"
    )


def write() -> None:
    """The table with the fingerprints as they are now."""
    comment = TABLE.read_text().split("[fingerprints]")[0]
    lines = [f'"{case}" = "{fingerprint(case)}"' for case in cases()]
    TABLE.write_text(comment + "[fingerprints]\n" + "\n".join(lines) + "\n")


if __name__ == "__main__":
    write()
