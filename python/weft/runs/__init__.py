"""The run folder and everything that reads or writes one."""
