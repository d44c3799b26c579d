"""What `import weft` offers, and what it does not load."""

import inspect
import subprocess
import sys

import pytest

import weft

HEAVY = ("altair", "click", "numpy", "pandas", "pyarrow", "scipy")


def test_import_loads_no_library() -> None:
    code = "import sys, weft; dir(weft); print(*sys.modules)"
    loaded = subprocess.run(
        [sys.executable, "-c", code], capture_output=True, text=True, check=True
    ).stdout.split()
    assert "weft.base.errors" in loaded
    assert not {one.partition(".")[0] for one in loaded} & {*HEAVY}
    own = {one for one in loaded if one.startswith("weft")}
    assert own == {"weft", "weft.base", "weft.base.errors", "weft.base.printable"}


def test_each_name_is_there_with_a_docstring_and_no_other() -> None:
    for name in weft.__all__:
        assert getattr(weft, name).__doc__, name
    assert {*weft.__all__} <= {*dir(weft)}
    with pytest.raises(AttributeError, match="no attribute 'runn'"):
        _ = weft.runn


@pytest.mark.parametrize(
    ("new", "old"), [("cost", "bill"), ("what_if", "foresee"), ("twin", "make_twin")]
)
def test_names_are_those_of_the_command_line_and_old_ones_work(new: str, old: str) -> None:
    assert inspect.unwrap(getattr(weft, new)) is inspect.unwrap(getattr(weft, old))
