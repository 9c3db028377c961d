"""report.html and the page of a site with other studies: many systems, one, one cell, nothing usable."""

import json
import re
import shutil
from pathlib import Path

import pytest

from tests.workflow.browser import film_of, open_page
from tests.workflow.page_study import answers_of, drawn_study, facts_on, page_of
from weir.cli import main
from weir.report.text import lines

pytestmark = pytest.mark.slow


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return drawn_study(tmp_path_factory)


def test_several_systems_have_a_row_each(study: Path, tmp_path: Path) -> None:
    """Thirteen systems made of the disk of the study: the fastest ten have room, one has no answer."""
    facts = facts_on(study)
    for kind, key in (("targets", "name"), ("answers", "target")):
        disk = [one for one in facts[kind] if one[key] == "disk"]
        facts[kind] = [one | {key: f"system-{number}"} for number in range(13) for one in disk]
    facts["answers"] = [one for one in facts["answers"] if one["target"] != "system-3"]
    facts["answers"] = json.loads(json.dumps(facts["answers"]))  # each its own
    for one in facts["answers"]:
        if one["target"] == "system-12" and one["access"] == "read":
            one["best"]["value"] *= 2
    shown = page_of(facts, study, tmp_path)
    rows = re.findall(r'<th scope="row">(.*?)</th>(.*?)</tr>', shown.split('id="answers"', 1)[1])
    assert [name for name, _ in rows] == [f"system-{number}" for number in (12, *range(10)) if number != 3]
    chart = shown.split('id="chart"', 1)[1].split("<details", 1)[0]
    assert re.findall(r"<b>(system-\d+) </b>", chart) == [name for name, _ in rows]
    assert "13 systems" in shown.split("</h1>", 1)[0]
    assert all("1,030" in values for _, values in rows)
    assert "3 more systems with lower rates" in shown
    assert "ticks: medians of the other settings" in chart, "the legend of what the chart has"


def test_nothing_is_wider_than_a_phone(study: Path, tmp_path: Path) -> None:
    """At 390 px; Chromium opens no window so narrow, but a frame."""
    shutil.copy(study / "report.html", tmp_path / "study.html")
    seen = film_of(tmp_path, ["study"])
    assert {name: wider for name, (wider, _, _) in seen.items()} == {"study-1280": 0, "study-390": 0}


def test_emulated_storage_alone_is_named_as_such(study: Path, tmp_path: Path) -> None:
    facts = facts_on(study)
    for kind in ("targets", "answers", "points"):
        facts[kind] = [one for one in facts[kind] if one["emulated"]]
    facts["verdicts"]["real"] = dict.fromkeys(facts["verdicts"]["real"], 0)
    facts["advice"] = []
    shown = page_of(facts, study, tmp_path)
    assert "buffer (E)" in shown.split("</h1>", 1)[0]
    proof = re.split(r'id="(?:proof|answers)"', shown)[1]
    assert "48 of 48 results proven" in proof
    assert "EMULATED STORAGE (E): it tests the method, not a product" in proof
    assert "buffer (E)" in answers_of(shown)
    assert "None: emulated storage tests the method." in shown
    assert "EMULATED STORAGE: it tests the method, not a product" in "\n".join(lines(facts))


@pytest.mark.parametrize("count", [1, 12, 40])
def test_the_page_of_a_site_has_room_for_its_targets(study: Path, tmp_path: Path, count: int) -> None:
    """Made of the disk of the study, on a phone: nothing beyond its edge, a paragraph for each row."""
    facts = facts_on(study)
    disk = [one for one in facts["points"] if one["target"] == "disk"]
    facts["points"] = [one | {"target": f"scratch-{number:02d}"} for number in range(count) for one in disk]
    site = tmp_path / "lab"
    (site / "quick").mkdir(parents=True)
    (site / "quick/page.json").write_text(json.dumps(facts))
    assert main(["site", str(site), "--out", str(tmp_path / "report.html")]) == 0
    steps = (
        "const rows = [...document.querySelectorAll('.listed tbody tr')]"
        ".map((row) => row.getBoundingClientRect());"
        "document.body.append('WIDE ' + (document.documentElement.scrollWidth - innerWidth)"
        " + ' HIGHEST ' + Math.round(Math.max(...rows.slice(0, -1).map((row) => row.height))) + ' END')"
    )
    shown = open_page(tmp_path, tmp_path, "--window-size=500,844", "--dump-dom", steps=steps).stdout
    assert "1 study with reports" in shown
    assert re.findall(r"<b>(scratch-\d+)</b>", shown) == [
        f"scratch-{number:02d}" for number in range(count) for _ in ("write", "read")
    ]
    found = re.findall(r"WIDE (-?\d+) HIGHEST (\d+) END", shown)
    assert int(found[0][0]) <= 0
    assert int(found[0][1]) <= 100, "five lines"


def test_rates_of_operations_are_plain_numbers(study: Path, tmp_path: Path) -> None:
    facts = facts_on(study)
    for one in facts["answers"]:
        number = 44716 if one["access"] == "write" else 999.6
        one["small"] = {**one["best"], "size": "16 KiB", "iops": number}
    shown = answers_of(page_of(facts, study, tmp_path))
    assert "44,700 op/s of 16 KiB" in shown
    assert "1,000 op/s of 16 KiB" in shown
    assert not re.search(r"e\+|\d k ", shown)


def test_one_interface_of_one_target_is_named_once(study: Path, tmp_path: Path) -> None:
    facts = facts_on(study)
    for kind, key in (("targets", "name"), ("answers", "target")):
        facts[kind] = [one for one in facts[kind] if one[key] == "disk"]
    chart = page_of(facts, study, tmp_path).split('id="chart"', 1)[1].split("</svg>", 1)[0]
    assert 'class="target"' not in chart
    assert "POSIX" in chart, "two interfaces are told apart"
    for one in facts["answers"]:
        one["interfaces"] = one["interfaces"][:1]
    chart = page_of(facts, study, tmp_path).split('id="chart"', 1)[1]
    assert "Best bandwidth of POSIX" in chart
    rows = re.sub(r"<[^>]+>", "|", chart.split("</h3>", 1)[1].split("<svg", 1)[0])
    assert "POSIX" not in rows


def test_a_study_of_one_cell_and_one_without_a_usable_result(study: Path, tmp_path: Path) -> None:
    facts = facts_on(study)
    for kind, key in (("targets", "name"), ("answers", "target")):
        facts[kind] = [one for one in facts[kind] if one[key] == "disk"]
    facts["answers"] = facts["answers"][:1]
    facts["answers"][0]["best"] |= {"alternatives": 1, "tied": 0}
    facts["answers"][0]["interfaces"] = [facts["answers"][0]["interfaces"][0] | {"others": []}]
    shown = page_of(facts, study, tmp_path)
    assert "best of 1" not in shown
    legend = shown.split('id="chart"', 1)[1].split("Symbol: best median", 1)[1].split("</div>", 1)[0]
    assert "bar: its interval" in legend
    assert "ticks" not in legend
    assert "hollow" not in legend
    shown = page_of(facts | {"answers": []}, study, tmp_path)
    assert "No usable bandwidth: every result that moved data is degraded or invalid." in shown
    assert "Symbol: best median" not in shown
    assert "No bandwidth was measured" in page_of(facts | {"answers": [], "points": []}, study, tmp_path)


def test_a_page_without_a_usable_result_says_what_to_do(study: Path, tmp_path: Path) -> None:
    facts = facts_on(study)
    shown = page_of(facts | {"answers": []}, study, tmp_path)
    first = shown.split('id="chart"', 1)[1].split("</dl>", 1)[0]
    assert "What to do about it" in first
    assert facts["doubted"][0]["hint"][1:40] in re.sub(r"<[^>]+>", "", first)
    assert "Nothing to draw" not in shown


def test_experiments_of_one_question_have_their_names(study: Path, tmp_path: Path) -> None:
    requested = (("easy", "How fast?"), ("hard", "How fast?"), ("other", "How small?"))
    sections = [
        {"suite": "both", "experiment": name, "question": question, "note": "See the figures.", "groups": []}
        for name, question in requested
    ]
    shown = page_of(facts_on(study) | {"questions": sections}, study, tmp_path)
    titles = re.findall(r"<h3>(How [^<]+)</h3>", shown)
    assert titles == ["How fast? easy", "How fast? hard", "How small?"]
