"""The oldest releases that pyproject.toml allows, and the newest: quick measures memory with each, weekly."""

import csv
import os
import shutil
import sys
import tomllib
from collections.abc import Iterator
from pathlib import Path

import pytest

from tests.programs import ran, write_program
from tests.workflow.conftest import ROOT, Checkout, copy_of_the_tree, tiny_configuration
from tests.workflow.reframe_results import measure, performance_log, reframe, stored_cases
from tests.workflow.test_modules import beside, committed, uses_its_records
from tests.workflow.test_reframe_settings import described, settings

EXTRAS = ("workflow", "slurm", "reframe")
INSTALL_S = 600
# An environment of its own takes a minute to install, and changes with a new release alone.
RELEASES = [pytest.param(which, marks=pytest.mark.weekly) for which in ("oldest", "newest")]
pytestmark = pytest.mark.slow


def declared() -> list[str]:
    """What the extras want, such as snakemake>=8.25.2."""
    project = tomllib.loads((ROOT / "pyproject.toml").read_text())["project"]
    extras = [line for extra in EXTRAS for line in project["optional-dependencies"][extra]]
    return [*project["dependencies"], *extras]


def wanted(which: str) -> list[str]:
    """oldest: exactly the bounds of the extras; those of weir itself have no ready packages any more."""
    if which == "newest":
        return declared()
    bounds = [line for line in declared() if "snakemake" in line or "reframe" in line]
    return [
        *(line.replace(">=", "==") for line in bounds),
        *(line for line in declared() if line not in bounds),
    ]


def index_is_reached() -> bool:
    request = [sys.executable, "-m", "pip", "download", "--no-deps", "--no-cache-dir", "--quiet", "iniconfig"]
    folder = ROOT / "build/versions/reached"
    done = ran([*request, "--dest", folder], timeout=120)
    shutil.rmtree(folder, ignore_errors=True)
    return done.returncode == 0


@pytest.fixture(scope="module", params=RELEASES)
def programs(request: pytest.FixtureRequest) -> Path:
    """bin/ of an environment with these releases; it stays in build/ for the next time."""
    if request.param == "installed":
        return Path(sys.executable).parent
    if not index_is_reached():
        pytest.skip("the index of Python packages cannot be reached")
    folder = ROOT / "build/versions" / request.param
    ran([sys.executable, "-m", "venv", folder], code=0)
    install = [folder / "bin/pip", "install", "--quiet", "--no-compile", "--upgrade", *wanted(request.param)]
    ran(install, timeout=INSTALL_S, code=0)
    text = f"#!{folder}/bin/python\nimport sys\n\nfrom weir.__main__ import main\n\nsys.exit(main())\n"
    write_program(folder / "bin/weir", text)
    return folder / "bin"


@pytest.fixture
def checkout(tmp_path: Path) -> Checkout:
    if not (ROOT / "build/weir-io").exists():
        pytest.skip("build/weir-io is missing: make build")
    return copy_of_the_tree(tmp_path)


@pytest.fixture
def environment(programs: Path) -> Iterator[dict[str, str]]:
    user = f"versions-{os.getpid()}"  # other tests measure in /dev/shm/weir-{user} meanwhile
    chosen = {"WEIR_SUITES": "quick", "WEIR_TARGETS": "memory", "LOGNAME": user}
    yield {**chosen, "PATH": f"{programs}:{os.environ['PATH']}"}
    shutil.rmtree(f"/dev/shm/weir-{user}", ignore_errors=True)


def test_the_memory_part_of_quick_is_measured(environment: dict[str, str], checkout: Checkout) -> None:
    records = "results/local/quick/records.csv"
    checkout.call("snakemake", "--cores", "2", records, environment=environment, code=0)
    with (checkout.root / records).open() as stream:
        rows = [*csv.DictReader(stream)]
    assert {row["target"] for row in rows} == {"memory"}
    assert {row["access"] for row in rows} >= {"write", "read"}
    assert [row["reasons"] for row in rows if row["verdict"] == "INVALID"] == []
    perflogs = [*checkout.root.glob("results/local/reframe/perflogs/local/node/*.log")]
    assert perflogs, "ReFrame kept the values of the batch"


@pytest.mark.parametrize("kind", ["path", "git"])
def test_another_workflow_uses_its_records(
    environment: dict[str, str], checkout: Checkout, target_folder: Path, tmp_path: Path, kind: str
) -> None:
    tiny_configuration(checkout, target_folder)
    own = {"PATH": environment["PATH"], "LOGNAME": environment["LOGNAME"]}
    snakefile = committed(checkout) if kind == "git" else f'"{checkout.root}/Snakefile"'
    uses_its_records(beside(tmp_path, checkout), snakefile, own)


def test_the_profile_for_slurm_is_understood(environment: dict[str, str], checkout: Checkout) -> None:
    """By the executor plug-in that came with the others: an unknown option is an error of Snakemake."""
    options = ["--profile", "profiles/slurm", "--dry-run", "--quiet"]
    checkout.call("snakemake", *options, environment=environment, code=0)


@pytest.mark.parametrize("programs", ["installed", *RELEASES], indirect=True)
def test_what_reframe_reports_as_an_error_is_the_reason(
    environment: dict[str, str], checkout: Checkout
) -> None:
    settings = checkout.root / "reframe_checks/settings.py"
    settings.write_text(settings.read_text() + 'site_configuration["general"][0]["no_such_key"] = 1\n')
    receipt = "results/local/quick/batches/memory-debian-1x2.json"
    done = checkout.call("snakemake", "--cores", "2", receipt, environment=environment)
    assert done.returncode != 0
    (reason,) = [line for line in done.stderr.splitlines() if " was not measured: " in line]
    assert "ReFrame: failed to load configuration" in reason
    assert "no_such_key" in reason


@pytest.mark.parametrize("programs", RELEASES, indirect=True)
def test_checks_measure_anew_and_log_each_value_once(environment: dict[str, str], checkout: Checkout) -> None:
    keep = ((), (), ("-S", "keep=yes"))
    first, second, kept = (measure(checkout, *each, environment=environment) for each in keep)
    assert [first.outcomes, second.outcomes, kept.outcomes] == [["OK"], ["OK"], ["SKIP"]], kept.text
    assert set(first.values).isdisjoint(second.values)
    lines = performance_log(checkout)
    assert len(lines) == len(set(lines)) == len(first.values) + len(second.values)
    assert set(stored_cases(checkout)[0]["cells"]) == {value.split(": ")[0] for value in first.values}


@pytest.mark.parametrize(
    ("changes", "outcome"),
    [({}, "OK"), ({"launcher_options": ["--nonsense"]}, "SKIP")],
    ids=["ranks", "none"],
)
@pytest.mark.parametrize("programs", RELEASES, indirect=True)
def test_a_centres_own_settings_measure_or_skip(
    programs: Path, checkout: Checkout, target_folder: Path, changes: dict[str, object], outcome: str
) -> None:
    """Also where the partition's launcher would start weir for each rank."""
    tiny_configuration(checkout, target_folder)
    extras = described(target_folder, **changes)
    session = reframe(
        checkout,
        *("--name=^measure", "-S", "suite=tiny", "--run"),
        settings=settings(checkout, extras),
        environment={"PATH": f"{programs}:{os.environ['PATH']}"},
    ).ended(outcome)
    assert len(session.values) == (8 if outcome == "OK" else 0)
    assert ("unavailable: " in session.text) == (outcome == "SKIP")


def test_the_workflow_is_lint_clean(environment: dict[str, str], checkout: Checkout) -> None:
    """As the catalogue of workflows runs it, with whatever release it has."""
    checkout.call("snakemake", "--lint", environment=environment, code=0)
