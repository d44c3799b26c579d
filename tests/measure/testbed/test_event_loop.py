import asyncio
import os
import signal

import pytest

from weft.measure.testbed.event_loop import cancel_on_terminate, run_to_end


def test_a_second_request_to_terminate_does_not_cut_off_the_cleaning_up() -> None:
    done = []

    async def work() -> None:
        cancel_on_terminate()
        try:
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.sleep(20)
        finally:
            os.kill(os.getpid(), signal.SIGTERM)
            await asyncio.sleep(0.05)
            done.append("cleaned up")

    with pytest.raises(asyncio.CancelledError):
        run_to_end(work())
    assert done == ["cleaned up"]


def test_a_loop_that_ended_leaves_requests_to_terminate_as_they_were() -> None:
    async def work() -> None:
        cancel_on_terminate()

    def interrupt(*_: object) -> None:
        raise KeyboardInterrupt

    before = signal.signal(signal.SIGTERM, interrupt)
    try:
        run_to_end(work())
        assert signal.getsignal(signal.SIGTERM) is interrupt
    finally:
        signal.signal(signal.SIGTERM, before)
