"""Citations as text and BibTeX."""

from __future__ import annotations

from msgspec import UNSET, Struct, UnsetType

from weft import __version__
from weft.base.catalog import did_you_mean
from weft.base.errors import RequestError
from weft.runs.folder import RunFolder
from weft.understand.citation.methods import method, place, when
from weft.understand.citation.publication import Publication, PublishedValue, publications
from weft.understand.citation.run_digest import RunDigest, digest_of

TITLE = "weft: characterise the interconnect of a computer cluster"


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
    known = publications()
    if name in known:
        return _publication(name, known[name])
    values = {one.id: (key, one) for key, each in known.items() for one in each.values}
    if name in values:
        key, value = values[name]
        return _publication(key, known[key], _value(value))
    guess = did_you_mean(name, [*known, *values])
    raise RequestError(
        f"{name}: no folder of a run, no publication and no published value",
        f"{guess}publications: {', '.join(known)}",
    )


def _publication(name: str, one: Publication, where: str = "") -> Citation:
    year = str(one.year)
    is_dated = year.isdigit()
    parts = [", ".join(one.authors), one.title, one.doc_type]
    text = ". ".join(part for part in [*parts, year if is_dated else "no year"] if part)
    entry = _bibtex(
        "misc",
        name,
        title=one.title,
        author=" and ".join(one.authors),
        year=year if is_dated else "",
        howpublished=one.doc_type,
        note=where or one.year_note,
    )
    return Citation(f"{text}.{f' {where}.' if where else ''}", entry)


def _value(one: PublishedValue) -> str:
    """Where it stands, and what it is."""
    unit = "" if one.unit in ("text", "count", "equation") else f" {one.unit}"
    return f"{one.source} ({one.quantity}: {one.value}{unit})"


def _bibtex(kind: str, key: str, **fields: str) -> str:
    """An entry; fields without a value are left out. What BibTeX would take as commands is escaped."""
    lines = [f"  {name} = {{{_escaped(value)}}}" for name, value in fields.items() if value]
    return f"@{kind}{{{key},\n" + ",\n".join(lines) + "\n}"


def _escaped(value: str) -> str:
    return "".join(f"\\{one}" if one in "&%$#_" else one for one in value)
