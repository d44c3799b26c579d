"""Results of other tools: importers and exporters."""
