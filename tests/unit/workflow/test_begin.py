"""What the Snakefile changes in Snakemake before its first rule."""

import importlib
import sys
from types import SimpleNamespace

import pytest
from snakemake_interface_executor_plugins.settings import SharedFSUsage

from tests.programs import ran
from weir.base.errors import WeirError
from weir.workflow.begin import begin, quote_the_interpreter

USAGE = SimpleNamespace(shared_fs_usage={SharedFSUsage.SOFTWARE_DEPLOYMENT})
RUNNING = SimpleNamespace(workflow=SimpleNamespace(storage_settings=USAGE))


@pytest.mark.parametrize(
    ("module", "name"),
    [
        ("snakemake_interface_executor_plugins.executors.remote", "RemoteExecutor"),
        ("snakemake_executor_plugin_slurm_jobstep", "Executor"),
    ],
)
def test_a_job_starts_where_the_path_of_python_has_spaces(
    monkeypatch: pytest.MonkeyPatch, module: str, name: str
) -> None:
    executor = getattr(importlib.import_module(module), name)
    monkeypatch.setattr(executor, "get_python_executable", executor.get_python_executable)
    monkeypatch.setattr(sys, "executable", "/home/me/my weir/.venv/bin/python")
    for _ in range(2):  # a workflow may have weir as two modules
        quote_the_interpreter()
    assert executor.get_python_executable(RUNNING) == "'/home/me/my weir/.venv/bin/python'"
    monkeypatch.setattr(sys, "executable", "/opt/weir/.venv/bin/python")
    assert executor.get_python_executable(RUNNING) == "/opt/weir/.venv/bin/python"


def test_a_workflow_without_docstrings_is_refused_before_a_job() -> None:
    """A job of it printed the reason into its log, and the workflow that it ended without a message."""
    code = "from weir.workflow.begin import begin; begin(None, {})"
    done = ran([sys.executable, "-OO", "-c", code])
    assert "InputError: PYTHONOPTIMIZE: Python drops the texts of the rules of the audit" in done.stderr
    assert "unset PYTHONOPTIMIZE" in done.stderr


@pytest.mark.parametrize(("name", "is_named"), [("jsonschema", True), ("weir.unknown", False)])
def test_a_package_that_cannot_be_used_is_named(
    monkeypatch: pytest.MonkeyPatch, name: str, is_named: bool
) -> None:
    def lacks(workflow: object, config: object) -> None:
        raise ModuleNotFoundError(f"No module named '{name}'", name=name)

    monkeypatch.setattr("weir.workflow.rules.prepared", lacks)
    with pytest.raises(WeirError if is_named else ModuleNotFoundError):
        begin(None, {})
