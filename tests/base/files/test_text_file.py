"""Reading files of text: what is none is one message with the file and the byte."""

from __future__ import annotations

import io
from pathlib import Path

import pytest

from weft.base.errors import RequestError
from weft.base.files.text_file import (
    ContentError,
    lines_of,
    parse_json,
    parse_toml,
    read_json,
    read_text,
    with_short_numbers,
)


def test_bytes_that_are_no_text_are_named_by_file_and_byte(tmp_path: Path) -> None:
    file = tmp_path / "sites.toml"
    file.write_bytes("é = 1\n".encode() + b"\xff")
    with pytest.raises(ContentError, match=r"sites\.toml: byte 7 is not UTF-8"):
        read_text(file)


def test_a_byte_order_mark_is_no_part_of_the_text(tmp_path: Path) -> None:
    file = tmp_path / "plan.toml"
    file.write_bytes(b"\xef\xbb\xbfname = 1\r\n")
    assert read_text(file) == "name = 1\r\n"


@pytest.mark.parametrize(
    "content, why",
    [
        (b'{"a": 1, "b\xff": 2}', r"byte 11 is not UTF-8"),
        (b'{"a": 1, "b": %s' % (b"[" * 100_000), "Expected `int`"),
        (b'{"a": %s}' % (b"9" * 5000), "out of range"),
        (b'{"a": ', "truncated"),
        (b'{"a": "x"}', "Expected `int`"),
    ],
)
def test_json_that_is_none_is_a_message(tmp_path: Path, content: bytes, why: str) -> None:
    file = tmp_path / "twin.json"
    file.write_bytes(content)
    with pytest.raises(ContentError, match=rf"twin\.json: damaged: .*{why}") as caught:
        read_json(file, dict[str, int], "damaged", "make it again")
    assert caught.value.exit_code == 2


def test_deep_brackets_are_a_message() -> None:
    with pytest.raises(ContentError, match="a frame: brackets are nested too deeply"):
        parse_json(b"[" * 100_000, object, "a frame")


@pytest.mark.parametrize(
    "text, why",
    [
        ("x = " + "9" * 5000, "digits"),
        ("x = " + "[" * 100_000, "nested too deeply"),
        ("x = \n", "line 1"),
    ],
)
def test_toml_that_is_none_is_a_message(text: str, why: str) -> None:
    with pytest.raises(ContentError, match=f"f.toml: not TOML: .*{why}"):
        parse_toml(text, "f.toml")


def test_a_file_is_read_no_further_than_its_limit(tmp_path: Path) -> None:
    file = tmp_path / "long"
    file.write_bytes(b"x" * 11)
    assert read_text(file, 11) == "x" * 11
    with pytest.raises(RequestError, match="more than 10 bytes"):
        read_text(file, 10)


def test_lines_end_alike_whichever_way_they_end_in_the_file() -> None:
    file = io.BytesIO(b"\xef\xbb\xbfone\ntwo\r\nthree\rfour\x0bfive")
    assert list(lines_of(file, "f")) == ["one\n", "two\n", "three\n", "four\x0bfive"]


def test_a_line_that_is_no_text_is_named_by_its_place_in_the_file() -> None:
    with pytest.raises(ContentError, match="f: byte 6 is not UTF-8"):
        list(lines_of(io.BytesIO(b"one\ntw\xff\n"), "f"))


def test_a_number_of_thousands_of_digits_is_refused() -> None:
    assert with_short_numbers("12 " * 1000 + "9" * 399, "f") != ""
    with pytest.raises(ContentError, match="f: a number of more than 400 digits"):
        list(lines_of(io.BytesIO(b"one " + b"9" * 5000), "f"))
