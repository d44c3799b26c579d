"""What a full Ethernet frame costs, and what of it counts (IEEE 802.3, clauses 3 and 4; RFC 7323)."""

from __future__ import annotations

FRAME_PAYLOAD_BYTES = 1448
"""TCP's payload in a full Ethernet frame, with time stamps."""
WIRE_BYTES = 1538
"""What that frame occupies on a wire: headers, checksum, preamble and gap."""
FRAME_BYTES = 1518
"""What it is inside of a switch, where there is neither preamble nor gap."""
