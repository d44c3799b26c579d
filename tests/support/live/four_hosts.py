"""The smallest fabric whose hosts share a line: two switches of two."""

from pathlib import Path


def write_four_hosts(
    folder: Path, extra: str = "", host_rate: str = 'rate = "100 Mb/s"', queue: str = ""
) -> Path:
    """Its file; `extra` follows all else, `host_rate` and `queue` (of the line between) may be empty."""
    path = folder / "four.toml"
    path.write_text(f"""
name = "four"
[[hosts]]
ids = "n[1-4]"
attach = "s[1-2]"
per_switch = 2
link = {{ {", ".join(filter(None, [host_rate, 'delay = "5 us"']))} }}
[[links]]
between = ["s1", "s2"]
rate = "100 Mb/s"
{queue}
{extra}
""")
    return path
