"""The suite `nodes` has the same cells and verdicts on other batch systems as on Slurm, by both launchers."""

import pytest

from tests.queues.verdicts import AXES, METHODS, differences, missing, study_of


def record(**changed: str) -> dict[str, str]:
    row = dict.fromkeys(AXES, "1") | {"verdict": "VALID", "reasons": "", "notes": "", "missing": ""}
    return row | changed


@pytest.mark.parametrize(
    ("changed", "told"),
    [
        ({}, 0),
        ({"verdict": "DEGRADED", "reasons": "others-on-device", "notes": "machine-busy: load 9 on 2"}, 0),
        ({"verdict": "DEGRADED"}, 1),
        ({"verdict": "DEGRADED", "reasons": "nodes-shared;others-on-device"}, 1),
        ({"verdict": "UNPROVEN", "missing": "stored"}, 1),
        ({"notes": "phase-too-short: 3 ms; payload-reducible: all zeros"}, 1),
        ({"nn": "2"}, 2),
    ],
)
def test_what_differs_by_more_than_load_is_told(changed: dict[str, str], told: int) -> None:
    assert len(differences([record(**changed)], [record()])) == told


@pytest.mark.slow
@pytest.mark.weekly
def test_grid_engine_has_the_cells_and_verdicts_of_slurm() -> None:
    for name in ("slurm", "gridengine"):
        if reason := missing(name):
            pytest.skip(f"{name}: {reason}")
    (_, reference), *others = study_of("slurm", METHODS, "few")
    others += study_of("gridengine", METHODS, "few")
    assert len(reference) == 48
    for method, rows in others:
        assert differences(rows, reference) == [], method
