"""Importers of weeks of probes: from other tools' files to series."""
