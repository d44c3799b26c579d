"""Every table of a run by its name."""

from __future__ import annotations

from weft.diagnosis.summary import Summary
from weft.diagnosis.tables.casts import casts_table, nodes_table
from weft.diagnosis.tables.collectives import collectives_table, library_table
from weft.diagnosis.tables.interference import interference_table
from weft.diagnosis.tables.linpack import linpack_table
from weft.diagnosis.tables.loads import loads_table, processors_table
from weft.diagnosis.tables.pairs import pairs_table
from weft.diagnosis.tables.phases import phases_table
from weft.diagnosis.tables.points import deliveries_table, points_table
from weft.diagnosis.tables.predictions import held_table
from weft.diagnosis.tables.race import race_table
from weft.diagnosis.tables.traffic import traffic_table
from weft.diagnosis.tables.web import page_costs_table, web_table
from weft.table import ResultTable


def tables_of(summary: Summary) -> dict[str, ResultTable]:
    """Those that have rows."""
    found = {
        "points": points_table(summary.points),
        "deliveries": deliveries_table(summary.deliveries),
        "phases": phases_table([one for one in summary.phases if one.step in summary.ensembles]),
        **({"race": race_table(summary.race)} if summary.race else {}),
        **({"prediction": held_table(summary.prediction)} if summary.prediction else {}),
        "pairs": pairs_table(summary.multi_pair),
        "collectives": collectives_table(summary.collectives),
        "library": library_table(summary.library_costs),
        "casts": casts_table(summary.file_casts),
        "cast_nodes": nodes_table(summary.file_casts, summary.meta),
        "loads": loads_table(summary.loaded),
        "processors": processors_table(summary.loaded),
        "web": web_table(summary.web),
        "page_costs": page_costs_table(summary.web),
        "traffic": traffic_table(summary.traffic),
        "linpack": linpack_table(summary.linpack),
        "interference": interference_table(summary.interference),
    }
    return {name: table for name, table in found.items() if table.rows}
