"""What the Snakefile changes in Snakemake before its first rule."""

from __future__ import annotations

import importlib
import sys
from types import SimpleNamespace

import pytest
from snakemake_interface_executor_plugins.settings import SharedFSUsage

from weir.workflow.begin import quote_the_interpreter

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
