"""weft: measure, model and simulate the interconnect of a computer cluster."""

__version__ = "0.1.0"
