"""The bounds of a value of a check, beside the `reference` of its class.

`-S reference_file=FILE` names bounds of `weir history reference`, or a results database of ReFrame;
`-S reference_file=stored` is the one in which this ReFrame stores its results.
"""

import os
from collections.abc import Mapping
from functools import cache
from pathlib import Path

from reframe.core.runtime import runtime

from weir.base.errors import WeirError
from weir.base.files import expanded
from weir.base.plugins import load
from weir.decide.history.reframe_results import Access, limits_of, read_bounds

STORED = "stored"


def references(given: str) -> Mapping[Access, tuple[float, float]]:
    """The median of a cell, and the share of it that noise may take away."""
    if not given:
        return {}
    if given != STORED:
        return _references(expanded(given).resolve())
    file = Path(os.path.expandvars(runtime().get_option("storage/0/sqlite_db_file")))
    if runtime().get_option("storage/0/enable") and not file.exists():
        return {}  # this session is the first one that is stored
    return _references(file.resolve())


@cache
def _references(file: Path) -> dict[Access, tuple[float, float]]:
    if not file.is_file():
        hint = "weir history reference HISTORY --out FILE makes one; ReFrame's database: storage/enable"
        raise WeirError("there is no such file of references", file=str(file), hint=hint)
    database = load("weir.decide.history.reframe_results", "statistics")
    if database.is_database(file):
        history = load("weir.decide.history.actions", "statistics")
        return limits_of(history.reference_bounds([session.rows for session in database.sessions(file)]))
    return limits_of(read_bounds(file))
