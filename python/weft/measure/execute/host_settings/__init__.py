"""Settings of nodes: read, changed while a step runs, and always restored.

The journals (here and on the node) are written before a change. A guard on each node restores the settings when it
loses contact.
"""

from weft.measure.execute.host_settings.look import KnobState, look
from weft.measure.execute.host_settings.undo import RestoredSetting, undo

__all__ = ["KnobState", "RestoredSetting", "look", "undo"]
