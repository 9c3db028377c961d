"""The checks in the settings that a centre has: its partitions, launchers, environments, its own class."""

import json
import os
import re
import shlex
from pathlib import Path

import pytest

from tests.workflow.conftest import ROOT, Checkout
from tests.workflow.reframe_results import reframe, stored_cases
from weir.base.errors import WeirError

pytestmark = pytest.mark.slow
HEADING = "weir's checks in the settings you have"
PAGE = (ROOT / "docs/how-to/reframe.md").read_text()

# As centres write them: names with capitals and underscores, a launcher, one environment for all, features.
SETTINGS = """
site_configuration = {{
    'systems': [{{
        'name': 'Big_Machine', 'descr': 'A centre', 'hostnames': ['.*'], 'modules_system': 'nomod',
        'partitions': [{{
            'name': 'cpu_Rome', 'descr': 'Nodes', 'scheduler': '{scheduler}', 'launcher': '{launcher}',
            'access': {access}, 'environs': ['default'], 'max_jobs': 120, 'features': ['cpu'],
            'prepare_cmds': ['export OMPI_MCA_pml=ob1'],
            'processor': {{'num_cpus': 4, 'num_cpus_per_core': 2}},
            'extras': {{'mem_per_node': 235520{extras}}},
        }}],
    }}],
    'environments': [{{'name': 'default', 'env_vars': [['OF_THE_CENTRE', 'two words']]}}],
    'logging': [{{
        'handlers': [{{'type': 'stream', 'name': 'stdout', 'level': 'info', 'format': '%(message)s'}}],
        'handlers_perflog': [{{
            'type': 'filelog', 'prefix': '%(check_system)s/%(check_partition)s', 'level': 'info',
            'format': '%(check_unique_name)s|%(check_perfvalues)s',
            'format_perfvars': '%(check_perf_var)s|%(check_perf_value)s|%(check_perf_unit)s|', 'append': True,
        }}],
    }}],
    'general': [{{'purge_environment': True, 'resolve_module_conflicts': False}}],
}}
"""
OWN_LAUNCHER = """
import reframe.core.launchers.mpi as mpi

@mpi.register_launcher('own_mpirun')
class OwnLauncher(mpi.MpirunLauncher):
    def command(self, job):
        return ['mpirun', '$OWN_ARGS']
"""

PROGRAMS = "'programs': {'ior': ['ior']}"


def described(folder: Path, **changes: object) -> str:
    """Extras of a centre without a site.yaml."""
    weir = {
        "targets": {"scratch": {"kind": "memory", "path": str(folder), "optional": True}},
        "programs": {"ior": ["{root}/build/weir-io", "ior"]},
        "launcher_options": ["--oversubscribe", "--bind-to", "none"],
        "environment": {"OMPI_ALLOW_RUN_AS_ROOT": "1", "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1"},
    }
    return f", 'weir': {weir | changes!r}"


def settings(checkout: Checkout, extras: str = "", launcher: str = "mpirun", scheduler: str = "local") -> str:
    access = "['-A project', '-p rome']" if scheduler == "slurm" else "[]"
    text = SETTINGS.format(extras=extras, launcher=launcher, scheduler=scheduler, access=access)
    checkout.write("centre.py", (OWN_LAUNCHER if launcher == "own_mpirun" else "") + text)
    return "centre.py"


def scripts(checkout: Checkout) -> list[str]:
    return [file.read_text() for file in sorted(checkout.root.glob("rfm/stage/**/rfm_job.sh"))]


@pytest.mark.parametrize("launcher", ["mpirun", "own_mpirun"])
def test_the_launcher_of_a_partition_starts_ranks_and_not_weir(
    tiny: Checkout, target_folder: Path, launcher: str
) -> None:
    session = reframe(
        tiny,
        *("--name=^measure", "-S", "suite=tiny", "--run", "--keep-stage-files"),
        settings=settings(tiny, described(target_folder), launcher),
    ).ended("OK")
    assert len(session.values) == 8
    (script,) = scripts(tiny)
    assert re.search(r"^('.+python.*'|\S+python\S*) -m weir run ", script, re.M), script
    assert not re.search(r"^mpirun", script, re.M)
    (document, *others) = [
        json.loads(file.read_text()) for file in tiny.root.glob("results/big-machine/runs/*/*/run.json")
    ]
    assert len(others) == 3
    assert document["cell"]["stack"] == "default"
    assert document["cell"]["partition"] == "cpu-rome"
    assert document["command"][0] == "mpirun"
    (case,) = stored_cases(tiny)
    assert (case["system"], case["partition"], case["environ"]) == ("Big_Machine", "cpu_Rome", "default")


def test_a_site_of_weir_that_has_other_names_is_mapped(tiny: Checkout) -> None:
    arguments = ("--name=^measure", "-S", "suite=tiny", "--run")
    reframe(tiny, *arguments, settings=settings(tiny, ", 'weir': 'local'")).ended("OK")
    # The shell leaves the tilde of `-S measure.results=~/again`.
    arguments += ("-S", "site=local", "-S", "measure.results=~/again")
    reframe(tiny, *arguments, settings=settings(tiny), environment={"HOME": str(tiny.root)}).ended("OK")
    assert len(list(tiny.root.glob("again/runs/*/*/run.json"))) == 4


def test_a_job_of_slurm_has_the_options_of_the_partition_and_the_node_alone(
    tiny: Checkout, target_folder: Path
) -> None:
    reframe(
        tiny,
        *("--name=^measure", "-S", "suite=tiny", "--dry-run", "--keep-stage-files"),
        settings=settings(tiny, described(target_folder), "srun", "slurm"),
    ).ended("OK")
    (script,) = scripts(tiny)
    assert {"#SBATCH -A project", "#SBATCH -p rome", "#SBATCH --exclusive"} <= set(script.splitlines())
    assert not re.search(r"^srun", script, re.M), script
    assert re.search(r"^export OF_THE_CENTRE=.?two words.?$", script, re.M), script
    assert not (tiny.root / "results").exists(), "a dry run writes nothing"


@pytest.mark.parametrize(
    ("extras", "message"),
    [
        ("", "weir knows no storage of ReFrame's system Big_Machine: there is no site 'big-machine'"),
        (f", 'weir': {{'targets': {{'a': {{}}}}, {PROGRAMS}}}", "of Big_Machine, as sites/big-machine/"),
    ],
)
def test_what_the_settings_lack_fails_the_check(tiny: Checkout, extras: str, message: str) -> None:
    arguments = ("--name=^measure", "-S", "suite=tiny", "--run")
    session = reframe(tiny, *arguments, settings=settings(tiny, extras)).ended("FAIL")
    assert message in session.text
    assert "weir-site-" not in session.text, "the folder is gone when somebody reads it"


@pytest.mark.parametrize(
    ("extras", "launcher", "message"),
    [
        ("{'target': {}}", "mpirun", "'target' is unknown"),
        ("['lab']", "mpirun", "'weir' is ['lab'], not keys"),
        ("{'targets': ['/scratch']}", "mpirun", "'targets' is ['/scratch'], not keys"),
        ("{'targets': {'a': '/scratch'}}", "mpirun", "'targets.a' is '/scratch', not keys"),
        ("{'targets': {'a': {}}, 'programs': ['ior']}", "mpirun", "'programs' is ['ior'], not keys"),
        ("{'targets': {'a': {}}}", "mpirun", "the programs of its environment default are not named"),
        (f"{{'targets': {{'a': {{}}}}, {PROGRAMS}}}", "alps", "weir has no launcher 'alps'"),
    ],
)
def test_wrong_extras_are_told_by_the_key(tmp_path: Path, extras: str, launcher: str, message: str) -> None:
    """By the function that the checks call with the system of a run."""
    from reframe.core.config import load_config
    from reframe.core.systems import System

    from reframe_checks.weir_checks.centre import described as site_of_extras

    checkout = Checkout(tmp_path)
    configuration = load_config(str(tmp_path / settings(checkout, f", 'weir': {extras}", launcher)))
    configuration.select_subconfig("Big_Machine")
    with pytest.raises(WeirError) as error:
        site_of_extras(System.create(configuration))
    assert message in str(error.value)


def block_of_the_page(heading: str, language: str) -> str:
    part = PAGE.split(f"## {heading}\n")[1].split("\n## ")[0]
    return part.split(f"```{language}\n")[1].split("```")[0]


@pytest.fixture
def centre(tiny: Checkout, target_folder: Path) -> Checkout:
    """Settings with the extras of the page, whose programs are on the PATH."""
    extras = block_of_the_page(HEADING, "python").replace("/scratch/{user}/io", str(target_folder))
    extras = extras.replace(
        "'parallel'", "'memory'"
    )  # no parallel file system is here, and the audit sees it
    settings(tiny, ", " + "".join(extras.splitlines()[1:-1]).strip().rstrip(","))
    for name in ("ior", "mdtest"):
        tiny.write(f"bin/{name}", f'#!/bin/sh\nexec "{ROOT}/build/weir-io" {name} "$@"\n')
    return tiny


def of_a_centre(checkout: Checkout) -> dict[str, str]:
    """Its PATH, and what Open MPI needs as root on a machine with fewer cores than ranks."""
    return {
        "PATH": f"{checkout.root}/bin:{ROOT / '.venv/bin'}:{os.environ['PATH']}",
        "OMPI_ALLOW_RUN_AS_ROOT": "1",
        "OMPI_ALLOW_RUN_AS_ROOT_CONFIRM": "1",
        "OMPI_MCA_rmaps_base_oversubscribe": "1",
    }


def test_by_the_page_alone_a_centre_comes_to_a_check_that_measured(centre: Checkout) -> None:
    """Extras and commands have 15 lines; here the suite is smaller."""
    extras, commands = block_of_the_page(HEADING, "python"), block_of_the_page(HEADING, "sh")
    assert len(extras.splitlines() + commands.splitlines()) <= 15
    started = [shlex.split(line)[1:] for line in commands.splitlines() if line.startswith("reframe ")]
    outcomes = []
    for arguments in started:
        line = ["centre.py" if word == "~/settings.py" else word for word in arguments]
        line = ["suite=tiny" if word == "suite=quick" else word for word in line]
        done = centre.call("reframe", "--nocolor", *line, environment=of_a_centre(centre))
        outcomes.append(done.stdout)
        assert "[  PASSED  ] Ran 1/1 test case(s)" in done.stdout, done.stdout + done.stderr
    assert outcomes[-1].count(" MiB/s") == 8
    assert len(list(centre.root.glob("results/big-machine/runs/*/*/run.json"))) == 4


def test_a_reference_of_a_centres_class_that_is_not_met_fails_the_check(centre: Checkout) -> None:
    text = block_of_the_page("A check of your own", "python").replace("(1200,", "(1e9,")
    centre.write("mine.py", text.replace('"quick"', '"tiny"'))
    session = reframe(
        centre, "--run", settings="centre.py", checks="mine.py", environment=of_a_centre(centre)
    ).ended("FAIL")
    assert "failed to meet reference" in session.text


def test_a_class_of_a_centre_has_its_own_references(centre: Checkout) -> None:
    text = block_of_the_page("A check of your own", "python")
    assert len(text.splitlines()) <= 40
    centre.write("mine.py", text.replace('"quick"', '"tiny"'))
    session = reframe(
        centre, "--run", settings="centre.py", checks="mine.py", environment=of_a_centre(centre)
    )
    assert session.outcomes in (["OK"], ["FAIL"]), session.text  # by the speed of this machine
    (case,) = stored_cases(centre)
    assert (case["maintainers"], "production" in case["tags"]) == (["you@example.org"], True)
    references = {name.split(":")[-1]: value[1:3] for name, value in case["perfvalues"].items()}
    assert references.pop("write POSIX shared sequential 16KiB of 256KiB") == [1200, -0.2]
    assert len(references) == 7
    assert {tuple(each) for each in references.values()} == {(0, None)}
