"""Calls from Python that are wrong: each error is a public class, and says what to call instead."""

import inspect
from collections.abc import Callable

import pytest

import weft
from weft.faces.api.public.words import in_python

NAMES = frozenset({"out", "cpus", "on", "prices", "rates", "goal", "changes"})


@pytest.mark.parametrize(
    ("call", "says", "hint"),
    [
        (lambda: weft.simulate("aapc", "two-racks", scale="0.1"), "must be a number", "scale=0.1"),
        (lambda: weft.simulate("aapc", None), "a Fabric or a Machine, and is None", "help("),
        (lambda: weft.open(3), "must be a text or a path, and is the int 3", "help(weft.open)"),
        (lambda: weft.run("aapc", "sim:two-racks", launches="3"), "whole number", "launches=3"),
        (lambda: weft.run("aapc", "sim:two-racks", launches=True), "whole number", "help("),
        (lambda: weft.run("aapc", "sim:two-racks", scale=float("nan")), "nan", "help("),
        (lambda: weft.run("aapc", "sim:two-racks", cpus=[1, "a"]), "list of whole", "help("),
        (lambda: weft.run("aapc", "sim:two-racks", launch=3), "no argument launch", "launches?"),
        (lambda: weft.run("aapc", "sim:pair", settings={3: 1}), "texts as keys", "help("),
        (lambda: weft.foresee("pair", alternatives={"a": "b"}), "of lists of texts", "help("),
        (lambda: weft.laws(p=0.5, sigma=0.5, gamma=("a", 2)), "tuple of 2 numbers", "help("),
        (lambda: weft.run("aapc"), "on is missing", "help(weft.run)"),
        (lambda: weft.run("a", "b", "c"), "too many positional", "help(weft.run)"),
        (lambda: weft.foresee("pair", "x", plans="aapc"), "list of texts", "plans=['aapc']"),
        (lambda: weft.run("lab:pair", "signature"), "swapped", "('signature', on='lab:pair')"),
        (lambda: weft.simulate("two-racks", "aapc"), "swapped", "('aapc', 'two-racks')"),
    ],
)
def test_wrong_call_says_what_to_call(call: Callable[[], object], says: str, hint: str) -> None:
    with pytest.raises(weft.ArgumentError) as raised:
        call()
    assert isinstance(raised.value, weft.RequestError) and isinstance(raised.value, TypeError)
    assert says in raised.value.message and hint in raised.value.hint
    assert str(raised.value) == f"{raised.value.message}\nhint: {raised.value.hint}"


@pytest.mark.parametrize(
    "call",
    [
        lambda: weft.simulate({"name": "x", "steps": [{}]}, "pair"),
        lambda: weft.simulate({"name": None}, "pair"),
        lambda: weft.simulate("aapc", "two-racks", settings={"steps.aapc.size": 1}),
        lambda: weft.bill("two-racks"),
        lambda: weft.open("nowhere"),
        lambda: weft.run("aapc", "sim:pair", patience_s=-1),
        lambda: weft.ports(["a"], on="lab:pair", limit_s=-1),
        lambda: weft.models["hock"],
    ],
)
def test_error_is_a_public_class_and_names_no_option(call: Callable[[], object]) -> None:
    with pytest.raises(weft.RequestError) as raised:
        call()
    assert type(raised.value) is weft.RequestError and type(raised.value).__module__ == "weft"
    assert "--" not in str(raised.value)


def test_method_of_a_run_is_checked_too() -> None:
    run = weft.simulate("aapc", "pair")
    with pytest.raises(weft.ArgumentError, match="figure must be a text"):
        run.plot(3)  # type: ignore[arg-type]
    with pytest.raises(weft.RequestError, match="no column 3"):
        run.routes[3]  # type: ignore[index]


@pytest.mark.parametrize(
    ("said", "spoken"),
    [
        ("choose another --out", "choose another `out`"),
        ("--cpus a: not a list", "cpus='a': not a list"),
        ("for example --cpus 0,1", "for example cpus='0,1'"),
        ("--on ssh:a,b, or --host c", "on='ssh:a,b', or --host c"),
        ("give --prices FILE; or", "give prices=FILE; or"),
        ("give --rate EUR=X, where", 'give rates={"EUR": X}, where'),
        ("--for takes stream; known: a", "`goal` takes stream; known: a"),
        ('such as --change "a*=2"', 'such as "a*=2"'),
        ("or `weft run --resume runs/x`", "or `weft.open('runs/x').resume()`"),
        ("records of `weft check --out`", "records of `weft check --out`"),
    ],
)
def test_options_become_arguments(said: str, spoken: str) -> None:
    assert in_python(said, NAMES) == spoken


def test_a_prediction_at_what_is_no_number_is_refused() -> None:
    model = weft.fit(weft.simulate("netpipe", "node:p4-400-base"), model="hockney")
    for wrong in ("x", [-1], None):
        with pytest.raises(weft.ArgumentError, match=r"predict: .* numbers"):
            model.predict(wrong)  # type: ignore[arg-type]


def test_help_of_a_long_signature_has_short_lines() -> None:
    lines = str(inspect.signature(weft.run)).splitlines()
    assert len(lines) > 4 and max(map(len, lines)) < 90
    assert {"plan", "launches"} <= set(inspect.signature(weft.run).parameters)
