"""The Rust crates: text in, JSON out. Wrong input raises ValueError with the whole message."""

def load_plan(
    text: str, origin: str, overrides: list[tuple[str, str]], max_message_bytes: int
) -> str:
    """The resolved plan as JSON."""

def expand_step(step_json: str, nodes: int) -> str:
    """The phases of a step of a resolved plan over so many nodes, as a JSON list."""

def load_fabric(text: str, origin: str, scale: float) -> str:
    """The resolved fabric as JSON, its rates multiplied by `scale`."""
