"""The version stands in weir/__init__.py; every other file that repeats it agrees."""

import json
import re
import tomllib

import pytest
import yaml

import weir
from tests.checkout import ROOT

CITATION = yaml.safe_load((ROOT / "CITATION.cff").read_text())
CODEMETA = json.loads((ROOT / "codemeta.json").read_text())
PROJECT = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]


def stated(file: str, pattern: str) -> str:
    found = re.search(pattern, (ROOT / file).read_text(), re.MULTILINE)
    assert found, f"{file} states no version"
    return found[1]


def test_the_package_takes_its_version_from_the_code() -> None:
    assert "version" in PROJECT["dynamic"]
    assert re.fullmatch(r"\d+\.\d+\.\d+", weir.__version__)


@pytest.mark.parametrize(
    ("file", "version"),
    [
        ("CITATION.cff", CITATION["version"]),
        ("codemeta.json", CODEMETA["version"]),
        ("CHANGELOG.md", stated("CHANGELOG.md", r"^## (\d+\.\d+\.\d+)")),
        ("analysis/DESCRIPTION", stated("analysis/DESCRIPTION", r"^Version: (\S+)$")),
        # What weir-io and the emulator print.
        ("CMakeLists.txt", stated("CMakeLists.txt", r"^project\(\w+ VERSION (\S+)")),
        ("src/ime/CMakeLists.txt", stated("src/ime/CMakeLists.txt", r"^project\(\w+ VERSION (\S+)")),
        ("README.md", stated("README.md", r"envs/spack/locks/(\S+)-x86_64_v3\.lock")),
        ("docs/how-to/release.md", stated("docs/how-to/release.md", r"^git tag v(\S+)$")),
        ("docs/how-to/spack.md", stated("docs/how-to/spack.md", r"envs/spack/locks/(\d\S+)-x86_64_v3\.lock")),
    ],
)
def test_files_that_repeat_the_version_agree(file: str, version: str) -> None:
    assert version == weir.__version__, f"{file}: write {weir.__version__}"


def test_what_is_said_of_weir_agrees() -> None:
    assert CODEMETA["description"] == PROJECT["description"]
    assert CODEMETA["keywords"] == CITATION["keywords"]
    assert CODEMETA["license"].endswith(CITATION["license"])
    assert PROJECT["license"] == CITATION["license"]
    assert PROJECT["keywords"] == CITATION["keywords"]
    authors = [author["name"] for author in CITATION["authors"]]
    assert [author["name"] for author in CODEMETA["author"]] == authors
    assert [author["name"] for author in PROJECT["authors"]] == authors


def test_the_distribution_has_a_name_of_its_own() -> None:
    """Python's index has another project named weir; what a user types is weir all the same."""
    assert PROJECT["name"] != "weir"
    assert [*PROJECT["scripts"]] == ["weir"]
