"""What is said of names of fabrics and parameters that are nearly right."""

from pathlib import Path

import pytest

from weft.base.errors import RequestError
from weft.measure.testbed.computed.network import open_simulated


@pytest.mark.parametrize(
    ("text", "hint"),
    [
        ("fattree", "did you mean fat-tree("),
        ("two-rack", "did you mean two-racks?"),
        ("torus(dims=10,10,10)", "write dims=10x10x10"),
    ],
)
def test_what_is_meant_is_named(text: str, hint: str) -> None:
    with pytest.raises(RequestError) as refused:
        open_simulated(text)
    assert refused.value.hint.startswith(hint)


def test_a_misspelt_parameter_is_named_before_one_that_is_missing() -> None:
    with pytest.raises(RequestError, match='unknown parameter "leafs", did you mean "leaves"'):
        open_simulated("clos(leafs=4,spines=2,hosts=4)")


def test_a_file_of_a_similar_name_is_suggested(
    tmp_path: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    monkeypatch.chdir(tmp_path)
    Path("two-tier.toml").touch()
    with pytest.raises(RequestError) as refused:
        open_simulated("two-teir.toml")
    assert refused.value.hint.startswith("did you mean two-tier.toml?")
    assert len(refused.value.hint) < 150
