"""The test of a prediction: cells with the parameters of each phase, planned as a suite and measured."""

from __future__ import annotations

import tempfile
from collections.abc import Collection
from dataclasses import replace
from pathlib import Path
from typing import Any

import yaml

from weir.decide.predict.application import Application, IoPhase
from weir.measure.planned import planned_batch
from weir.plan import Plan, make_plan
from weir.plan.config import Config
from weir.plan.config.sources import Sources
from weir.plan.config.suite import FULL
from weir.plan.config.suites import load_suite
from weir.records.measured import measure_in_turns
from weir.terms.model import Row
from weir.tools import tools


def trial_plan(application: Application, config: Config, rounds: int) -> Plan:
    """A cell for each pattern of the application on each target of the configuration."""
    name = f"predict-{application.name}"
    with tempfile.TemporaryDirectory(prefix="weir-predict-") as folder:
        suites = Path(folder) / "suites"
        suites.mkdir()
        (suites / f"{name}.yaml").write_text(yaml.safe_dump(suite_of(application, rounds), sort_keys=False))
        sources = Sources(config.sources.root, (Path(folder), *config.sources.folders))
        suite = load_suite(sources, name, FULL, tools())
        return make_plan(replace(config, suites=(suite,)))


def suite_of(application: Application, rounds: int) -> dict[str, Any]:
    """The contents of a suite file; phases of one pattern share an experiment, which writes and reads."""
    patterns = dict.fromkeys(_pattern(phase) for phase in application.phases)
    tool = _tool_with(("layout", "order", "collective", "xfer", "block", "access", "drop_caches"))
    return {
        "suite": f"predict-{application.name}",
        "question": f"Do transfers with the parameters of {application.name} take the predicted time?",
        "experiments": {
            f"kernel-{number}": {
                "tool": tool,
                "nodes": [application.nodes],
                "ppn": [application.ppn],
                "space": {"api": [api]},
                "fixed": {
                    "layout": layout,
                    "order": order,
                    "collective": collective,
                    "xfer": f"{xfer_bytes} B",
                    "block": f"{block_bytes} B",
                    "access": ["write", "read"],
                    "drop_caches": True,
                },
                "repetitions": {"rounds": rounds},
            }
            for number, (api, layout, order, collective, xfer_bytes, block_bytes) in enumerate(patterns, 1)
        },
    }


def _tool_with(parameters: Collection[str]) -> str:
    """The one that can measure such a pattern by itself."""
    return next(
        name
        for name, tool in tools().items()
        if tool.purpose == "bandwidth" and set(parameters) <= tool.parameters.keys()
    )


def _pattern(phase: IoPhase) -> tuple[str, str, str, bool, int, int]:
    """The block is a whole number of transfers that holds the bytes of a process."""
    transfers = max(1, -(-phase.size_bytes // phase.xfer_bytes))
    return (
        *(phase.api, phase.layout, phase.order, phase.collective, phase.xfer_bytes),
        transfers * phase.xfer_bytes,
    )


def measured_trial(plan: Plan, results: Path) -> list[Row]:
    """The records of all cells of the plan, one round of each after the other."""
    found = measure_in_turns([planned_batch(plan, batch, results) for batch in plan.batches])
    return [row for rows in found.values() for row in rows]
