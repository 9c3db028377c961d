"""What weir imports on demand: hints name the packages themselves, and its own modules exist."""

import importlib.util
import re
import tomllib
from pathlib import Path

import pytest

from tests.checkout import ROOT
from tests.unit.docs.pages import pages
from weir.base.errors import WeirError
from weir.base.plugins import NEEDED, REQUIREMENTS, install_hint, load, unusable_package

PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
EXTRAS = PROJECT["optional-dependencies"]


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


def test_a_package_without_its_library_is_named(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """PyDarshan under Python 3.13, for which it has no wheel."""
    (tmp_path / "module_without_library.py").write_text(
        "raise RuntimeError('Could not find libx.so! Is x installed? Please ensure one of: ...')"
    )
    monkeypatch.syspath_prepend(tmp_path)
    with pytest.raises(WeirError) as caught:
        load("module_without_library", "darshan")
    (problem,) = caught.value.problems
    assert problem.message.endswith("module_without_library cannot be loaded: Could not find libx.so!")


def test_a_package_that_weir_itself_needs_is_named_as_well() -> None:
    for name, package in (("jsonschema", "jsonschema"), ("yaml", "PyYAML")):
        found = unusable_package(ModuleNotFoundError(f"No module named '{name}'", name=name))
        assert found is not None
        assert f"the Python package {package} is not installed" in str(found)
        assert "pip install 'jsonschema>=4.18' 'PyYAML>=6'" in str(found)
    assert tuple(PROJECT["dependencies"]) == NEEDED


def test_a_fault_of_weir_itself_is_no_matter_of_packages() -> None:
    for error in (ModuleNotFoundError("x", name="weir.unknown"), AttributeError("x", obj=tomllib)):
        assert unusable_package(error) is None


def test_nobody_is_sent_to_the_other_project() -> None:
    texts = [*pages(), *(ROOT / "weir").rglob("*.py"), *(ROOT / "reframe_checks").glob("*.py")]
    assert [str(file) for file in texts if "weir[" in file.read_text()] == []


_LOADED = re.compile(r"\bload\(\s*\"(weir[\w.]*)\"")
MODULES = sorted(
    {
        name
        for folder in ("weir", "reframe_checks", "workflow", "snakemake_executor_plugin_weir")
        for file in (ROOT / folder).rglob("*.py")
        for name in _LOADED.findall(file.read_text(encoding="utf-8"))
    }
)


@pytest.mark.parametrize("name", MODULES)
def test_a_module_that_is_loaded_by_name_exists(name: str) -> None:
    """A module that was moved was `the Python package weir.decide.history.reference is not installed`."""
    assert importlib.util.find_spec(name) is not None
