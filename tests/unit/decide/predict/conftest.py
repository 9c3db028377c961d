"""An application of ten lines, and records that predict it."""

from pathlib import Path

import pytest

from tests.unit.decide.predict.test_predict import APPLICATION, study
from weir.collect.table import write_records
from weir.decide.predict.application import Application, read_application


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    (tmp_path / "toy.yaml").write_text(APPLICATION)
    return tmp_path / "toy.yaml"


@pytest.fixture
def application(toy: Path) -> Application:
    return read_application(toy, toy.parent)


@pytest.fixture
def records(tmp_path: Path) -> Path:
    write_records(tmp_path / "records.csv", study())
    return tmp_path / "records.csv"
