"""What hosts did, under the curve and beside a point."""

from pathlib import Path

from support.made.evidence import add_evidence
from support.made.synthetic import write_run
from weft.runs.folder import RunFolder
from weft.understand.report.details import details
from weft.understand.report.figures.pair.evidence import evidence_figures
from weft.understand.report.material import ReportMaterial

SIZES = [1, 1024, 65536]
COUNTERS = ("process_user_ns", "process_system_ns", "softirq_net_rx", "tcp_retransmits")


def recorded(path: Path) -> RunFolder:
    """A run in which n2 takes 2 µs of processor time for each message one way, and two softirqs; nothing is lost."""
    run = write_run(path, sizes=SIZES)
    ways = 2 * run.samples["messages"].to_numpy()
    add_evidence(
        run,
        {
            (1, "process_user_ns", None): 500 * ways,
            (1, "process_system_ns", None): 1500 * ways,
            (1, "softirq_net_rx", 0): 2 * ways,
        },
    )
    run.meta.evidence = [
        {"node": node, "steps": [0], "counters": list(COUNTERS), "missing": []}
        for node in ("n1", "n2")
    ]
    return run


def test_what_a_message_costs_is_drawn_under_the_throughput(tmp_path: Path) -> None:
    [figure] = evidence_figures(ReportMaterial([recorded(tmp_path / "r")]))
    rows = figure.tables["evidence"]
    for measure, value in (("processor", 2.0), ("softirqs", 2.0)):
        of = {(r["node"], r["size"]): r["value"] for r in rows if r["measure"] == measure}
        assert of == {(n, s): v for s in SIZES for n, v in (("n1", 0.0), ("n2", value))}
    assert "0 everywhere, so not drawn: sent again" in figure.caption
    assert len(figure.chart["vconcat"]) == 3
    assert figure.write(tmp_path)[0].stat().st_size > 5000


def test_a_point_has_its_evidence_at_both_ends(tmp_path: Path) -> None:
    found = details(ReportMaterial([recorded(tmp_path / "r")]))
    headers, *rows = found[0]["evidence"]
    assert headers[1:] == ["n1", "n2"]
    assert ["Network softirqs of the host, per message", "0", "2"] in rows
    assert ["Processor time of the agent, in the kernel, per message, ns", "0.000", "1500"] in rows
    assert ["Segments sent again, per launch", "0", "0"] in rows


def test_runs_without_evidence_have_no_such_figure(tmp_path: Path) -> None:
    material = ReportMaterial([write_run(tmp_path / "r", sizes=SIZES)])
    assert evidence_figures(material) == []
    assert details(material)[0]["evidence"] == []
