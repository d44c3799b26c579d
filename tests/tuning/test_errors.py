"""What fails inside of a tuning is continued with the tuning."""

from __future__ import annotations

import pytest

from weft.errors import WorkError
from weft.tuning.request import TuneRequest
from weft.tuning.tune import _Work


@pytest.mark.parametrize("hint", ["free space, then `weft run --resume t/01-mtu`", "free space"])
def test_a_hint_names_the_folder_of_the_tuning(hint: str) -> None:
    work = _Work(TuneRequest("local:", "t"), ("a", "b"), {})
    with pytest.raises(WorkError) as caught, work._continued_as_whole("01-mtu"):
        raise WorkError("no space left", hint)
    assert caught.value.message == "01-mtu: no space left"
    assert "`weft tune --resume t`" in caught.value.hint and "weft run" not in caught.value.hint
