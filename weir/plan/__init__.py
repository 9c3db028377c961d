"""A plan: made of suites and a site, and as a file. Who reads one does not import what makes one, which takes
nearly half as long as all else that weir collect imports."""

from typing import TYPE_CHECKING, Any

from weir.plan.files import plan_data, plan_from_data, read_plan, write_plan
from weir.plan.model import Batch, Cost, Exclusion, Plan, Shared, SuiteFacts, TargetCost, UnreachableCounts

if TYPE_CHECKING:
    from weir.plan.make import make_plan

__all__ = [
    "Batch",
    "Cost",
    "Exclusion",
    "Plan",
    "Shared",
    "SuiteFacts",
    "TargetCost",
    "UnreachableCounts",
    "make_plan",
    "plan_data",
    "plan_from_data",
    "read_plan",
    "write_plan",
]


def __getattr__(name: str) -> Any:
    if name != "make_plan":
        raise AttributeError(f"module {__name__!r} has no attribute {name!r}")
    from weir.plan.make import make_plan

    return make_plan
