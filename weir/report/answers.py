"""The answers of a page without R: the best point of each target and access, small random transfers."""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from typing import Any

from weir.audit.judge import USABLE
from weir.report.points import Points, size_text

_SMALL_BYTES = 65536
_MOST_VALUES = 20
Facts = dict[str, Any]


def answers(points: Points) -> list[Facts]:
    """The answers of a page, chosen as page_answers() of analysis/R/page_points.R does."""
    storage, settings = points.of_storage(), points.settings()
    measured = [
        point.facts(settings[key]) | {"about": point.about}
        for key, point in points.found.items()
        if key in storage
    ]
    usable = [one for one in measured if one["n"] and one["verdict"] in USABLE]
    groups = dict.fromkeys((one["target"], one["emulated"], one["access"]) for one in usable)
    return [_answer(group, usable, measured) for group in groups]


def _answer(group: tuple[str, bool, str], usable: Sequence[Facts], measured: Sequence[Facts]) -> Facts:
    def of_group(some: Sequence[Facts]) -> list[Facts]:
        return [one for one in some if (one["target"], one["emulated"], one["access"]) == group]

    mine = of_group(usable)
    random = [one for one in mine if one["about"]["order"] == "random" and _is_small(one)]
    small = max(random, key=_median, default=None)
    used = {one["api"] for one in mine}
    return {
        "target": group[0],
        "emulated": group[1],
        "access": group[2],
        "best": _row(max(mine, key=_median)) | {"alternatives": len(mine), "tied": None},
        "small": _row(small) if small else None,
        "tail": _tail(small) if small and small["p99"] is not None else None,
        "others": sorted(one["median"] for one in mine),
        "interfaces": [_interface([one for one in mine if one["api"] == api]) for api in sorted(used)],
        "unusable": sorted({str(one["api"]) for one in of_group(measured)} - used),
    }


def _is_small(one: Mapping[str, Any]) -> bool:
    return one["xfer"] is not None and one["xfer"] <= _SMALL_BYTES


def _median(one: Mapping[str, Any]) -> float:
    return float(one["median"])


def _row(one: Facts) -> Facts:
    about = one["about"]
    shape = f"{about['nn']:g}\u00d7{about['ppn']:g}" if about["nn"] and about["ppn"] else ""
    return {
        "value": one["median"],
        **{name: one[name] for name in ("lo", "hi", "n", "setting", "iops", "verdict", "cell", "size")},
        "values": one["values"][:_MOST_VALUES],
        "unit": "MiB/s",
        "short": ", ".join(filter(None, (one["api"], size_text(one["xfer"]), shape))),
    }


def _tail(one: Facts) -> Facts:
    return {"value": one["p99"], "unit": "us", "setting": one["setting"], "cell": one["cell"]}


def _interface(some: Sequence[Facts]) -> Facts:
    """The best point of an interface, with the medians of its other settings."""
    top = max(some, key=_median)
    kept = {name: top[name] for name in ("api", "lo", "hi", "n", "setting", "verdict", "values", "cell")}
    return kept | {"value": top["median"], "others": [one["median"] for one in some if one is not top]}
