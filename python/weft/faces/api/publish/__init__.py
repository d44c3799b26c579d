"""What leaves weft: files for other programs, citations for papers."""
