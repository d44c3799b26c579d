"""Writes traces of Chakra as its schema says (mlcommons/chakra, et_def.proto): each message behind its length."""

from __future__ import annotations

from collections.abc import Iterable
from pathlib import Path

COMP, SEND, RECV, COLL = 4, 5, 6, 7
ALL_REDUCE, BROADCAST, BARRIER = 0, 5, 9


def node(
    number: int,
    kind: int,
    needs: Iterable[int] = (),
    micros: int = 0,
    name: str = "",
    inputs: str = "",
    **attributes: int | str | bool,
) -> bytes:
    """A node, with the ids of those that have to end before it."""
    parts = [_number(1, number), _text(2, name or f"node{number}"), _number(3, kind)]
    parts += [_number(5, one) for one in needs]
    parts += [_number(7, micros), _inside(8, _text(1, inputs))]
    parts += [_inside(10, _text(1, key) + _value(value)) for key, value in attributes.items()]
    return b"".join(parts)


def write(folder: Path, ranks: list[list[bytes]], name: str = "app") -> Path:
    """The files of all ranks; gives their folder."""
    for rank, nodes in enumerate(ranks):
        messages = [_text(1, "1.0.0"), *nodes]
        content = b"".join(_varint(len(one)) + one for one in messages)
        (folder / f"{name}.{rank}.et").write_bytes(content)
    return folder


def _value(value: int | str | bool) -> bytes:
    if isinstance(value, bool):
        return _number(27, int(value))
    return _text(29, value) if isinstance(value, str) else _number(9, value)


def _number(tag: int, number: int) -> bytes:
    return _varint(tag << 3) + _varint(number % (1 << 64))


def _text(tag: int, text: str) -> bytes:
    return _inside(tag, text.encode())


def _inside(tag: int, content: bytes) -> bytes:
    return _varint(tag << 3 | 2) + _varint(len(content)) + content


def _varint(number: int) -> bytes:
    found = bytearray()
    while number > 127:
        found.append(number & 127 | 128)
        number >>= 7
    found.append(number)
    return bytes(found)
