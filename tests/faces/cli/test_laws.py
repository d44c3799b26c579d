"""`weft laws`: the table, the document, the figure."""

from pathlib import Path

import pytest

from support.here import refusal, weft, weft_json

THESIS = ("--alpha", "1", "--beta", "0.4", "--p", "0.55", "--sigma", "0.62")


def test_json_has_the_documented_keys() -> None:
    document = weft_json("laws", "--gamma", "0:3.5", *THESIS)
    assert document["best"] == pytest.approx({"gamma": 0.17, "gain": 1.17 / 0.62 - 1})
    assert len(document["points"]) == 36
    assert set(document["points"][0]) == {
        "gamma", "before", "after", "gain", "limit_before", "limit_after",
    }  # fmt: skip
    for point in document["points"]:
        assert point["gain"] == pytest.approx(point["after"] / point["before"] - 1)
    assert [each["high"] for each in document["regimes"]] == pytest.approx([0.17, 3.5])


def test_the_table_says_best_regimes_and_points() -> None:
    text = weft("laws", *THESIS).stdout
    assert "greatest gain +88.7% at gamma 0.17" in text
    assert [line.split() for line in text.splitlines()[3:5]] == [
        ["0", "0.17", "host", "link", "rises"],
        ["0.17", "3.5", "host", "host", "falls"],
    ]
    assert len(text.splitlines()) == 5 + 3 + 36
    # A long range is thinned, but in the table only.
    assert len(weft("laws", *THESIS, "--gamma", "0:3.5:0.001").stdout.splitlines()) < 70
    assert len(weft_json("laws", *THESIS, "--gamma", "0:3.5:0.001")["points"]) == 3501
    text = weft("laws", *THESIS, "--gamma", "0:0.1").stdout
    assert "greatest gain +77.4% at gamma 0.1, where the range ends and it still rises" in text


def test_deviations_make_it_the_modified_model() -> None:
    document = weft_json("laws", *THESIS, "--tau", "0.147")
    assert document["best"]["gamma"] == pytest.approx(0.62 / 1.147 - 0.45)
    assert document["parameters"]["tau"] == 0.147


def test_the_figure_is_written_as_svg_and_png(tmp_path: Path) -> None:
    document = weft_json("laws", *THESIS, "--figures", tmp_path)
    assert document["figures"] == [str(tmp_path / "laws.svg"), str(tmp_path / "laws.png")]
    text = (tmp_path / "laws.svg").read_text()
    assert "host before, link after" in text and "+88.7% at gamma 0.17" in text
    assert (tmp_path / "laws.png").read_bytes().startswith(b"\x89PNG")


@pytest.mark.parametrize(
    ("option", "value", "said"),
    [
        ("--gamma", "3.5", 'gamma "3.5": not a range'),
        ("--p", 1.5, "p 1.5: not between 0 and 1"),
        ("--alpha", -1, "alpha -1.0: must be a number greater than 0"),
        ("--beta", 0, "beta 0.0: must be a number greater than 0"),
        ("--sigma", 0, "sigma 0.0: must be a number greater than 0"),
        ("--tau", -1, "tau -1.0: must be a number greater than -1"),
    ],
)
def test_what_cannot_be_is_refused(option: str, value: object, said: str) -> None:
    assert said in refusal("laws", *THESIS, option, str(value))


def test_a_wrong_request_ends_with_2_and_one_message() -> None:
    error, hint, _ = refusal("laws", "--p", "0.5", "--sigma", "0").splitlines()
    assert error == "error: sigma 0.0: must be a number greater than 0"
    assert hint.startswith("  hint: sigma is the host's rate over the link's")
    assert "Missing option '--sigma'" in refusal("laws", "--p", "0.5")
