"""From everything that is known about a cluster to recommendations."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from pathlib import Path
from tempfile import TemporaryDirectory

from weft.base.errors import RequestError
from weft.decisions.recommendations.effects import EffectJudge
from weft.decisions.recommendations.folder import write_folder
from weft.decisions.recommendations.judging import JudgingRequest, judge_of
from weft.decisions.recommendations.recommendations import (
    Read,
    RecommendationList,
    joined,
    ordered,
    verdict_of,
)
from weft.decisions.recommendations.remedy import Proposal
from weft.decisions.recommendations.sources.search_run import SearchRun
from weft.decisions.recommendations.sources.source import (
    EvidenceSource,
    EvidenceSources,
    cluster_of_most,
)
from weft.decisions.recommendations.sources.sources import read_sources
from weft.decisions.twin.open import run_warnings
from weft.runs.run_warnings import RunWarning, doubts, in_doubt
from weft.runs.work_document import fresh_folder, refuse_taken

TWIN_NAME = "twin"
"""The folder of the twin that is made for recommendations."""


def recommend(
    paths: Sequence[str], asked: JudgingRequest, out: Path | None = None
) -> RecommendationList:
    """All recommendations, written to `out` if given; raises RequestError for an unknown kind of file, and for two
    clusters mixed up."""
    if not paths:
        raise RequestError(
            "nothing to recommend from",
            "give folders of runs, such as runs/xray and runs/signature",
        )
    if out is not None:
        refuse_taken(out)
    sources = read_sources(paths)
    with TemporaryDirectory() as other, fresh_folder(out or Path(other)):
        found = _work_out(sources, asked, (out or Path(other)) / TWIN_NAME)
        if out is not None:
            write_folder(found, out)
    return found


def _work_out(sources: EvidenceSources, asked: JudgingRequest, place: Path) -> RecommendationList:
    telling = [one for one in sources.found if not _is_outdated(one, sources.found)]
    proposals = joined(one for source in telling for one in source.proposals())
    judge, notes = _judge(sources, asked, place)
    found = ordered(judge.actions(proposals) if judge else (one.action for one in proposals))
    doing = [one for one in found if one.kind != "do-nothing"]
    read = tuple(Read(str(one.path), _said(one)) for one in sources.found)
    warnings = tuple(dict.fromkeys(_warnings(sources, asked)))
    cluster = cluster_of_most(sources.found)
    return RecommendationList(
        verdict_of(doing, read, doubts(warnings)),
        tuple(doing),
        tuple(one for one in found if one.kind == "do-nothing"),
        read,
        (*sources.notes, *notes, *_notes(judge, proposals)),
        judge.name if judge else "",
        judge.twin if judge else "",
        cluster.spec if cluster else "",
        (cluster.scale if cluster else None) or 1.0,
        warnings=warnings,
    )


def _said(one: EvidenceSource) -> str:
    return in_doubt(one.said, doubts(one.warnings))


def _warnings(sources: EvidenceSources, asked: JudgingRequest) -> Iterator[RunWarning]:
    """The warnings of everything that was read, and of the twin that predicts."""
    for one in sources.found:
        yield from one.warnings
    if asked.twin:
        yield from run_warnings(asked.twin)


def _is_outdated(one: EvidenceSource, found: Sequence[EvidenceSource]) -> bool:
    """Whether a later search covers the same nodes; a run of another plan then only shows the state before."""
    return (
        isinstance(one, SearchRun)
        and not one.is_search
        and any(
            isinstance(other, SearchRun)
            and other.is_search
            and other.when >= one.when
            and other.cluster.nodes.keys() >= one.cluster.nodes.keys()
            for other in found
        )
    )


def _judge(
    sources: EvidenceSources, asked: JudgingRequest, place: Path
) -> tuple[EffectJudge | None, list[str]]:
    """The judge, and notes; if a twin cannot be made, the rest is still reported."""
    try:
        return judge_of(asked, sources.found, place), []
    except RequestError as error:
        if asked != JudgingRequest():
            raise
        return None, [f"no twin could be made: {error.message}"]


def _notes(judge: EffectJudge | None, proposals: Sequence[Proposal]) -> Iterator[str]:
    if judge is None:
        if any(one.remedy for one in proposals):
            yield "no effect is predicted without a model of the network: give --twin, or a run of xray"
    elif unknown := judge.unknown(proposals):
        yield f"{judge.twin} does not show {', '.join(unknown)}: is it of this cluster, and as old as its runs?"
