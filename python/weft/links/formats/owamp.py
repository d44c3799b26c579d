"""`owping -R` (perfSONAR's owamp): one line a packet, one-way delays by the clocks of both ends.

Fields: SEQNO STIME SS SERR RTIME RS RERR TTL. Times are seconds since 1900 with 32 bits of fraction (RFC 4656, 4.1.2),
RTIME 0 is a loss, SS and RS tell whether the sender's and receiver's clock is synchronised.
"""

from __future__ import annotations

import math
import re

from weft.links.formats.rows import ONE_WAY, Rows
from weft.links.formats.source import ProbeFile, ReadSeries

SIGN = re.compile(r"^\d+ \d{18,20} [01] \S+ \d+ [01] \S+ \d+$", re.MULTILINE)
TEST_BYTES = 14
"""Payload of a test packet in open mode without padding: number, time, and estimated error (RFC 4656, 4.1.2)."""
CLOCKS_HINT = "a one-way delay is right by as much as the clocks of both ends agree: NTP or PTP"
_LINE = re.compile(r"(\d+) (\d+) ([01]) \S+ (\d+) ([01]) \S+ \d+\s*$")
_SINCE_1900_S = 2_208_988_800


def unix_s(stamp: int) -> float:
    """Convert an NTP timestamp with 32 bits of fraction to Unix time."""
    return stamp / 2**32 - _SINCE_1900_S


def delay_s(sent: int, received: int) -> float:
    """One-way delay in seconds of two NTP timestamps; NaN if the packet was lost."""
    return (received - sent) / 2**32 if received else math.nan


def read(source: ProbeFile) -> ReadSeries:
    """Read one series; duplicates count once. Raises RequestError for an incomplete line or a negative delay."""
    rows, seen, unsynchronised = Rows(ONE_WAY), set(), 0
    for number, line in source.numbered():
        if not (found := _LINE.match(line)):
            if line[:1].isdigit():
                raise source.wrong(number, "no whole line of owping -R")
            continue
        sent, received = int(found[2]), int(found[4])
        if (found[1], sent) in seen:
            continue
        seen.add((found[1], sent))
        if received and received < sent:
            raise source.wrong(
                number, f"a delay of {delay_s(sent, received) * 1e3:.6g} ms", CLOCKS_HINT
            )
        unsynchronised += "0" in (found[3], found[5])
        rows.add(unix_s(sent), delay_s(sent, received), TEST_BYTES)
    options = source.options
    series = rows.series(options.here, options.dst or "there")
    return ReadSeries([series] if len(series) else [], clock_notes(unsynchronised, len(series)))


def clock_notes(unsynchronised: int, count: int) -> list[str]:
    """A note if packets were timed by clocks that were not synchronised."""
    if not unsynchronised:
        return []
    return [f"clocks were not synchronised for {unsynchronised} of {count} packets: {CLOCKS_HINT}"]
