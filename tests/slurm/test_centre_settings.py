"""A centre's own settings of ReFrame on a real Slurm: its partition has srun, and no site.yaml repeats it."""

import json

import pytest
import yaml

from tests.slurm.checkout import BIN, ROOT, Checkout

pytestmark = pytest.mark.slow
SETTINGS = """
site_configuration = {{
    'systems': [{{
        'name': 'centre', 'descr': 'A centre', 'hostnames': ['.*'], 'modules_system': 'nomod',
        'partitions': [{{
            'name': 'Compute', 'scheduler': 'squeue', 'launcher': 'srun', 'access': ['--partition=debug'],
            'environs': ['default'], 'max_jobs': 8, 'processor': {{'num_cpus': 4}},
            'extras': {{'weir': {extras!r}}},
        }}],
    }}],
    'environments': [{{'name': 'default'}}],
}}
"""


def test_srun_of_a_partition_starts_the_ranks_of_two_nodes(checkout: Checkout) -> None:
    checkout.suite([2], [2])
    stack = yaml.safe_load((ROOT / "config/sites/sandbox/site.yaml").read_text())["stacks"]["debian"]
    target = {"kind": "disk", "path": str(checkout.target), "allow_home": True}
    extras = {
        "nodes": 4,
        "targets": {"disk": target},
        **{key: stack[key] for key in stack if key != "description"},
    }
    (checkout.folder / "centre.py").write_text(SETTINGS.format(extras=extras))
    command = [
        "--nocolor",
        "-C",
        "centre.py",
        "-c",
        "reframe_checks",
        "-S",
        "suite=tiny",
        "-n",
        "^measure",
        "-r",
    ]
    output = checkout.run(str(BIN / "reframe"), *command)
    assert "Ran 1/1 test case(s)" in output
    assert output.count(" MiB/s") == 2
    (file,) = checkout.folder.glob("results/centre/runs/*/*/run.json")
    run = json.loads(file.read_text())
    assert run["command"][0] == "srun"
    assert (run["cell"]["nodes"], run["cell"]["ppn"], run["status"]) == (2, 2, "done")
    assert run["host"]["placement"]["alone"] is True
    checkout.assert_clean()
