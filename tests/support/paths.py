"""Where files of the checkout are."""

from pathlib import Path

CHECKOUT = Path(__file__).parents[2]
DATA = CHECKOUT / "tests" / "data"
CATALOG = CHECKOUT / "catalog"
