"""Interrupts of runs from Python: what was measured stays and can be resumed, also where an event loop runs already."""

import signal
import subprocess
import sys
from pathlib import Path

import pytest
from jupyter_client.manager import start_new_kernel

import weft
from support.live.waiting import agents, wait_for, wait_for_samples

pytestmark = pytest.mark.timed

LAUNCHES = 10
"""More than there are before an interrupt, and of each the agents are started again."""
MEASURE = """
import weft
try:
    weft.run("signature", on="local:", out={out!r}, launches={launches}, settings={{
        "steps.pingpong.sizes": ["1 B", "1 KiB"],
        "steps.pingpong.stop": {{"rule": "time", "trial": "20 ms", "trials": 5}},
    }})
except KeyboardInterrupt as interrupt:
    print(interrupt.run.status, len(interrupt.run.points))
    raise
"""
IN_A_LOOP = "import asyncio\nasync def main(): exec({code!r})\nasyncio.run(main())"


@pytest.mark.parametrize("form", ["{code}", IN_A_LOOP], ids=["plain", "in a loop"])
def test_an_interrupt_leaves_a_run_that_resumes(form: str, tmp_path: Path) -> None:
    out = tmp_path / "run"
    measure = MEASURE.format(out=str(out), launches=LAUNCHES)
    code = measure if form == "{code}" else form.format(code=measure)
    process = subprocess.Popen(
        [sys.executable, "-c", code], stdout=subprocess.PIPE, stderr=subprocess.PIPE, text=True
    )
    wait_for_samples(out)
    process.send_signal(signal.SIGINT)
    printed, said = process.communicate(timeout=30)
    assert process.returncode and printed == "partial 2\n", said
    assert f"continue it with weft.open('{out}').resume()" in said
    check_resumable(out)


def test_the_kernel_of_a_notebook_is_interrupted_and_lives(tmp_path: Path) -> None:
    out = tmp_path / "run"
    manager, client = start_new_kernel(kernel_name="python3")
    try:
        asked = client.execute(MEASURE.format(out=str(out), launches=LAUNCHES))
        wait_for_samples(out)
        manager.interrupt_kernel()
        reply = client.get_shell_msg(timeout=30)
        assert reply["parent_header"]["msg_id"] == asked
        assert reply["content"]["ename"] == "Interrupted"
        assert str(out) in reply["content"]["evalue"]
        pid = manager.provisioner.pid
        wait_for(lambda: not agents(pid))
        again = client.execute_interactive(f"weft.open({str(out)!r}).resume()", timeout=60)
        assert again["content"]["status"] == "ok"
    finally:
        client.stop_channels()
        manager.shutdown_kernel(now=True)
    assert weft.open(out).status == "complete"


def check_resumable(out: Path) -> None:
    """It is partial, keeps its samples, and is complete once resumed."""
    partial = weft.open(out)
    kept = len(partial.samples)
    assert partial.status == "partial" and kept
    whole = partial.resume()
    assert whole.status == "complete" and len(whole.samples) > kept
    assert {*range(LAUNCHES)} <= {*whole.samples.to_arrow()["launch"].to_pylist()}
    assert {"system_ns", "elapsed_ns"} <= set(whole.evidence["name"])
    assert whole.samples.to_arrow().slice(0, kept).equals(partial.samples.to_arrow())
