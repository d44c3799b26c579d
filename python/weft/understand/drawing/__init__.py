"""Parts that figures are made of: axes, tables, colours, layouts."""
