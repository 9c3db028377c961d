"""weir's checks listed and tried with settings of the form that centres publish: several systems, modules,
containers, login nodes beside those that compute."""

import re
from pathlib import Path

import pytest

from tests.workflow.conftest import Checkout
from tests.workflow.reframe_results import Session, reframe

pytestmark = pytest.mark.slow
# The answers of Lmod to ReFrame: its version, and nothing to set for each module.
LMOD = """\
#!/bin/sh
echo "$@" >>{calls}
case "$*" in *--version) echo 'Modules based on Lua: Version 8.7.32  2023-08-28' >&2 ;; *) echo 'pass' ;; esac
"""
# A Cray, whose login nodes ReFrame finds by their names, and a cluster with Open MPI.
CENTRE = """
site_configuration = {{
    'systems': [
        {{
            'name': 'nordlicht', 'descr': 'A Cray', 'hostnames': [r'nl-login\\d+', r'nid\\d{{6}}'],
            'modules_system': 'lmod', 'resourcesdir': '/apps/resources', 'stagedir': {stage!r},
            'partitions': [
                {{
                    'name': 'login', 'descr': 'Login nodes', 'scheduler': 'local', 'launcher': 'local',
                    'environs': ['builtin', 'PrgEnv-gnu'], 'max_jobs': 4, 'time_limit': '10m',
                }},
                {{
                    'name': 'mc', 'descr': 'Multicore nodes', 'scheduler': 'slurm', 'launcher': 'srun',
                    'access': ['-C mc', '--account=io-test', '--hint=nomultithread'], 'max_jobs': 100,
                    'environs': ['PrgEnv-gnu', 'PrgEnv-cray'], 'features': ['cpu', 'remote'],
                    'container_platforms': [
                        {{'type': 'Sarus', 'modules': ['sarus']}},
                        {{'type': 'Singularity', 'modules': ['singularity/3.11'],
                          'env_vars': [['SINGULARITY_BIND', '/scratch']]}},
                    ],
                    'resources': [{{'name': 'memory', 'options': ['--mem={{size}}']}}],
                    'processor': {{'num_cpus': 256, 'num_cpus_per_core': 2, 'num_sockets': 2}},
                    'devices': [], 'prepare_cmds': ['ulimit -s unlimited'],
                    'extras': {{'weir': {{
                        'nodes': 8, 'targets': {{'scratch': {{'kind': 'memory', 'path': {target!r}}}}},
                    }}}},
                }},
                {{
                    'name': 'gpu', 'descr': 'GPU nodes', 'scheduler': 'slurm', 'launcher': 'srun',
                    'access': ['-C gpu', '--account=io-test'], 'environs': ['PrgEnv-gnu'],
                    'devices': [{{'type': 'gpu', 'arch': 'sm_90', 'num_devices': 4}}], 'features': ['gpu'],
                }},
            ],
        }},
        {{
            'name': 'kuerbis', 'descr': 'Cluster', 'hostnames': [r'kuerbis\\d*'], 'modules_system': 'nomod',
            'partitions': [{{
                'name': 'std', 'scheduler': 'squeue', 'launcher': 'mpirun', 'access': ['-p std'],
                'environs': ['gcc-openmpi'], 'processor': {{'num_cpus': 4}},
                'extras': {{'weir': {{'targets': {{'work': {{'kind': 'memory', 'path': {target!r}}}}},
                                      'programs': {{'ior': ['ior']}}}}}},
            }}],
        }},
        {{
            'name': 'generic', 'descr': 'Any other machine', 'hostnames': ['.*'],
            'partitions': [{{'name': 'default', 'scheduler': 'local', 'launcher': 'local',
                             'environs': ['builtin']}}],
        }},
    ],
    'environments': [
        {{
            'name': 'PrgEnv-gnu', 'modules': ['PrgEnv-gnu', {{'name': 'ior/4.0', 'collection': False}}],
            'cc': 'cc', 'cxx': 'CC', 'ftn': 'ftn', 'features': ['mpi'], 'target_systems': ['nordlicht'],
            'extras': {{'weir': {{'programs': {{'ior': ['ior']}}}}}},
        }},
        {{'name': 'PrgEnv-cray', 'modules': ['PrgEnv-cray'], 'target_systems': ['nordlicht']}},
        {{'name': 'gcc-openmpi', 'modules': [], 'cc': 'mpicc', 'env_vars': [['OMPI_MCA_pml', 'ucx']]}},
        {{'name': 'builtin', 'cc': 'cc', 'cxx': '', 'ftn': ''}},
    ],
    'modes': [{{'name': 'maintenance', 'options': ['--exec-policy=async', '--tag=maintenance']}}],
    'logging': [{{
        'level': 'debug',
        'handlers': [{{'type': 'stream', 'name': 'stdout', 'level': 'info', 'format': '%(message)s'}}],
        'handlers_perflog': [{{
            'type': 'filelog', 'prefix': '%(check_system)s/%(check_partition)s', 'level': 'info',
            'format': '%(check_job_completion_time)s|%(check_info)s|%(check_perf_value)s', 'append': True,
        }}],
    }}],
    'general': [
        {{'resolve_module_conflicts': False, 'purge_environment': True, 'target_systems': ['nordlicht']}},
        {{'resolve_module_conflicts': False, 'check_search_path': ['checks/'], 'remote_detect': False}},
    ],
    'autodetect_methods': ['cat /etc/no-such-xthostname', 'echo {host}', 'py::socket.gethostname'],
}}
"""


def listed(tiny: Checkout, target: Path, *arguments: str, host: str = "elsewhere") -> Session:
    """The suite `tiny` by these settings, on a machine of that name."""
    text = CENTRE.format(target=str(target), stage=str(tiny.root / "stage"), host=host)
    tiny.write("centre.py", text)
    program = tiny.write("bin/lmod", LMOD.format(calls=tiny.root / "lmod-calls"))
    chosen = ("--name=^measure", "-S", "suite=tiny", *arguments)
    return reframe(tiny, *chosen, settings="centre.py", environment={"LMOD_CMD": str(program)})


@pytest.mark.parametrize("detected", [True, False], ids=["by the name of the host", "by --system"])
def test_the_checks_of_a_system_are_listed_for_the_nodes_that_have_a_storage(
    tiny: Checkout, target_folder: Path, detected: bool
) -> None:
    host, system = ("nl-login01", ()) if detected else ("elsewhere", ("--system=nordlicht",))
    session = listed(tiny, target_folder, "--list-detailed", *system, host=host)
    assert session.done.returncode == 0, session.text
    assert re.search(r"measure %batch=\S*scratch-prgenv-gnu-1x2", session.text), session.text
    assert "Found 1 check(s)" in session.text


def test_a_job_loads_the_modules_of_its_environment_on_the_nodes_of_the_partition(
    tiny: Checkout, target_folder: Path
) -> None:
    """Neither on a login node nor on the GPUs, which lack a storage of weir, nor with the other compiler."""
    listed(
        tiny, target_folder, "--system=nordlicht", "--dry-run", "--keep-stage-files", host="nl-login01"
    ).ended("OK")
    (script,) = [file.read_text() for file in sorted(tiny.root.glob("stage/**/rfm_job.sh"))]
    options = {"-C mc", "--account=io-test", "--hint=nomultithread"}
    assert {f"#SBATCH {option}" for option in options} <= set(script.splitlines()), script
    loaded = [line.split()[-1] for line in script.splitlines() if line.startswith("module load")]
    assert loaded == ["PrgEnv-gnu", "ior/4.0"], script
    assert script.index("ulimit -s unlimited") < script.index("-m weir run")
    assert not re.search(r"^srun", script, re.M), script
    assert re.search(r"nordlicht/mc/PrgEnv-gnu/measure_\w+$", str(next(tiny.root.glob("stage/*/*/*/*"))))


def test_another_system_of_the_same_settings_has_its_own_storage_and_launcher(
    tiny: Checkout, target_folder: Path
) -> None:
    session = listed(tiny, target_folder, "--list", "--system=kuerbis")
    assert session.done.returncode == 0, session.text
    assert re.search(r"measure %batch=\S*work-gcc-openmpi-1x2", session.text), session.text
    assert not (tiny.root / "lmod-calls").exists(), "the modules of the other system are none of this one's"


def test_a_system_without_storage_for_weir_fails_with_what_to_add(
    tiny: Checkout, target_folder: Path
) -> None:
    session = listed(tiny, target_folder, "--run").ended("FAIL")
    assert "weir knows no storage of ReFrame's system generic" in session.text
