"""Events of a watch while they happen: found in what was fetched lately, notified when they begin and when they end."""
