"""What the checks are made from: the plan in WEIR_PLAN, or one of config/ for the current system."""

from __future__ import annotations

import os
from pathlib import Path

from reframe.core.runtime import runtime

from weir.config import load_config
from weir.plan import Plan, make_plan, read_plan, write_plan
from weir.study import measured_study

ROOT = Path(__file__).resolve().parent.parent
_GIVEN = os.environ.get("WEIR_PLAN")


def _plan() -> Plan:
    if _GIVEN:
        return read_plan(Path(_GIVEN))
    return make_plan(load_config(root=ROOT, overrides={"site": runtime().system.name}))


PLAN = _plan()
STUDY = measured_study(PLAN, ROOT)
RESULTS = Path(os.environ.get("WEIR_RESULTS", ROOT / STUDY.site_folder)).resolve()


def plan_file() -> Path:
    """The plan as a file, which `weir run` reads."""
    if _GIVEN:
        return Path(_GIVEN).resolve()
    path = ROOT / STUDY.folder / "plan.json"
    write_plan(PLAN, path)
    return path


def receipt_file(batch: str) -> Path:
    """Where Snakemake looks for a batch that is through: both ways in leave the same files."""
    return plan_file().parent / "batches" / f"{batch}.json"
