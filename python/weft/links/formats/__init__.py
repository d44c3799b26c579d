"""Importers of probe series from other tools' files."""
