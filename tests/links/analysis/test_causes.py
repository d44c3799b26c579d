"""Each fault has its class, by what failed with it and what did not."""

from collections.abc import Callable

import pytest

from support.made.probes import MONDAY, lose, mark, probes, stop
from weft.links.analysis.causes import CLASSES, Incident, find_incidents
from weft.links.analysis.series import ProbeSeries

Fail = Callable[[ProbeSeries], ProbeSeries]

ICMP, CONNECT, TCP, UDP = range(4)
KINDS = ICMP, CONNECT, TCP, UDP
SITES = "abcd"


def mesh() -> list[ProbeSeries]:
    """All pairs of four sites, by all kinds, small and large."""
    return [link(x, y) for x in SITES for y in SITES if x != y]


def link(src: str = "a", dst: str = "b", network: str = "") -> ProbeSeries:
    return probes(3000, src=src, dst=dst, network=network, kinds=KINDS, sizes=(8, 20_000))


def down(series: ProbeSeries) -> ProbeSeries:
    return lose(series, 500, 560)


def silent(series: ProbeSeries) -> ProbeSeries:
    return stop(series, 500, 560)


def without(*kinds: int) -> Fail:
    """Probes of these kinds fail."""

    def fail(series: ProbeSeries) -> ProbeSeries:
        for kind in kinds:
            lose(series, 500, 560, kind=kind)
        return series

    return fail


def each(**by_end: Fail) -> Fail:
    """What happens to links by their source (`src_b`), their destination (`dst_b`), or their ends (`a_b`)."""

    def fail(series: ProbeSeries) -> ProbeSeries:
        for name in (f"src_{series.src}", f"dst_{series.dst}", f"{series.src}_{series.dst}"):
            series = by_end.get(name, lambda same: same)(series)
        return series

    return fail


def noted(what: str, begin_s: float, end_s: float | None = None) -> Fail:
    return lambda series: mark(series, what, begin_s, end_s)


def both(first: Fail, second: Fail) -> Fail:
    return lambda series: second(first(series))


CASES: dict[str, tuple[Fail, str, str]] = {
    "a dead host": (each(src_b=silent, dst_b=down), "their host", "our host"),
    "a dead host without its last flush": (
        each(src_b=lambda s: stop(s, 490, 565), dst_b=down),
        "their host",
        "our host",
    ),
    "a dead carrier": (each(src_b=down, dst_b=down), "their carrier", "our carrier"),
    "no carrier": (
        each(src_b=both(down, noted("carrier-down", 510)), dst_b=down),
        "their carrier",
        "our carrier",
    ),
    "a dead path": (each(a_b=down, b_a=down, a_c=down, c_a=down), "path", "path"),
    "what goes out is lost": (
        each(a_b=down, b_a=both(down, noted("one-way", 505))),
        "one direction",
        "one direction",
    ),
    "ICMP is filtered": (each(a_b=without(ICMP)), "ICMP filtered", ""),
    "TCP is filtered": (each(a_b=without(CONNECT, TCP)), "port filtered", ""),
    "UDP is filtered": (each(a_b=without(UDP)), "port filtered", ""),
    "an MTU black hole": (
        each(a_b=lambda s: lose(s, 500, 560, size=20_000), b_a=lambda s: s),
        "large packets",
        "",
    ),
    "a dead agent": (
        each(src_b=silent, dst_b=without(CONNECT, TCP, UDP)),
        "their agent",
        "our agent",
    ),
    "an agent that was killed": (
        each(src_b=both(lambda s: stop(s, 480, 520), noted("agent-start", 519))),
        "",
        "our agent",
    ),
    "an agent that was told to stop": (
        each(src_b=both(silent, both(noted("agent-stop", 500), noted("agent-start", 559)))),
        "",
        "",
    ),
    "a stopped agent": (
        each(src_b=both(silent, noted("stall", 500, 560)), dst_b=without(TCP, UDP)),
        "their machine",
        "our machine",
    ),
    "a suspended host": (
        each(src_b=both(silent, noted("suspend", 500, 560)), dst_b=down),
        "their machine",
        "our machine",
    ),
}


@pytest.mark.parametrize("case", CASES)
def test_a_fault_is_named_alike_from_both_ends(case: str) -> None:
    fail, there, back = CASES[case]
    found = find_incidents([fail(one) for one in mesh()])
    assert {one.what for one in found} <= set(CLASSES)
    assert (of(found, "a", "b"), of(found, "b", "a")) == (there, back)
    assert not of(found, "c", "d")


def of(found: list[Incident], src: str, dst: str, network: str = "") -> str:
    """The classes of a link's incidents."""
    return ", ".join(
        one.what for one in found if (one.src, one.dst, one.network) == (src, dst, network)
    )


def test_a_tunnel_that_is_dead_alone_is_told_from_one_whose_path_is() -> None:
    alone = [*mesh(), down(link(network="vpn"))]
    assert of(find_incidents(alone), "a", "b", "vpn") == "tunnel"
    with_path = [*map(each(a_b=down, b_a=down), mesh()), down(link(network="vpn"))]
    assert of(find_incidents(with_path), "a", "b", "vpn") == "path"


def test_a_host_that_boots_is_back_before_its_agent_is() -> None:
    def boot(series: ProbeSeries) -> ProbeSeries:
        for kind in (CONNECT, TCP, UDP):
            lose(series, 560, 600, kind=kind)
        return down(series)

    found = find_incidents([each(src_b=lambda s: stop(s, 500, 600), dst_b=boot)(s) for s in mesh()])
    assert of(found, "a", "b") == "their host, their agent"
    host, agent = (one for one in found if (one.src, one.dst) == ("a", "b"))
    assert host.end_s == pytest.approx(MONDAY + 560)
    assert agent.end_s == pytest.approx(MONDAY + 600, abs=2)


def test_what_is_not_fetched_yet_is_no_silence() -> None:
    """The folder has what a has measured in an outage of the path, but nothing of b since."""
    now_s = 510.0
    links = [each(a_b=down, b_a=down)(one) for one in mesh()]
    known = [one.where(one.time_s < (495 if one.src == "b" else now_s)) for one in links]
    assert of(find_incidents(known), "a", "b") == "path"
    dead = [each(src_b=silent, dst_b=down)(one) for one in mesh()]
    later = [one.where(one.time_s < 545) for one in dead]
    assert of(find_incidents(later), "a", "b") == "their host"


def test_a_site_without_an_agent_is_blamed_where_nothing_reaches_it() -> None:
    links = [each(dst_b=down)(one) for one in mesh() if one.src != "b"]
    assert of(find_incidents(links), "a", "b") == "their host"


def test_both_ends_of_a_host_that_was_down_say_the_same_of_it() -> None:
    found = find_incidents([each(src_b=silent, dst_b=down)(one) for one in mesh()])
    assert {one.what for one in found} == {"their host", "our host"}
    assert {one.cause for one in found} == {"host of b"}
