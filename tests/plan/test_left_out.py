"""A transport given beside a plan: the plan's own options for another one are left out, by name."""

from support.refusals import refused
from weft.plan.load import load_plan


def test_netpipe_over_mpi_goes_without_what_only_sockets_have() -> None:
    plan = load_plan("netpipe", [("steps.*.transport", "mpi")])
    assert plan.steps[0].transport == "mpi" and plan.left_out == ("steps[0].options.wait",)


def test_what_the_other_transport_has_too_stays() -> None:
    plan = load_plan("netpipe", [("steps.*.transport", "unix")])
    assert plan.steps[0].options.wait == "block" and not plan.left_out


def test_what_is_asked_beside_the_plan_is_refused_as_before() -> None:
    for key, value in (("options.wait", "block"), ("options", "{ wait = 'block' }")):
        with refused("options.wait"):
            load_plan("netpipe", [("steps.*.transport", "mpi"), (f"steps.pingpong.{key}", value)])


def test_a_plan_as_it_is_written_leaves_nothing_out() -> None:
    assert not load_plan("netpipe").left_out
