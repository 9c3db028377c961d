"""What is written conforms to its schema: the run.json of a planned cell, and the records of its run."""

import csv
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import jsonschema
import pytest
import yaml
from referencing import Registry, Resource

from tests.checkout import ROOT
from tests.unit.collect.test_collect import plan
from weir.collect.judged import collect_cell
from weir.collect.parsed_runs import Run
from weir.collect.table import write_records
from weir.measure.command import before
from weir.measure.launch import RunEnd, after
from weir.measure.machine.host import host_facts
from weir.measure.session import Execution
from weir.plan.model import Plan
from weir.records.columns import columns
from weir.records.model import Row

__all__ = ["plan"]
WEIR_IO_OUTPUT = ROOT / "tests/golden/ior/weir-io-mpiio.json"


def validator(name: str) -> jsonschema.Draft202012Validator:
    schemas = {
        one: yaml.safe_load((ROOT / f"config/schemas/{one}.schema.yaml").read_text())
        for one in ("cell", "run", "record")
    }
    registry: Registry[Any] = Registry().with_resources(
        (one, Resource.from_contents(schema)) for one, schema in schemas.items()
    )
    return jsonschema.Draft202012Validator(schemas[name], registry=registry)


def run_document(plan: Plan, outputs: Path, exit_code: int | None) -> dict[str, Any]:
    """As `weir run` makes it."""
    cell = plan.cells[0]
    target = plan.site.targets[cell.target]
    known = before(Execution(cell, 0, 0), target, 1, ["mpirun", "weir-io"], {"LC_ALL": "C"})
    ending = RunEnd(exit_code, timed_out=exit_code is None, ended_at=datetime.now(UTC), elapsed_s=0.5)
    return after({**known, "host": host_facts(outputs)}, ending, outputs)


@pytest.mark.parametrize("exit_code", [0, 1, None])
def test_a_run(tmp_path: Path, plan: Plan, exit_code: int | None) -> None:
    validator("run").validate(run_document(plan, tmp_path, exit_code))


def records_in_types(rows: list[Row], table: Path) -> list[Row]:
    write_records(table, rows)
    with table.open(newline="") as lines:
        return [
            {name: columns()[name].read(text) for name, text in line.items()}
            for line in csv.DictReader(lines)
        ]


@pytest.mark.slow
@pytest.mark.parametrize("exit_code", [0, 1, None])
def test_records_of_a_run(tmp_path: Path, plan: Plan, exit_code: int | None) -> None:
    (tmp_path / "summary.json").write_bytes(WEIR_IO_OUTPUT.read_bytes())
    run = Run(tmp_path, run_document(plan, tmp_path, exit_code))
    rows = list(collect_cell(plan.cells[0], [run], tmp_path))
    assert {row["verdict"] for row in rows} == {"INVALID"}  # the output is that of another cell
    valid = [row | {"verdict": "VALID", "reasons": "", "evidence": ""} for row in rows]
    for row in records_in_types([*rows, *valid], tmp_path / "records.csv"):
        validator("record").validate(row)
