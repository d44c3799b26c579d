"""Citations as text and BibTeX."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

from msgspec import UNSET, Struct, UnsetType

from weft import __version__
from weft.base import catalog
from weft.base.catalog import known_names
from weft.base.errors import RequestError
from weft.base.files.text_file import parse_toml
from weft.runs.folder import RunFolder
from weft.understand.citation.methods import method, place, when
from weft.understand.citation.run_digest import RunDigest, digest_of

TITLE = "weft: characterise the interconnect of a computer cluster"

KIND = "publication"
"""The kind of the catalogue's files with published values."""


class Citation(Struct, frozen=True):
    """How to cite something: a line for a list of references, the same in BibTeX, and of a run its digest and a
    paragraph on how it was measured."""

    text: str
    bibtex: str
    digest: RunDigest | UnsetType = UNSET
    methods: str | UnsetType = UNSET


def cite_weft() -> Citation:
    """weft itself, in this version; CITATION.cff says the same."""
    return Citation(
        f"The weft developers. {TITLE}. Version {__version__}.",
        _bibtex(
            "software", "weft", title=TITLE, author="{The weft developers}", version=__version__
        ),
    )


def cite_run(run: RunFolder) -> Citation:
    """A run: what, where, when, with which version, and the digest of its files."""
    meta = run.meta
    digest = digest_of(run)
    version = f"weft {meta.weft_version}" if meta.weft_version else "weft"
    title = f"Run of the plan {meta.plan.name} {place(meta)}"
    date = when(meta)
    told = [f"{title}{f', {date}' if date else ''}. {version}."]
    note = version
    if digest is not None:
        told.append(f"SHA-256 of its files: {digest.sha256}.")
        note += f"; SHA-256 of the run folder: {digest.sha256}"
    key = f"weft-{meta.plan.name}-{digest.sha256[:8] if digest else 'simulated'}"
    year = meta.started[:4]
    entry = _bibtex("misc", key, title=title, year=year, note=note, howpublished="Data set")
    return Citation(" ".join(told), entry, digest or UNSET, method(run, digest))


def cite_published(name: str) -> Citation:
    """A publication of the catalogue by its name, such as nic_offload, or one of its values by its id, such as
    e7_asic_limit_mbps; raises RequestError if there is neither."""
    known = catalog.names(KIND)
    if name in known:
        return _publication(name, _read(name))
    ids: list[str] = []
    for source in known:
        document = _read(source)
        for result in document.get("result", ()):
            ids.append(result["id"])
            if result["id"] == name:
                return _value(source, document, result)
    hint = _nearest(name, [*known, *ids], known)
    raise RequestError(f"{name}: no folder of a run, no publication and no published value", hint)


def _nearest(name: str, names: Sequence[str], known: Sequence[str]) -> str:
    """A name that is like it, among those of values too, of which there are too many to list."""
    guess, _, _ = known_names(name, names).partition("known: ")
    return f"{guess}publications: {', '.join(known)}"


def _publication(name: str, document: dict[str, Any], where: str = "") -> Citation:
    authors = document.get("authors", [])
    year = str(document["year"])
    is_dated = year.isdigit()
    parts = [", ".join(authors), document["title"], document.get("doc_type", "")]
    text = ". ".join(part for part in [*parts, year if is_dated else "no year"] if part)
    entry = _bibtex(
        "misc",
        name,
        title=document["title"],
        author=" and ".join(authors),
        year=year if is_dated else "",
        howpublished=document.get("doc_type", ""),
        note=where or document.get("year_note", ""),
    )
    return Citation(f"{text}.{f' {where}.' if where else ''}", entry)


def _value(name: str, document: dict[str, Any], result: dict[str, Any]) -> Citation:
    unit = "" if result["unit"] in ("text", "count", "equation") else f" {result['unit']}"
    return _publication(
        name,
        document,
        f"{result['source']} ({result['quantity']}: {result['value']}{unit})",
    )


def _read(name: str) -> dict[str, Any]:
    path = catalog.find(KIND, name)
    return parse_toml(catalog.read(path), catalog.shown(path))


def _bibtex(kind: str, key: str, **fields: str) -> str:
    """An entry; fields without a value are left out. What BibTeX would take as commands is escaped."""
    lines = [f"  {name} = {{{_escaped(value)}}}" for name, value in fields.items() if value]
    return f"@{kind}{{{key},\n" + ",\n".join(lines) + "\n}"


def _escaped(value: str) -> str:
    return "".join(f"\\{one}" if one in "&%$#_" else one for one in value)
