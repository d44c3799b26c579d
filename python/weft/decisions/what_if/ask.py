"""A what-if, from the user's request to what is printed and stored."""

from __future__ import annotations

import tempfile
from collections.abc import Iterator, Sequence
from contextlib import contextmanager
from dataclasses import dataclass
from pathlib import Path

import msgspec

from weft.base.errors import RequestError
from weft.decisions.what_if.alternative import Alternative
from weft.decisions.what_if.foresee import WhatIfQuestion, foresee
from weft.decisions.what_if.labs import carried_scale, document_of
from weft.decisions.what_if.network import Subject, open_subject
from weft.decisions.what_if.result import (
    WHAT_IF,
    AlternativeOutcome,
    WhatIfResult,
    with_outcomes,
)
from weft.decisions.what_if.verify import LAUNCHES, Bench, verify
from weft.decisions.what_if.workloads import BLOCK_S, LAB_BLOCK_S, workloads
from weft.measure.execute.progress import Reporter
from weft.network.cost.prices import read_prices
from weft.runs.work_document import fresh_folder, write


@dataclass(frozen=True)
class WhatIfRequest:
    """`subject` is a twin's folder, a fabric or a generator. Without `plans` the workload is an all-to-all. `scale` is
    that of the prediction and of the labs; by default the labs have one that this machine carries. `prices` is a file
    of prices, or the catalogue's, instead of the fabric's own."""

    subject: str
    alternatives: Sequence[Alternative]
    plans: Sequence[str] = ()
    settings: Sequence[tuple[str, str]] = ()
    scale: float | None = None
    verify: bool = False
    launches: int = LAUNCHES
    out: Path | None = None
    prices: str | None = None


def ask(asked: WhatIfRequest, reporter: Reporter | None = None) -> WhatIfResult:
    """Predict all alternatives and, if requested, build them; raises RequestError.

    Predictions are stored before anything is measured.
    """
    _check(asked)
    subject = open_subject(asked.subject)
    question = _question(asked, subject, asked.alternatives, asked.scale or 1.0, BLOCK_S)
    found = foresee(question)
    with _folder(asked) as folder:
        _keep(found, question, asked.out)
        if asked.verify:
            outcomes = [_verified(asked, subject, one, folder, reporter) for one in found.outcomes]
            found = with_outcomes(found, outcomes)
            _keep(found, question, asked.out)
    return found


def _check(asked: WhatIfRequest) -> None:
    """Raise RequestError if there is no alternative, a name occurs twice, or existing files would be overwritten."""
    if not asked.alternatives:
        raise RequestError(
            "what is to be changed?", 'for example --change "links.backplane.rate*=2"'
        )
    names = [one.name for one in asked.alternatives]
    if twice := next((name for name in names if names.count(name) > 1), None):
        raise RequestError(f"the alternative {twice!r} is there twice", "leave one of them out")
    out = asked.out
    if out is not None and out.exists() and (not out.is_dir() or any(out.iterdir())):
        raise RequestError(f"{out}: is there already", "give a new folder")


def _question(
    asked: WhatIfRequest,
    subject: Subject,
    alternatives: Sequence[Alternative],
    scale: float,
    block_s: float,
) -> WhatIfQuestion:
    plans = workloads(subject, asked.plans, asked.settings, scale, block_s)
    prices = None if asked.prices is None else read_prices(asked.prices)
    return WhatIfQuestion(subject, alternatives, plans, scale, prices)


def _verified(
    asked: WhatIfRequest,
    subject: Subject,
    outcome: AlternativeOutcome,
    folder: Path,
    reporter: Reporter | None,
) -> AlternativeOutcome:
    if outcome.failed:
        return outcome
    number, one = next(
        (number, one)
        for number, one in enumerate(asked.alternatives, 1)
        if one.name == outcome.name
    )
    scale = asked.scale or carried_scale([subject.median, one.after(subject.median)])
    question = _question(asked, subject, [one], scale, LAB_BLOCK_S)
    bench = Bench(folder / f"labs-{number}", scale, asked.launches)
    return msgspec.structs.replace(outcome, verification=verify(question, one, bench, reporter))


@contextmanager
def _folder(asked: WhatIfRequest) -> Iterator[Path]:
    """The folder for everything: the requested one, or a temporary one."""
    if asked.out is None:
        with tempfile.TemporaryDirectory(prefix="weft-what-if-") as folder:
            yield Path(folder)
        return
    with fresh_folder(asked.out):
        asked.out.mkdir(parents=True, exist_ok=True)
        yield asked.out


def _keep(found: WhatIfResult, question: WhatIfQuestion, out: Path | None) -> None:
    """Write the results, and the networks as fabric files if possible."""
    if out is None:
        return
    WHAT_IF.write(out, found)
    before = question.subject.median
    networks = {"before": before}
    for number, one in enumerate(question.alternatives, 1):
        if not next(each for each in found.outcomes if each.name == one.name).failed:
            networks[f"after-{number}"] = one.after(before)
    for name, network in networks.items():
        try:
            text = document_of(network).text
        except RequestError:
            continue
        write(out / f"{name}.toml", text.encode())


def read_what_if(folder: Path) -> WhatIfResult:
    """A stored what-if; raises RequestError."""
    return WHAT_IF.read(folder)
