"""Building blocks of figures: axes, tables, colours, layouts."""
