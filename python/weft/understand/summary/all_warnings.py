"""The warnings of a run, which show, print, diagnosis and Python say alike."""

from __future__ import annotations

from weft.runs.folder import RunFolder
from weft.runs.meta import Warning
from weft.understand.curve.signature import Signature, signature
from weft.understand.summary.predictions import PredictionCheck, held


def warnings_of(run: RunFolder) -> list[Warning]:
    """What is needed to interpret a run; raises RequestError if its prediction cannot be read."""
    return joined_warnings(run, signature(run), held(run))


def joined_warnings(
    run: RunFolder, signature: Signature | None, prediction: PredictionCheck | None
) -> list[Warning]:
    """The warnings that were recorded, the notes of the signature, and those of the prediction."""
    notes = signature.notes if signature else []
    return [*run.meta.warnings, *notes, *(prediction.warnings if prediction else [])]
