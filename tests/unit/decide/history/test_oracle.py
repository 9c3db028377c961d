"""Change points beside those of Apache Otava, an implementation that shares no code with weir's."""

import numpy as np
import pytest

from tests.unit.decide.history.test_history import level, series
from weir.decide.history.regimes import regimes_of

# Its pins of numpy and scipy exclude those of envs/pip, and it brings clients of databases and of Slack.
otava = pytest.importorskip(
    "otava.analysis", reason="Apache Otava: .venv/bin/pip install --no-deps apache-otava==0.8.0"
)


def changes_of_otava(values: np.ndarray) -> list[int]:
    return [found.index for found in otava.compute_change_points(list(values), 50, 0.001)[0]]


def test_both_find_the_same_steps() -> None:
    """Two steps in 240 days: of 15 % down, and of half as much up again. Now and then Otava misses one."""
    agreed = 0
    for seed in range(12):
        parts = [level(10 * seed + part, 80, median) for part, median in enumerate((1000.0, 850.0, 925.0))]
        values = np.concatenate(parts)
        found = [regime.start for regime in regimes_of(series(values))[1:]]
        assert len(found) == 2
        theirs = changes_of_otava(values)
        agreed += sum(any(abs(ours - other) <= 3 for other in theirs) for ours in found)
    assert agreed >= 22


def test_both_find_none_in_noise() -> None:
    every = [level(100 + seed, 200, spread=0.05) for seed in range(8)]
    assert [len(regimes_of(series(values))) - 1 for values in every] == [0] * 8
    assert sum(len(changes_of_otava(values)) for values in every) <= 1
