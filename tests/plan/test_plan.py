"""Plans through the bindings: the catalogue, and what happens to a wrong one."""

import json
import os
import re
from pathlib import Path

import msgspec
import pytest
from msgspec.structs import replace

from support.made.cases import cases
from support.paths import DATA
from support.refusals import refused
from weft import _core
from weft.base import catalog
from weft.base.errors import RequestError
from weft.plan.load import largest_message_bytes, load_plan, parse_plan
from weft.plan.pattern import Pingpong
from weft.plan.phases import Transfer, expand
from weft.plan.plan import Goal, Octaves, Plan, Powers, Step, TimeRule

GOOD = """
name = "good"
[[steps]]
name = "pingpong"
pattern = "pingpong"
sizes = { schedule = "powers", min = "1 B", max = "1 KiB" }
stop = { rule = "count", repeats = 10, trials = 3 }
"""


def refusal(old: str, new: str, tmp_path: Path) -> str:
    """The message about a plan file that is good but for one piece of text."""
    assert old in GOOD
    file = tmp_path / "wrong.toml"
    file.write_text(GOOD.replace(old, new, 1))
    with pytest.raises(RequestError) as caught:
        load_plan(str(file))
    assert caught.value.exit_code == 2
    return caught.value.message


@pytest.mark.parametrize(
    ("old", "new", "key", "value", "right"),
    cases("plans", "wrong"),
)
def test_wrong_plan_names_file_key_value_and_what_is_right(
    old: str, new: str, key: str, value: str, right: str, tmp_path: Path
) -> None:
    message = refusal(old, new, tmp_path)
    assert re.search(rf"wrong\.toml:\d+: {re.escape(f'{key} = {value}: ')}", message)
    assert right in message
    assert "\n" not in message


def test_missing_key_is_named(tmp_path: Path) -> None:
    message = refusal('name = "good"', "", tmp_path)
    assert "wrong.toml:1: name: missing: give the plan a name" in message
    message = refusal("[[steps]]", "[[steps]", tmp_path)
    assert re.search(r"wrong\.toml:3:\d+: not TOML: ", message)
    with refused("empty.toml:1: steps: missing: give at least one step"):
        parse_plan('name = "x"\n', "empty.toml")
    with refused('steps[1].name = "pingpong": steps[0] is called'):
        parse_plan(GOOD + GOOD[GOOD.index("[[") :], "twice.toml")


def test_size_limit_is_a_quarter_of_memory() -> None:
    largest = largest_message_bytes()
    memory = os.sysconf("SC_PAGE_SIZE") * os.sysconf("SC_PHYS_PAGES")
    assert memory // 4 == largest
    parse_plan(GOOD, "x", [("steps.0.sizes.max", f"{largest} B")])
    with pytest.raises(RequestError, match=rf"must be at most {largest}|must be at most \d+ GiB"):
        parse_plan(GOOD, "x", [("steps.0.sizes.max", f"{largest + 1} B")])


def test_overrides_replace_and_add() -> None:
    sizes = ("steps.pingpong.sizes.max", "64 KiB")
    plan = parse_plan(GOOD, "x", [("launches", "2"), sizes, ("title", "with spaces")])
    assert (plan.launches, plan.title) == (2, "with spaces")
    assert plan.steps[0].sizes == Powers(base=2, min_bytes=1, max_bytes=65536)
    with pytest.raises(RequestError, match=r'launchs=2.*unknown key, did you mean "launches"'):
        parse_plan(GOOD, "x", [("launchs", "2")])
    with refused("steps.stream: missing: give pingpong"):
        parse_plan(GOOD, "x", [("steps.stream.window", "2")])


def test_signature_plan_is_the_agreed_one() -> None:
    plan = load_plan("signature")
    (step,) = plan.steps
    assert plan.launches == 1000 and "signature" not in catalog.names("fabric")
    assert step.goal == Goal("decided", width_ppm=50_000, time_ns=2 * 10**9)
    assert step.pattern == Pingpong()
    assert step.stop == TimeRule(trial_ns=10_000_000, trials=5, at_most_ns=100_000_000)
    assert step.until_ns == 100_000_000


def test_sizes_at_equal_ratios_for_jumps_that_are_pinned() -> None:
    octaves = '{schedule="octaves", min="64 B", max="256 B", per_octave=2}'
    over = [("steps.pingpong.sizes", octaves), ("steps.pingpong.pin", "2 s")]
    (step,) = parse_plan(GOOD, "x", over).steps
    assert step.sizes == Octaves(per_octave=2, min_bytes=64, max_bytes=256)
    assert [phase.size_bytes for phase in expand(step, 2)] == [64, 91, 128, 181, 256]
    assert step.pin_ns == 2 * 10**9


def test_netpipe_sizes_are_those_of_the_real_netpipe() -> None:
    lines = (DATA / "np3.7.2.np.out").read_text().splitlines()
    real = [int(line.split()[0]) for line in lines]
    (step,) = load_plan("netpipe", [("steps.0.sizes.max", "4 KiB")]).steps
    assert [phase.size_bytes for phase in expand(step, 2)] == real


def test_transfers() -> None:
    (pingpong,) = parse_plan(GOOD, "x").steps
    (stream,) = load_plan("stream").steps
    there, back = Transfer(0, 1, bytes=1), Transfer(1, 0, bytes=1)
    assert expand(pingpong, 2)[0].transfers == (there, back)
    assert expand(stream, 2)[0].transfers == (there,)
    assert (expand(pingpong, 2)[0].work, expand(stream, 2)[0].work) == ("pingpong", "stream")


@pytest.mark.parametrize("name", catalog.names("plan"))
def test_a_plan_keeps_its_keys_and_values(name: str) -> None:
    """As `weft._core` writes it, so run.json has it, byte for byte, and reads it again."""
    text = catalog.read(catalog.find("plan", name))
    written = json.dumps(json.loads(_core.load_plan(text, name, [], 1 << 30)))
    plan = load_plan(name)
    assert plan.name == name
    assert json.dumps(msgspec.to_builtins(plan)) == written
    assert msgspec.convert(json.loads(written), Plan) == plan


def test_a_step_is_expanded_once(monkeypatch: pytest.MonkeyPatch) -> None:
    calls = []
    expand_step = _core.expand_step
    monkeypatch.setattr(_core, "expand_step", lambda *of: calls.append(of) or expand_step(*of))
    step = replace(parse_plan(GOOD, "x").steps[0], name="expanded-once")
    phases = expand(step, 2)
    again = expand(msgspec.convert(msgspec.to_builtins(step), Step), 2)
    assert again is phases and len(calls) == 1
    assert [phase.index for phase in phases] == list(range(11))


def test_too_few_nodes() -> None:
    (step,) = parse_plan(GOOD, "x").steps
    with refused('step "pingpong": pingpong needs 2 nodes'):
        expand(step, 1)
    (null,) = load_plan("overhead").steps
    assert expand(null, 1)


def test_what_is_no_plan_is_refused(tmp_path: Path) -> None:
    with refused("plan 'signatur': not in the catalogue") as caught:
        load_plan("signatur")
    assert caught.value.hint.startswith("did you mean signature? `weft list plans` lists all ")
    binary = tmp_path / "binary.toml"
    binary.write_bytes(b"name = \xff")
    for name, said in (
        (tmp_path / "none.toml", "none.toml: no such file"),
        (f"{tmp_path}/", "is a folder"),
        (binary, "byte 7 is not UTF-8"),
        ("/dev/zero", "/dev/zero: not a file"),
    ):
        with refused(said):
            load_plan(str(name))


def test_a_plan_from_a_pipe_is_read_and_one_that_nothing_writes_to_is_empty(tmp_path: Path) -> None:
    reader, writer = os.pipe()
    os.write(writer, GOOD.encode())
    os.close(writer)
    assert load_plan(f"/dev/fd/{reader}").steps == parse_plan(GOOD, "x").steps
    os.close(reader)
    silent = tmp_path / "plan.toml"
    os.mkfifo(silent)
    with pytest.raises(RequestError, match="name"):
        load_plan(str(silent))


def test_netpipes_rule_keeps_its_least_number_of_messages():
    stop = load_plan("netpipe").steps[0].stop
    assert stop == TimeRule(trial_ns=200_000_000, trials=3, at_least=3, at_most_ns=None)
    setting = ("steps.0.stop", '{ rule = "count", repeats = 9, trials = 1, at_least = 2 }')
    with pytest.raises(RequestError, match=r"at_least.*time"):
        load_plan("latency", [setting])


def test_a_step_for_each_value_of_a_setting_says_what_it_was_made_from() -> None:
    varied = GOOD + 'over.options.send_buffer = ["default", "8 KiB"]\n'
    steps = parse_plan(varied, "plan").steps
    assert [step.name for step in steps] == ["pingpong-default", "pingpong-8KiB"]
    assert [step.options.send_buffer_bytes for step in steps] == [None, 8192]
    assert steps[1].over and steps[1].over.of == "pingpong"
    assert steps[1].over.values == {"options.send_buffer": "8 KiB"}
    assert expand(steps[0], 2) == expand(steps[1], 2)
