"""From what agents see of sockets to the rules: a job of two ranks on each of two nodes, as a launcher starts it."""

import shutil
import subprocess

import pytest
from msgspec.structs import replace

from weft.base.errors import RequestError
from weft.measure.testbed.agent.reply import (
    ProcessTimes,
    SocketEvent,
    SocketsReply,
    SocketWatchReply,
)
from weft.measure.testbed.ports import PortRange
from weft.operate.job_ports import firewall
from weft.operate.job_ports.ask import Pins, counts, hosts_named
from weft.operate.job_ports.connection import JobConnection, PortUsage, RemainingProcess
from weft.operate.job_ports.rules import rules_of
from weft.operate.job_ports.seen import NodeReport
from weft.operate.job_ports.study import PUBLISHED, as_in_the_study
from weft.operate.job_ports.usage import usage_of

A, B = "10.0.0.1", "10.0.0.2"
ANY = (32768, 60999)


def process(pid, parent, name, first_s=0.0, last_s=9.0, is_rank=False, was_there=False):
    return ProcessTimes(
        pid, parent, name, is_rank, int(first_s * 1e9), int(last_s * 1e9), was_there
    )


def event(at_s, what, local, remote=None, pid=0, was_there=False, protocol="tcp"):
    return SocketEvent(int(at_s * 1e9), what, protocol, local, remote, pid, was_there)


PROCESSES = {
    "a": [
        process(10, 1, "mpirun"),
        process(11, 10, "ssh"),
        process(12, 10, "app", 1.0, 5.0, is_rank=True),
        process(90, 1, "other", was_there=True),
    ],
    "b": [
        process(20, 1, "sshd", was_there=True),
        process(21, 20, "sshd-session"),
        process(22, 21, "orted"),
        process(23, 22, "app", 1.1, 5.1, is_rank=True),
    ],
}
LISTENS = {
    "a": [
        event(0.1, "listens", "0.0.0.0:40000", pid=10),
        event(1.5, "listens", "0.0.0.0:41000", pid=12),
    ],
    "b": [
        event(0.0, "listens", "0.0.0.0:22", pid=20, was_there=True),
        event(1.6, "listens", "0.0.0.0:41001", pid=23),
    ],
}
OPEN = {
    "a": [
        event(0.2, "is_open", f"{A}:50001", f"{B}:22", 11),
        event(0.5, "is_open", f"{A}:40000", f"{B}:50002", 10),
        event(2.0, "is_open", f"{A}:50003", f"{B}:41001", 12),
        event(2.0, "is_open", f"{A}:50009", f"{B}:8080", 90),
    ],
    "b": [
        event(0.2, "is_open", f"{B}:22", f"{A}:50001", 21),
        event(0.5, "is_open", f"{B}:50002", f"{A}:40000", 22),
        event(2.0, "is_open", f"{B}:41001", f"{A}:50003", 23),
        event(2.0, "is_open", f"{B}:8080", f"{A}:50009", 0),
    ],
}
TRACED = {
    "a": [
        event(0.2, "connects", f"{A}:0", f"{B}:22", 11),
        event(0.5, "accepts", f"{A}:40000", f"{B}:50002"),
        event(2.0, "connects", f"{A}:0", f"{B}:41001", 12),
    ],
    "b": [
        event(0.2, "accepts", f"{B}:22", f"{A}:50001"),
        event(0.5, "connects", f"{B}:0", f"{A}:40000", 22),
        event(2.0, "accepts", f"{B}:41001", f"{A}:50003"),
    ],
}


def usage(is_traced=True, more=(), processes=PROCESSES):
    def seen(node, address):
        events = LISTENS[node] + OPEN[node] + (TRACED[node] if is_traced else [])
        events += [one for where, one in more if where == node]
        report = SocketsReply("boot", node, ["127.0.0.1", address], ANY, processes[node], events, 0)
        return NodeReport(node, report, 0, SocketWatchReply(5, "" if is_traced else "not allowed"))

    return usage_of([seen("a", A), seen("b", B)], (0, 10), 6.0, 0)


@pytest.mark.parametrize("is_traced", [True, False])
def test_connections_have_phases_and_ends(is_traced):
    found = usage(is_traced)
    assert [
        (one.phase, one.client, one.client_program, one.server, one.server_program, one.port)
        for one in found.connections
    ] == [
        ("launch", "a", "ssh", "b", "sshd", 22),
        ("launch", "b", "orted", "a", "mpirun", 40000),
        ("run", "a", "app", "b", "app", 41001),
    ]
    assert found.ranks == {"a": 1, "b": 1}
    assert [(one.phase, one.tcp, one.privileged) for one in counts(found)] == [
        ("launch", 2, 1),
        ("wire-up", 0, 0),
        ("run", 1, 0),
        ("end", 0, 0),
    ]


def test_what_the_kernel_chose_is_its_whole_range_unless_pinned():
    pins = Pins.parse("40000-41023")
    assert pins.ranges == (PortRange(40000, 40255), PortRange(40256, 41023))
    assert [one.text for one in rules_of(usage())] == [
        "tcp from a to b, port 22",
        "tcp from a,b to a,b, port 32768-60999",
    ]
    assert [one.text for one in rules_of(usage(), pins.ranges)] == [
        "tcp from a to b, port 22",
        "tcp from b to a, port 40000-40255",
        "tcp from a,b to a,b, port 40256-41023",
    ]


def test_ranks_may_connect_either_way_next_time():
    (rule,) = [
        one for one in rules_of(usage(), Pins.parse("40000-41023").ranges) if "run" in one.phases
    ]
    assert rule.lets_in("tcp", "b", "a", 40300)
    assert not rule.lets_in("udp", "b", "a", 40300)
    assert not rule.lets_in("tcp", "b", "a", 22)


def test_udp_sockets_of_the_job_take_what_the_others_send():
    bound = [
        ("a", event(1.2, "bound", "0.0.0.0:7000", pid=12, protocol="udp")),
        ("b", event(1.2, "bound", "0.0.0.0:50000", pid=23, protocol="udp")),
        ("b", event(1.2, "bound", "127.0.0.1:7001", pid=23, protocol="udp")),
        ("b", event(1.2, "bound", "0.0.0.0:7002", pid=20, protocol="udp")),
    ]
    found = [one for one in usage(more=bound).connections if one.protocol == "udp"]
    assert [(one.client, one.server, one.port) for one in found] == [("b", "a", 7000)]


def test_udp_sockets_of_ipv6_are_reached_from_ipv6():
    six = {"a": ["fe80::1", A, "fd00::1"], "b": [B, "fe80::2", "fd00::2"]}
    bound = event(1.2, "bound", "[fd00::1]:7000", pid=12, protocol="udp")
    other = event(1.2, "bound", "[::]:50000", pid=23, protocol="udp")

    def seen(node, more):
        report = SocketsReply("boot", node, six[node], ANY, PROCESSES[node], more, 0)
        return NodeReport(node, report, 0, SocketWatchReply(5, ""))

    nodes = [
        seen("a", [*LISTENS["a"], *OPEN["a"], bound]),
        seen("b", [*LISTENS["b"], *OPEN["b"], other]),
    ]
    found = usage_of(nodes, (0, 10), 6.0, 0)
    (one,) = [one for one in found.connections if one.protocol == "udp"]
    assert (one.client_address, one.server_address) == ("fd00::2", "fd00::1")


def test_a_connection_that_nothing_accepts_needs_no_rule():
    in_vain = [("a", event(2.0, "connects", f"{A}:0", f"{B}:9999", 12))]
    assert len(usage(more=in_vain).connections) == 3


def test_what_leaves_the_nodes_is_told_apart():
    dns = [("a", event(2.0, "connects", f"{A}:0", "10.9.9.9:389", 12))]
    (one,) = usage(more=dns).outside
    assert (one.node, one.program, one.address, one.port) == ("a", "app", "10.9.9.9", 389)


def test_both_firewalls_take_the_rules():
    rules = rules_of(usage(), Pins.parse("40000-41023").ranges)
    text = firewall.nftables(rules)
    assert f"ip saddr {{ {A} }} ip daddr {{ {B} }} tcp dport {{ 22 }} accept" in text
    assert "--dports 40256:41023" in firewall.iptables(rules)
    assert firewall.iptables(rules, 6) == ""
    if shutil.which("nft"):
        done = subprocess.run(
            ["nft", "--check", "-f", "-"], input=text, text=True, capture_output=True
        )
        assert done.returncode == 0 or "permitted" in done.stderr, done.stderr


def ruleset_of(nft: str) -> str:
    """What the kernel has after the file was loaded, in a network of its own."""
    load = "nft -f - && nft list ruleset"
    done = subprocess.run(
        ["unshare", "--user", "--map-root-user", "--net", "sh", "-c", load],
        input=nft,
        text=True,
        capture_output=True,
    )
    if "permitted" in done.stderr:
        pytest.skip("the kernel lets no user load rules in a namespace")
    assert done.returncode == 0, done.stderr
    return done.stdout


@pytest.mark.skipif(not shutil.which("nft"), reason="nft is not installed (nftables)")
@pytest.mark.parametrize("name", ['"\naccept\n#', "a\x1b[31m", 'x" accept', "\u00e9t\u00e9", "b\\"])
def test_a_process_cannot_name_itself_into_the_rules(name):
    """Its name is up to 15 bytes of its own choice (prctl)."""
    renamed = {
        node: [replace(one, name=name) if one.name == "app" else one for one in processes]
        for node, processes in PROCESSES.items()
    }
    rules = rules_of(usage(processes=renamed))
    honest = rules_of(usage())
    text = firewall.nftables(rules)
    firewall.refuse_unloadable(text, firewall.iptables(rules), "")
    assert text.count("\n") == firewall.nftables(honest).count("\n")
    assert firewall.iptables(rules).count("\n") == firewall.iptables(honest).count("\n")
    assert [line for line in ruleset_of(text).splitlines() if line.strip() == "accept"] == []


@pytest.mark.skipif(not shutil.which("nft"), reason="nft is not installed (nftables)")
def test_a_comment_is_as_long_as_a_firewall_takes_it():
    [rule, *_] = rules_of(usage())
    many = replace(rule, programs=tuple(f"a-long-name-{at:02}" for at in range(40)))
    assert "a-long-name-00" in ruleset_of(firewall.nftables([many]))
    firewall.refuse_unloadable(firewall.nftables([many]), firewall.iptables([many]), "")
    longest = max(len(part) for part in firewall.iptables([many]).split('"')[1::2])
    assert longest == 255


def test_hosts_are_read_from_the_command():
    assert hosts_named(["mpirun", "-n", "4", "--host", "a:2,b:2", "./app"]) == ["a", "b"]
    assert hosts_named(["srun", "--nodelist=a,b", "app"]) == ["a", "b"]
    assert hosts_named(["./app"]) == []


def test_too_few_ports_are_refused():
    with pytest.raises(RequestError, match="7 ports"):
        Pins.parse("40000-40006")


NODES = {"a": A, "b": B, "c": "10.0.0.3"}


def between(client, server, port, is_chosen=False, of_ranks=False):
    return JobConnection(
        phase="run",
        at_s=1.0,
        protocol="tcp",
        client=client,
        client_address=NODES[client],
        client_program="",
        server=server,
        server_address=NODES[server],
        server_program="app",
        port=port,
        is_chosen=is_chosen,
        of_ranks=of_ranks,
    )


def used(*connections):
    return PortUsage(
        nodes=tuple(NODES),
        addresses=NODES,
        ranks=dict.fromkeys(NODES, 1),
        connections=connections,
        outside=(),
        any_port={"a": ANY, "b": ANY, "c": (10000, 10100)},
        seconds=1.0,
        status=0,
    )


JOBS = [
    (used(between("a", "b", 22), between("a", "c", 22)), ["tcp from a to b,c, port 22"]),
    (used(between("a", "b", 22), between("a", "b", 111)), ["tcp from a to b, port 22, 111"]),
    # Another direction is another rule, as is a range of a kernel's own.
    (
        used(between("a", "b", 22), between("b", "a", 6000)),
        ["tcp from a to b, port 22", "tcp from b to a, port 6000"],
    ),
    (
        used(between("a", "b", 40000, is_chosen=True), between("a", "c", 10050, is_chosen=True)),
        ["tcp from a to c, port 10000-10100", "tcp from a to b, port 32768-60999"],
    ),
    # Of ranks each may connect to each other, whichever did.
    (used(between("a", "b", 7000, of_ranks=True)), ["tcp from a,b,c to a,b,c, port 7000"]),
    (
        used(between("a", "b", 5), between("b", "a", 5), between("a", "c", 5)),
        ["tcp from a to b,c, port 5", "tcp from b to a, port 5"],
    ),
    # What a range of the same nodes has already is no rule of its own.
    (
        used(between("a", "b", 50000), between("a", "b", 40000, is_chosen=True)),
        ["tcp from a to b, port 32768-60999"],
    ),
    (used(), []),
]


@pytest.mark.parametrize(("job", "expected"), JOBS)
def test_rules_are_the_fewest_that_let_all_connections_in(job, expected):
    rules = rules_of(job)
    assert sorted(one.text.replace("[a-c]", "a,b,c") for one in rules) == sorted(expected)
    for one in job.connections:
        (mine,) = [
            rule for rule in rules if rule.lets_in(one.protocol, one.client, one.server, one.port)
        ]
        others = [rule for rule in rules if rule is not mine]
        assert not any(
            rule.lets_in(one.protocol, one.client, one.server, one.port) for rule in others
        )


def test_nothing_is_let_in_that_was_not_seen():
    (rule,) = rules_of(used(between("a", "b", 22)))
    assert not rule.lets_in("tcp", "b", "a", 22)
    assert not rule.lets_in("tcp", "c", "b", 22)
    assert not rule.lets_in("tcp", "a", "b", 23)


def test_ports_are_counted_as_in_the_study():
    found = as_in_the_study(usage())
    assert (found.ssh_tcp, found.daemon_tcp, found.udp, found.job_tcp) == (1, 1, 0, 1)
    assert (found.launch, PUBLISHED.launch, PUBLISHED.job_tcp) == (2, 6, 1)


def test_processes_that_outlive_the_job_are_named():
    assert set(usage().left) == {
        RemainingProcess("a", "mpirun", 10),
        RemainingProcess("a", "ssh", 11),
        RemainingProcess("b", "orted", 22),
        RemainingProcess("b", "sshd-session", 21),
    }


FEWEST = [
    ({"a": "b", "b": "acd", "c": "ad", "d": "ac"}, 2),
    ({"a": "bcd", "b": "ad", "c": "ad", "d": "ac"}, 2),
    # None has a client and a server in common with another.
    ({"a": "b", "c": "d"}, 2),
    ({one: set("abcdefgh") - {one} for one in "abcdefgh"}, 1),
]


@pytest.mark.parametrize(("servers", "count"), FEWEST)
def test_no_smaller_set_of_rules_lets_the_same_in(servers, count):
    pairs = {(client, one) for client, mine in servers.items() for one in mine}
    usage = used(*(replace(between("a", "b", 5), client=a, server=b) for a, b in pairs))
    rules = rules_of(usage)
    assert len(rules) == count
    through = {(a, b) for one in rules for a in one.clients for b in one.servers if a != b}
    assert through == pairs
