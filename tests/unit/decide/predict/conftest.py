"""An application of ten lines."""

from pathlib import Path

import pytest

from tests.unit.decide.predict.test_predict import APPLICATION


@pytest.fixture
def toy(tmp_path: Path) -> Path:
    (tmp_path / "toy.yaml").write_text(APPLICATION)
    return tmp_path / "toy.yaml"
