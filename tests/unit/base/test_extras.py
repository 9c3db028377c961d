"""What weir imports on demand: hints name the packages themselves."""

from __future__ import annotations

import tomllib

import pytest

from tests.checkout import ROOT
from tests.unit.docs.pages import pages
from weir.base.errors import WeirError
from weir.base.plugins import REQUIREMENTS, install_hint, load

EXTRAS = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]["optional-dependencies"]


def test_the_packages_are_those_of_the_wheel() -> None:
    for extra, packages in REQUIREMENTS.items():
        assert list(packages) == EXTRAS[extra], extra


def test_what_is_missing_is_installed_by_its_own_name() -> None:
    """Python's index has another project named weir, which pip would install instead."""
    with pytest.raises(WeirError, match="no_such_package_of_weir is not installed") as caught:
        load("no_such_package_of_weir", "statistics")
    assert "pip install 'numpy>=2' 'scipy>=1.15' 'ruptures>=1.1.9'" in str(caught.value)
    assert install_hint("workflow", "reframe") == (
        "pip install 'snakemake>=8.25.2' pygments 'reframe-hpc>=4.7.3'"
    )


def test_nobody_is_sent_to_the_other_project() -> None:
    texts = [*pages(), *(ROOT / "weir").rglob("*.py"), *(ROOT / "reframe_checks").glob("*.py")]
    assert [str(file) for file in texts if "weir[" in file.read_text()] == []
