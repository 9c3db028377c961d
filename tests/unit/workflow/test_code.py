"""How rules name the files of weir, and the files of conda beside the lists of Debian packages."""

import re
import shlex
import shutil
import subprocess
import sys
import tomllib
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest
import yaml

from tests.checkout import ROOT
from weir.workflow.code import Code, code_of, configuration_of
from weir.workflow.rules import limit_measurements, requested

ENVIRONMENTS = ROOT / "envs" / "conda"


def workflow(
    folder: str,
    *,
    module: bool = False,
    newer: bool = True,
    sdm: tuple[str, ...] = (),
    config: Mapping[str, Any] | None = None,
) -> Any:
    """What Snakemake hands over, of version 9 or 8."""
    return SimpleNamespace(
        current_basedir=folder,
        modifier=SimpleNamespace(base_snakefile="Snakefile" if module else None),
        output_settings=SimpleNamespace(dryrun=False) if newer else SimpleNamespace(),
        config_settings=SimpleNamespace(overwrite_config=config or {}),
        deployment_settings=SimpleNamespace(deployment_method=[SimpleNamespace(name=name) for name in sdm]),
    )


@pytest.fixture
def study(tmp_path: Path, monkeypatch: pytest.MonkeyPatch) -> Path:
    (tmp_path / "study" / "analysis").mkdir(parents=True)
    (tmp_path / "study" / "analysis" / "draw.R").touch()
    monkeypatch.chdir(tmp_path)
    return tmp_path / "study"


def test_a_checkout_names_its_files_by_relative_paths(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """So that it can move and nothing is drawn again."""
    monkeypatch.chdir(study)
    assert code_of(workflow(str(study))).path("reference/x.csv") == "reference/x.csv"


def test_elsewhere_and_as_a_module_paths_are_absolute(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    assert code_of(workflow(str(study))).path("reference/x.csv") == f"{study}/reference/x.csv"
    monkeypatch.chdir(study)  # the prefix of a module changes relative paths
    assert code_of(workflow(str(study), module=True)).path("x") == f"{study}/x"


def test_a_snakefile_from_git_uses_the_installed_weir(study: Path) -> None:
    assert code_of(workflow("git+file:///somewhere/weir@v1", module=True)).root == ROOT


def test_the_configuration_is_the_own_one_or_that_of_weir(study: Path) -> None:
    default = f"{study}/config/config.yaml"
    assert configuration_of(workflow(str(study))) == default
    Path("config").mkdir()
    Path("config/config.yaml").touch()
    assert configuration_of(workflow(str(study))) == "config/config.yaml"
    assert configuration_of(workflow(str(study), module=True)) == default


def test_the_configuration_of_the_users_directory_takes_precedence(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    """As for weir plan: else a workflow would measure another site than was planned."""
    for folder in ("config", "mine", "named"):
        Path(folder).mkdir()
    Path("config/config.yaml").touch()
    monkeypatch.setenv("WEIR_CONFIG", "mine")
    assert configuration_of(workflow(str(study))) == "config/config.yaml"  # mine has sites alone
    for folder in ("mine", "named"):
        Path(folder, "config.yaml").touch()
    assert configuration_of(workflow(str(study))) == "mine/config.yaml"
    given = {"config_dir": "named"}
    assert configuration_of(workflow(str(study), config=given)) == "named/config.yaml"
    assert configuration_of(workflow(str(study), module=True)) == f"{study}/config/config.yaml"


def test_two_batches_do_not_measure_each_other_without_the_profile() -> None:
    for given, limit in (({}, 1), ({"io": 4}, 4)):
        found: dict[str, int] = dict(given)
        limit_measurements(SimpleNamespace(global_resources=found, register_resource=found.__setitem__))
        assert found == {"io": limit}


def test_the_environment_replaces_config_yaml_and_no_more(monkeypatch: pytest.MonkeyPatch) -> None:
    of_file = {"site": "local", "suites": ["quick"], "mine": 1}
    monkeypatch.setenv("WEIR_SITE", "lab")
    monkeypatch.setenv("WEIR_MINE", "2")
    assert requested(workflow("."), of_file) == {"suites": ["quick"], "mine": 1}
    given = {"site": "elsewhere"}
    assert requested(workflow(".", config=given), of_file | given) == of_file | given
    assert requested(workflow(".", module=True), of_file) == of_file


def test_the_code_comes_before_what_pythonpath_has(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Modules of a centre, and spack load, put what weir imports there; a container has its own."""
    (study / "weir").mkdir()
    monkeypatch.setenv("PYTHONPATH", "/apps/lib")
    for methods, searched in (
        ((), f"{study}:/apps/lib"),
        (("APPTAINER",), str(study)),
        (("CONDA",), str(study)),
    ):
        command = code_of(workflow(str(study), sdm=methods)).weir.format().removesuffix("weir")
        shell = ["bash", "-euc", f"{command} printenv PYTHONPATH"]
        assert subprocess.check_output(shell, text=True) == f"{searched}\n"


def test_a_path_is_one_word_of_the_shell() -> None:
    word = Code(Path("/a study/{x}"), is_here=False).word("analysis/draw.R")
    assert shlex.split(word.format()) == ["/a study/{x}/analysis/draw.R"]


def test_conda_is_named_where_it_is_not_run_unasked(study: Path, monkeypatch: pytest.MonkeyPatch) -> None:
    """Snakemake 8 looks for conda after each job of a rule that names an environment, 9 for the file."""
    assert code_of(workflow(str(study))).environment("analyse") is None
    (study / "envs/conda").mkdir(parents=True)
    (study / "envs/conda/analyse.yaml").touch()
    assert code_of(workflow(str(study))).environment("analyse") == f"{study}/envs/conda/analyse.yaml"
    assert code_of(workflow(str(study), newer=False)).environment("analyse") is None
    assert code_of(workflow(str(study), newer=False, sdm=("CONDA",))).environment("analyse") is not None
    for lint in ("--lint", "--lint=json"):  # demands an environment, and runs no job
        monkeypatch.setattr(sys, "argv", ["snakemake", lint])
        assert code_of(workflow(str(study), newer=False)).environment("analyse") is not None


def test_conda_is_not_named_in_a_folder_with_braces(study: Path) -> None:
    """Snakemake takes what is in them for a wildcard; whoever chose conda has its message."""
    braced = study.rename(study.with_name("{x}"))
    (braced / "envs/conda").mkdir(parents=True)
    (braced / "envs/conda/analyse.yaml").touch()
    assert code_of(workflow(str(braced))).environment("analyse") is None
    assert code_of(workflow(str(braced), sdm=("CONDA",))).environment("analyse") is not None


@pytest.mark.parametrize(
    "file", ["analysis/R/theme.R", "analysis/figures/effects.R", "config/metrics", "reference/publications"]
)
def test_an_edit_of_what_draws_changes_the_digest(tmp_path: Path, file: str) -> None:
    for part in ("analysis", "config/metrics", "reference/publications"):
        shutil.copytree(ROOT / part, tmp_path / part, ignore=shutil.ignore_patterns("tests"))
    code = Code(tmp_path, is_here=True)
    before = code.drawing_digest()
    assert before == Code(ROOT, is_here=True).drawing_digest()
    edited = next((tmp_path / file).iterdir()) if (tmp_path / file).is_dir() else tmp_path / file
    edited.write_text(edited.read_text() + "\n# edited\n")
    assert code.drawing_digest() != before


def dependencies(name: str) -> list[str]:
    """Names in an environment of conda, those that pip installs included."""
    listed = yaml.safe_load((ENVIRONMENTS / f"{name}.yaml").read_text())["dependencies"]
    flat = [one for entry in listed for one in (entry["pip"] if isinstance(entry, dict) else [entry])]
    return [re.split(r"[ <>=]", one)[0].lower() for one in flat]


def test_conda_has_the_packages_that_the_analysis_has_of_debian() -> None:
    listed = (ROOT / "envs/apt/analyse.txt").read_text().splitlines()
    debian = [line.split()[0] for line in listed if line and not line.startswith("#")]
    wanted = [name.replace("r-cran-", "r-").replace("r-base-core", "r-base") for name in debian]
    assert sorted(dependencies("analyse")) == sorted(wanted)


def test_conda_has_what_planning_and_measuring_need_of_python() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = project["optional-dependencies"]
    wanted = [*project["dependencies"], *extras["workflow"], *extras["reframe"]]
    names = {re.split(r"[<>=]", one)[0].lower() for one in wanted} - {"snakemake"}
    assert {*dependencies("measure")} == names | {"snakemake-minimal", "python", "pip"}


def test_the_rules_name_environments_that_exist() -> None:
    named = re.findall(r'environment\("(\w+)"\)', (ROOT / "Snakefile").read_text())
    assert {f"{name}.yaml" for name in named} == {file.name for file in ENVIRONMENTS.iterdir()}
    for name in named:
        channels = yaml.safe_load((ENVIRONMENTS / f"{name}.yaml").read_text())["channels"]
        assert channels[0] == "conda-forge"
        assert channels[-1] == "nodefaults"
