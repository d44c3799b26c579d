"""Wrong requests are told what would be right."""

from support.command import refusal


def test_refusals() -> None:
    through = ("--through", "10.8.0.1,10.8.0.2")
    assert "is computed: there is no tunnel" in refusal("vpn", "--on", "sim:pair", *through)
    assert "two addresses are needed" in refusal("vpn", "--on", "ssh:a,b", "--through", "10.8.0.1")
    assert "give the job after --" in refusal(
        "vpn", "--on", "ssh:a,b", *through, "--wanted", "path"
    )
    names = refusal("vpn", "--on", "ssh:a,b", "--through", "tun-a,tun-b")
    assert "'tun-a' does not appear to be an IPv4 or IPv6 address" in names
