"""How to cite weft, a run and a published value, and a run told as the methods of a paper."""
