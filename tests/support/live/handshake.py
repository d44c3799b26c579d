"""The connecting end of the agents' handshake once more, as docs/security.md describes it."""

import hmac
import ipaddress
import secrets
import struct

NONCE_BYTES = 32
PAIR = 4


def prove(token: bytes, label: str, facts: bytes) -> bytes:
    """What only an owner of the token can compute."""
    return hmac.digest(token, label.encode() + b"\0" + facts, "sha256")


def response(token: bytes, challenge: bytes, connection: int = 0) -> bytes:
    """The answer to a listener's nonce that asks for one of a pair's connections."""
    said = secrets.token_bytes(NONCE_BYTES) + struct.pack("<BBxxIII", PAIR, 0, 0, connection, 0)
    return said + prove(token, "connect", challenge + said)


def question(token: bytes, nonce: bytes, number: int, address: str, port: int) -> bytes:
    """A datagram that an echo answers."""
    mapped = ipaddress.IPv6Address(f"::ffff:{address}").packed
    said = nonce + struct.pack("<Q", number)
    return said + prove(token, "ask", said + mapped + struct.pack("<H", port))
