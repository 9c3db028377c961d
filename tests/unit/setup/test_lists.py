"""What envs/ lists: reasons, packages that exist, and locks that are whole and name no place."""

import importlib.metadata
import re
import shutil
import tomllib
from collections.abc import Iterable
from pathlib import Path

import pytest
from packaging.specifiers import SpecifierSet

from tests.programs import ran

ROOT = Path(__file__).resolve().parents[3]
LISTS = sorted((ROOT / "envs" / "apt").glob("*.txt"))
LOCKS = [ROOT / "envs" / "pip" / name for name in ("requirements.txt", "requirements-develop.txt")]
PIN = re.compile(r"^([a-z0-9][a-z0-9.-]*)==([^ ]+) \\$")


def pins(lock: Path) -> dict[str, str]:
    return {match[1]: match[2] for line in lock.read_text().splitlines() if (match := PIN.match(line))}


def plain_name(requirement: str) -> str:
    name = re.split(r"[<>=!~\[; ]", requirement, maxsplit=1)[0]
    return re.sub(r"[-_.]+", "-", name).lower()


def directly_named(file: Path) -> set[str]:
    lines = (line.strip() for line in file.read_text().splitlines())
    return {plain_name(line) for line in lines if line and not line.startswith(("#", "-"))}


def test_every_role_has_a_list() -> None:
    assert [file.stem for file in LISTS] == ["analyse", "develop", "lab", "measure", "report"]


@pytest.mark.parametrize("file", LISTS, ids=lambda file: file.stem)
def test_every_package_stands_once_and_with_its_reason(file: Path) -> None:
    lines = [line for line in file.read_text().splitlines() if not line.startswith("#")]
    assert all(re.fullmatch(r"[a-z0-9][a-z0-9.+-]+ +# \S.+", line) for line in lines), lines
    names = [line.split()[0] for line in lines]
    assert len(names) == len(set(names))


@pytest.mark.slow
def test_every_package_exists() -> None:
    if not shutil.which("apt-cache"):
        pytest.skip("apt-cache is missing: not a Debian system")
    names = ran(
        ["bash", "-c", '. envs/apt/release.sh; packages_of "$@"', "packages", *(file.stem for file in LISTS)],
        cwd=ROOT,
        check=True,
    ).stdout.split()
    assert "cmake" in names
    answer = ran(["apt-cache", "policy", *names], check=True).stdout
    candidates = dict(re.findall(r"^(\S+):\n  Installed: .*\n  Candidate: (.+)$", answer, re.MULTILINE))
    if not Path("/var/lib/apt/lists").is_dir() or not list(Path("/var/lib/apt/lists").glob("*_Packages*")):
        pytest.skip("apt has no package lists here")
    assert {name for name in names if candidates.get(name, "(none)") == "(none)"} == set()


def test_every_locked_package_runs_with_the_python_of_debian_12() -> None:
    """It is 3.11.2; a lock written with a newer one can name packages that set-up does not find there."""
    wanted = pins(LOCKS[-1])
    installed = [one for one in importlib.metadata.distributions() if plain_name(one.name) in wanted]
    assert installed
    needs = {one.name: one.metadata.get("Requires-Python") or "" for one in installed}
    assert {name: python for name, python in needs.items() if "3.11.2" not in SpecifierSet(python)} == {}


def test_both_locks_agree() -> None:
    used, develop = map(pins, LOCKS)
    assert used.items() <= develop.items()


@pytest.mark.parametrize("lock", LOCKS, ids=lambda lock: lock.stem)
def test_a_lock_holds_what_its_source_names(lock: Path) -> None:
    missing = directly_named(lock.with_suffix(".in")) - pins(lock).keys()
    assert not missing, f"{sorted(missing)}: run envs/pip/lock.sh"


def test_what_the_package_declares_is_named_where_it_is_pinned() -> None:
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    declared = {plain_name(requirement) for requirement in project["dependencies"]}
    assert declared <= directly_named(LOCKS[0].with_suffix(".in"))


def test_versions_that_must_be_exact_are() -> None:
    pinned = pins(LOCKS[0])
    # 0.6.1 strips SLURM_* from the job's environment (docs/decisions/0001).
    assert pinned["snakemake-executor-plugin-slurm-jobstep"] == "0.6.0"


def packages_called(files: Iterable[Path]) -> set[str]:
    return {name for file in files for name in re.findall(r"\b([A-Za-z][A-Za-z0-9.]+)::", file.read_text())}


def packages_imported(description: Path) -> set[str]:
    """Those that DESCRIPTION names; NAMESPACE or `::` makes their names known."""
    (line,) = re.findall(r"^Imports: (.*)$", description.read_text(), re.MULTILINE)
    return {name.strip() for name in line.split(",")}


def test_r_packages_are_listed_if_and_only_if_they_are_used() -> None:
    with_r = {
        *("base", "compiler", "stats", "utils", "grid", "graphics", "grDevices", "methods", "tools"),
        "parallel",
    }
    listed = {file.stem: set(re.findall(r"^r-cran-(\S+)", file.read_text(), re.MULTILINE)) for file in LISTS}
    code = {file for file in (ROOT / "analysis").rglob("*.R") if "tests" not in file.parts}
    used = packages_called(code) | packages_imported(ROOT / "analysis" / "DESCRIPTION")
    assert {name.lower() for name in used - with_r} == listed["analyse"]
    tests = [*(ROOT / "analysis").rglob("tests/**/*.R"), *(ROOT / ".ci").glob("*.R"), ROOT / "Makefile"]
    called = {name.lower() for name in packages_called(tests) - with_r}
    assert called - listed["analyse"] == listed["develop"]
