"""What fails inside of work of several runs is continued with the work."""

from __future__ import annotations

import pytest

from weft.base.errors import WorkError
from weft.measure.execute.work_folder import WorkFolder
from weft.operate.tuning.request import COMMAND, TuneRequest


@pytest.mark.parametrize("hint", ["free space, then `weft run --resume t/01-mtu`", "free space"])
def test_a_hint_names_the_folder_of_the_work(hint: str) -> None:
    work = WorkFolder(COMMAND, TuneRequest("local:", "t"))
    with pytest.raises(WorkError) as caught, work.continued_as_whole("01-mtu"):
        raise WorkError("no space left", hint)
    assert caught.value.message == "01-mtu: no space left"
    assert "`weft tune --resume t`" in caught.value.hint and "weft run" not in caught.value.hint
