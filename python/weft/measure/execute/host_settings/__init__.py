"""Settings of nodes: looked at, changed while a step runs, and put back whatever happens.

First the journals (here and on the node), then the change; a guard on each node restores when it hears nothing.
"""

from weft.measure.execute.host_settings.look import KnobState, look
from weft.measure.execute.host_settings.undo import Restored, undo

__all__ = ["KnobState", "Restored", "look", "undo"]
