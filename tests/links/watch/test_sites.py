"""sites.toml: which links it means, how often they are probed, and what is wrong with it."""

from contextlib import nullcontext

import pytest

from weft.base.errors import RequestError
from weft.links.watch.alerts.settings import AlertSettings, check_command
from weft.links.watch.sites import parse_sites

TWO = """
[[sites]]
name = "east"
on = "ssh:east"
address = "east.example"
networks = { vpn = "10.8.0.1" }
[[sites]]
name = "west"
on = "ssh:west"
networks = { vpn = "10.8.0.2" }
"""


def test_both_directions_of_each_network_with_a_turn_each() -> None:
    links = parse_sites(TWO).links
    assert [(one.src, one.dst, one.network, one.turn) for one in links] == [
        ("east", "west", "", 0),
        ("west", "east", "", 1),
        ("east", "west", "vpn", 0),
        ("west", "east", "vpn", 1),
    ]


def test_a_site_without_an_agent_is_only_probed() -> None:
    third = TWO + '[[sites]]\nname = "far"\naddress = "192.0.2.7"\n'
    links = parse_sites(third).links
    assert {one.dst for one in links if one.src == "far"} == set()
    assert {one.src for one in links if one.dst == "far"} == {"east", "west"}


@pytest.mark.parametrize(
    ("rate", "interval_s"), [("2 Mb/s", 20.88), ("10 Mb/s", 4.176), ("1 Gb/s", 1.0)]
)
def test_a_slow_link_is_probed_less_often(rate: str, interval_s: float) -> None:
    """0.2 % of 2 Mb/s are 500 B/s; a probe has 8 B, or 20 kB in 14 frames, and 58 B of headers a frame."""
    text = TWO + f'[[links]]\nbetween = ["east", "west"]\nrate = "{rate}"\n'
    assert parse_sites(text).links[0].interval_s == pytest.approx(interval_s, rel=1e-3)


@pytest.mark.parametrize(
    ("command", "is_there"),
    [
        ("no-such-program -x", False),
        ("A=1 no-such-program", False),
        ("sh -c 'exit 1'", True),
        ("cd / && no-such-program", True),
        ("", True),
    ],
)
def test_a_command_that_is_not_there_is_refused_at_the_start(command: str, is_there: bool) -> None:
    with nullcontext() if is_there else pytest.raises(RequestError, match="no-such-program is not"):
        check_command(AlertSettings(command=command))


def test_hours_of_a_link_are_its_source_s_else_its_destination_s() -> None:
    text = TWO.replace('name = "east"', 'name = "east"\ntimezone = "Asia/Tokyo"', 1)
    links = parse_sites(text).links
    assert {one.timezone for one in links} == {"Asia/Tokyo"}
    text = text.replace('name = "west"', 'name = "west"\ntimezone = "Europe/Berlin"', 1)
    found = {one.src: one.timezone for one in parse_sites(text).links}
    assert found == {"east": "Asia/Tokyo", "west": "Europe/Berlin"}
    assert {one.timezone for one in parse_sites(TWO).links} == {"UTC"}


def test_how_long_probes_stay() -> None:
    text = '[watch]\nretain = "1 y"\nthin = { after = "30 d", to = "2 min" }\n'
    found = parse_sites(text + TWO).settings
    assert found.thin is not None
    assert (found.retain_s, found.thin.after_s, found.thin.to_s) == (
        365.25 * 86400,
        30 * 86400,
        120,
    )


@pytest.mark.parametrize(
    ("text", "said"),
    [
        ("[watch]\nintervall = '1 s'\n" + TWO, "sites.toml:2: watch.intervall"),
        ("[watch]\nbudget = '2 s'\n" + TWO, "sites.toml:2: watch.budget"),
        ("[watch]\nkinds = ['smoke']\n" + TWO, "smoke is none of icmp"),
        ("[watch]\nretain = '3 s'\n" + TWO, "watch.retain"),
        ("[watch]\nretain = '3 h'\n" + TWO, "a day or more"),
        ("[watch]\nthin = 3\n" + TWO, "watch.thin = 3: must be a table"),
        ("[watch]\nthin = { to = '1 min' }\n" + TWO, "needs `after`"),
        ("[watch]\nthin = { after = '30 d', to = '5 min' }\n" + TWO, "180 s or less"),
        ("[watch]\nthin = { afer = '30 d' }\n" + TWO, "sites.toml:2: watch.thin.afer"),
        ("[watch]\nretain = '30 d'\nthin = { after = '30 d' }\n" + TWO, "less than `retain`"),
        (TWO.replace('"west"', '"east"', 1), "each with its own name"),
        (
            TWO.replace('"west"', '"west"\ntimezone = "Middle/Earth"', 1),
            "timezone = 'Middle/Earth': is no time zone of the IANA, such as Europe/Berlin",
        ),
        (TWO + '[[links]]\nbetween = ["east", "north"]\n', "must be two of east, west"),
        ('[[sites]]\nname = "a"\n', "needs an address"),
        (
            TWO + "[alerts]\nwebhook = 'ftp://a/'\n",
            "alerts.webhook = 'ftp://a/': must be an address",
        ),
        (TWO + "[alerts]\nkinds = ['rain']\n", "rain is none of outages"),
        (TWO + "[alerts]\nloss = '120 %'\n", "alerts.loss"),
        (TWO + "[alerts]\ncomand = 'mail'\n", "sites.toml:\\d+: alerts.comand"),
        ("sites = 3", "sites = 3: must be tables, each below \\[\\[sites"),
    ],
)
def test_what_is_wrong_is_said_with_its_place(text: str, said: str) -> None:
    with pytest.raises(RequestError, match=said):
        parse_sites(text)


def test_more_links_than_probes_can_name_are_refused() -> None:
    """182 sites have 16,471 pairs, each in both directions."""
    site = '[[sites]]\nname = "s{0}"\non = "ssh:s{0}"\n'
    with pytest.raises(RequestError, match="32,942 links; a watch has at most 32,768"):
        parse_sites("".join(site.format(number) for number in range(182)))
    assert len(parse_sites("".join(site.format(number) for number in range(181))).links) == 32_580
