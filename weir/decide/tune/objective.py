"""The objective: a rate, or the bytes of an application over the time that they take."""

from __future__ import annotations

import statistics
from collections import defaultdict
from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from typing import Any

from weir.base.units import parse_size
from weir.records.metrics import metric_named
from weir.terms.model import Row

_MIB = 2**20


@dataclass(frozen=True)
class Objective:
    """shares: bytes of each access; one access alone is its rate."""

    shares: Mapping[str, float]

    @property
    def name(self) -> str:
        if len(self.shares) == 1:
            return f"{next(iter(self.shares))} rate"
        parts = " and ".join(f"{share / _MIB:,.0f} MiB {access}" for access, share in self.shares.items())
        return f"rate of an application with {parts}"

    def scored(self, rows: Iterable[Row], usable: frozenset[str]) -> list[Row]:
        """A row for each run whose accesses all count: its rate, as bw_mib_s."""
        runs: dict[int, list[Row]] = defaultdict(list)
        for row in rows:
            if row.get("run") is not None and row["access"] in self.shares:
                runs[row["run"]].append(row)
        found = (self._scored(run, usable) for _, run in sorted(runs.items()))
        return [row for row in found if row is not None]

    def _scored(self, rows: list[Row], usable: frozenset[str]) -> Row | None:
        rates: dict[str, list[float]] = defaultdict(list)
        for row in rows:
            value = metric_named("rate").of(row)
            if value is None or row["verdict"] not in usable:
                return None
            rates[row["access"]].append(value)
        if rates.keys() != self.shares.keys():
            return None
        time = sum(share / statistics.fmean(rates[access]) for access, share in self.shares.items())
        rate = sum(self.shares.values()) / time
        return {**rows[0], "access": "objective", "bw_mib_s": rate, "ops_s": None, "iteration": 0}


def objective_of(tune: Mapping[str, Any]) -> Objective:
    written = tune["objective"]
    if "access" in written:
        return Objective({written["access"]: 1.0})
    return Objective({access: float(parse_size(text)) for access, text in written["application"].items()})
