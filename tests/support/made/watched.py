"""Probes and folders of a watch, as agents and coordinators make them."""

import numpy as np
import pyarrow as pa

from weft.links.watch.store.store import SCHEMA, Site, SiteLink, WatchRecord

DAY_S = 86400
MONDAY_S = 20_000 * DAY_S


def record() -> WatchRecord:
    sites = [Site(name="a"), Site(name="b")]
    return WatchRecord(
        sites=sites, links=[SiteLink(src="a", dst="b"), SiteLink(src="b", dst="a")], active=[0, 1]
    )


def probes(start_s: float, count: int, link: int = 0, seed: int = 1) -> pa.Table:
    """Probes of a second each, as agents make them: jittered, four kinds, two sizes, 1 % lost, 2 % delayed."""
    random = np.random.default_rng(seed)
    number = np.arange(count)
    time_s = start_s + number + random.uniform(0, 0.45, count)
    rtt_s = 0.0013 * (1 + link * 20) + 5e-5 * (1 + link * 10) * random.gamma(2, 1, count)
    rtt_s += (random.random(count) < 0.02) * random.exponential(0.006, count)
    columns = [
        pa.array((time_s * 1e6).astype("int64")),
        pa.array(np.full(count, link, "int16")),
        pa.array((number % 4).astype("int8")),
        pa.array(np.where(number // 4 % 2, 20_000, 8).astype("int32")),
        pa.array((rtt_s * 1e9).astype("int64"), mask=random.random(count) < 0.01),
    ]
    return pa.table(columns, SCHEMA)
