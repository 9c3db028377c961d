"""weir site: the targets of a site over all its studies."""

import json
import re
from pathlib import Path
from typing import Any

import pytest

from tests.unit.conftest import RunWeir
from weir.commands.site import site_rows, studies_of


def point(target: str, median: float, **changes: Any) -> dict[str, Any]:
    return {
        "target": target, "emulated": False, "access": "write", "median": median, "n": 3,
        "lo": None, "hi": None, "verdict": "VALID", "setting": f"POSIX at {median:.0f}", "cell": "c",
        "bandwidth": True,
    } | changes  # fmt: skip


def write_study(site: Path, name: str, points: list[dict[str, Any]]) -> None:
    counts = {"VALID": len(points), "UNPROVEN": 0, "DEGRADED": 1, "INVALID": 0}
    facts = {
        "study": {"question": "How <fast>?", "began": "2026-11-22T04:31"},
        "verdicts": {"real": counts, "emulated": {}, "busy": 2},
        "advice": [{"title": "Use larger transfers."}],
        "points": points,
    }
    (site / name).mkdir(parents=True)
    (site / name / "page.json").write_text(json.dumps(facts))


@pytest.fixture
def site(tmp_path: Path) -> Path:
    folder = tmp_path / "results" / "lab"
    write_study(folder, "quick", [point("disk", 100), point("disk", 300), point("buffer", 9, emulated=True)])
    write_study(folder, "other", [point("disk", 700, lo=600, hi=800), point("disk", 999, verdict="INVALID"),
                                  point("disk", 9999, bandwidth=False)])  # fmt: skip
    return folder


def test_best_median_and_worst_are_over_all_studies(site: Path) -> None:
    disk, buffer = site_rows(studies_of(site))
    assert (disk.best["median"], disk.best["study"]) == (700, "other"), (
        "neither an invalid point nor a cached operation is the best"
    )
    assert (disk.worst["median"], disk.worst["study"]) == (100, "quick")
    assert (disk.median_mib_s, disk.points) == (300, 3)
    assert buffer.emulated


def test_the_page_is_static_and_links_the_reports(site: Path, run_weir: RunWeir) -> None:
    assert "2 studies" in run_weir("site", site).out
    text = (site / "index.html").read_text()
    assert 'href="quick/report.html"' in text
    assert "<b>700</b> [600–800]" in text
    assert "2 on a busy machine" in text
    assert "How &lt;fast&gt;?" in text
    assert "Use larger transfers." in text
    assert "<script" not in text
    assert "http:" not in text
    assert "https:" not in text


def test_a_folder_without_studies_is_named(tmp_path: Path, run_weir: RunWeir) -> None:
    assert "has no study with a page.json" in run_weir("site", tmp_path, code=2).err


@pytest.mark.parametrize("change", [None, 7, [], {}, {"points": 1}, {"points": [{}]}, {"verdicts": []}])
def test_a_damaged_page_is_named_without_a_traceback(change: Any, site: Path, run_weir: RunWeir) -> None:
    file = site / "quick" / "page.json"
    whole = json.loads(file.read_text())
    file.write_text(json.dumps(whole | change if isinstance(change, dict) and change else change))
    for verb, folder in (("show", file.parent), ("site", site)):
        printed = run_weir(verb, folder, code=2).err
        assert re.search(r"page\.json: (\S+: )?is damaged: ", printed)
        assert "draw it again" in printed
