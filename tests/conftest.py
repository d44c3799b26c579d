"""What every test has."""

import signal
import sys
from pathlib import Path

sys.path.insert(0, str(Path(__file__).parent))

# A shell without job control has what it starts in the background ignore interrupts, and so would all that
# tests start in order to interrupt it.
signal.signal(signal.SIGINT, signal.default_int_handler)
