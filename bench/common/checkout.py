"""Where things are."""

from pathlib import Path

ROOT = Path(__file__).resolve().parents[2]
PEER_SOURCES = Path(__file__).parent / "peers"
"""What is built and run beside weft."""
