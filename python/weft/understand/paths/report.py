"""The result of a run of the pattern paths, in sentences and as data."""

from __future__ import annotations

from collections.abc import Iterator
from dataclasses import dataclass

from weft.plan.pattern import Paths
from weft.runs.columns.tables import EVIDENCE_NAME
from weft.runs.folder import RunFolder
from weft.runs.meta import RunMeta
from weft.understand.ensemble.leaves import leaves_of
from weft.understand.host.resent import segments, together
from weft.understand.paths.blame import BadLink, lossy_links, slow_links
from weft.understand.paths.connection import LeafPair, leaf_pairs
from weft.understand.paths.document import LossyEntry, PathsDocument, SlowEntry
from weft.understand.paths.leaf_paths import LeafPaths, leaf_paths, wide_paths
from weft.understand.paths.losses import with_losses
from weft.understand.paths.questions import questions
from weft.understand.paths.trials import LeafPairTrials, PathLog
from weft.understand.paths.wording import (
    NO_LEAVES,
    NOT_TOLD,
    TOO_FEW,
    Words,
    capacity_mbps,
    cut_short,
    loss_share,
    share,
    sprayed,
)
from weft.understand.xray.survey import survey_of

OVERTAKEN = 0.01
"""If a larger share of packets was reordered within connections, packets of one connection take several paths."""


@dataclass(frozen=True)
class PathReport:
    """Paths by pair of leaves, with slow and lossy links, and the share of reordered packets (None if not counted).
    `end` states what interrupted the search; empty if it was complete."""

    names: tuple[str, ...]
    pairs: tuple[LeafPaths, ...]
    slow: tuple[BadLink, ...]
    lossy: tuple[BadLink, ...] = ()
    overtaken_share: float | None = None
    end: str = ""

    @property
    def verdict(self) -> str:
        """The result in a few sentences."""
        told = [one for one in self.pairs if one.paths]
        if not self.pairs:
            return NO_LEAVES
        if any(one.kind == "sprayed" for one in self.pairs):
            return sprayed(self.overtaken_share or 0.0)
        cut = cut_short(self.pairs, self.end)
        if not told:
            return " ".join([*self._why_none(), *cut])
        words = Words(self.names)
        bad = [*map(words.lossy, self.lossy), *map(words.slow, self.slow)]
        odd = [*words.asymmetric(told), *words.uneven(told)]
        none_bad = f"No path{' found so far' if cut else ''} is slow or lossy."
        return " ".join([words.count(told), *odd, *(bad or [none_bad]), *cut])

    def _why_none(self) -> list[str]:
        """Why no paths were identified between the leaves whose search is complete."""
        kinds = {one.kind for one in self.pairs if one.is_complete}
        return [NOT_TOLD] if "not told" in kinds else [TOO_FEW] if kinds else []

    def lines(self) -> Iterator[str]:
        """A line for each pair of leaves."""
        return Words(self.names).lines(self.pairs)

    def to_json(self) -> PathsDocument:
        """The report as `weft diagnose --json` prints it."""
        names = list(self.names)
        slow: list[SlowEntry] = [
            {
                "side": one.side,
                "leaf": [names[node] for node in one.leaf],
                "to": self._other(one),
                "capacity_mbps": capacity_mbps(one),
                "share": share(one),
            }
            for one in self.slow
        ]
        lossy: list[LossyEntry] = [
            {
                "side": one.side,
                "leaf": [names[node] for node in one.leaf],
                "to": self._other(one),
                "loss_share": loss_share(one),
            }
            for one in self.lossy
        ]
        return {
            "pairs": [one.to_json(names) for one in self.pairs],
            "slow": slow,
            "lossy": lossy,
            "overtaken_share": self.overtaken_share,
        }

    def _other(self, link: BadLink) -> list[str] | None:
        return [self.names[node] for node in link.other] if link.side == "between" else None


def _told(pair: LeafPair, found: LeafPairTrials, is_complete: bool) -> LeafPaths:
    sorting = found.sorted()
    wide = wide_paths(pair, found.slow_paths(), is_complete) if sorting.may_be_wide else None
    return wide or leaf_paths(pair, sorting, is_complete)


def _end_of(meta: RunMeta, step: int) -> str:
    """What interrupted a search; empty if it completed."""
    if not any(done[0] == step for done in meta.done):
        return "The run ended"
    late = f"{meta.plan.steps[step].name}: "
    is_late = any(w.code == "time-was-up" and w.message.startswith(late) for w in meta.warnings)
    return "The search's time was up" if is_late else ""


def path_report(run: RunFolder, step: int) -> PathReport:
    """The report of a step of the pattern paths, complete or interrupted."""
    meta = run.meta
    names = [str(node["name"]) for node in meta.nodes]
    lost = frozenset(names.index(entry["node"]) for entry in meta.lost if entry["node"] in names)
    survey = survey_of(run.samples, meta, step, lost)
    pairs = leaf_pairs(leaves_of(survey.round_trip_us, survey.nodes))
    found = PathLog(step, pairs).read(run.samples, meta.phases)
    pattern, end = meta.plan.steps[step].pattern_as(Paths), _end_of(meta, step)
    told = [
        _told(pair, one, not end or not questions(pair, one, pattern.ports))
        for pair, one in zip(pairs, found, strict=True)
    ]
    counted = segments(run.side_table(EVIDENCE_NAME), step)
    overtaken = together(counted.values()).overtaken_share if counted else None
    if overtaken is not None and overtaken > OVERTAKEN:
        sprayed_pairs = tuple(one.sprayed() for one in told)
        return PathReport(tuple(names), sprayed_pairs, (), overtaken_share=overtaken)
    records = [one for one in meta.phases if one["step"] == step]
    told = with_losses(told, records, counted)
    slow, lossy = tuple(slow_links(told)), tuple(lossy_links(told))
    return PathReport(tuple(names), tuple(told), slow, lossy, overtaken, end)
