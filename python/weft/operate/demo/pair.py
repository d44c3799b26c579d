"""The pair demonstration: measure a Fast Ethernet cable, compare with NetPIPE's own result, and report both."""

from __future__ import annotations

import shutil
import subprocess
import time
from pathlib import Path

from weft.base.errors import WorkError
from weft.measure.execute.options.run_options import RunOptions
from weft.measure.execute.progress import Reporter
from weft.measure.execute.request import RunRequest, start_run
from weft.measure.testbed.base import Testbed
from weft.measure.testbed.open import open_testbed
from weft.operate.demo.demonstration import ALL_FOLDERS, Demonstration, clear, report
from weft.runs.folder import RunFolder
from weft.runs.meta import Warning
from weft.understand.formats.importers import import_file
from weft.understand.formats.importers.imported import ImportOptions

TESTBED = "lab:fast-ethernet-pair"
FOLDER = "fast-ethernet"
NETPIPE_LARGEST = 64 * 1024
NETPIPE_REPEATS = 10
"""NPtcp's own repetition rule would take minutes."""
LISTENS_AFTER_S = 0.3


def demonstrate(directory: Path, reporter: Reporter) -> Demonstration:
    """Measure, import and report into `directory`, which is created anew."""
    clear(directory, ALL_FOLDERS)
    signature = start_run(
        RunRequest("signature", TESTBED, RunOptions(out=directory / FOLDER)), reporter
    )
    if signature.meta.status == "failed":
        raise WorkError("the demonstration measured nothing", signature.meta.warnings[0].message)
    runs, warnings = [signature], list(signature.meta.warnings)
    if shutil.which("NPtcp"):
        runs.append(_netpipe(directory, reporter))
    else:
        warnings.append(
            Warning(
                "no-netpipe",
                "NPtcp is not installed: no peer to compare with",
                "apt-get install netpipe-tcp",
            )
        )
    return Demonstration(runs, report(runs, directory), warnings)


def _netpipe(directory: Path, reporter: Reporter) -> RunFolder:
    """Run the real NPtcp in the same lab and import its output."""
    reporter.describe("NetPIPE in the same lab")
    output = directory / "np.out"
    with open_testbed(TESTBED) as testbed:
        run_netpipe(testbed, output, NETPIPE_LARGEST, NETPIPE_REPEATS)
    return import_file("netpipe", output, directory / "netpipe", ImportOptions(transport="tcp"))


def run_netpipe(testbed: Testbed, output: Path, largest_bytes: int, repeats: int) -> None:
    """Run NPtcp between the first two nodes, placed as weft's agents are; raises WorkError."""
    options = ["-u", str(largest_bytes), "-n", str(repeats)]
    receiver = _placed(testbed, 1, ["NPtcp", *options])
    client = ["NPtcp", "-h", testbed.nodes[1].address, "-o", str(output.resolve()), *options]
    server = subprocess.Popen(receiver, stdout=subprocess.DEVNULL, stderr=subprocess.DEVNULL)
    try:
        time.sleep(LISTENS_AFTER_S)
        done = subprocess.run(
            _placed(testbed, 0, client), capture_output=True, text=True, timeout=120, check=False
        )
        if done.returncode:
            raise WorkError(f"NPtcp failed: {done.stderr.strip() or done.returncode}")
    except subprocess.TimeoutExpired:
        raise WorkError("NPtcp did not end within 120 s") from None
    finally:
        server.terminate()
        server.wait()


def _placed(testbed: Testbed, node: int, command: list[str]) -> list[str]:
    """The command on a node, pinned to the processor that an agent would have there."""
    if testbed.cpus is not None and shutil.which("taskset"):
        command = ["taskset", "-c", str(testbed.cpus[node]), *command]
    return testbed.node_command(testbed.nodes[node], command)
