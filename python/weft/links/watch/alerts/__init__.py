"""Events of a watch as they happen: detected in recent data, notified when they begin and end."""
