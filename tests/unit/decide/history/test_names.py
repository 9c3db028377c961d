"""weir history: a series has a name that tells it from the others, and one storage alone is in it."""

import json
from pathlib import Path

from tests.unit.conftest import RunWeir
from tests.unit.decide.compare.test_compare import cell, noisy, write, write_day
from weir.collect.metrics import metric_named
from weir.decide.compare.sides import campaigns
from weir.decide.history.figure import write_pages
from weir.decide.history.series import of_cells

RATE = metric_named("rate")


def test_sites_with_the_same_names_are_series_of_their_own(tmp_path: Path, run_weir: RunWeir) -> None:
    """Two machines of one label, the slower one measured later: neither of them became slower."""
    history, label = tmp_path / "history", "write disk POSIX shared 1MiB (debian)"
    for day in range(30):
        site, name, speed = ("east", "c1", 1000.0) if day < 15 else ("west", "c2", 100.0)
        rows = cell(noisy(day, 3, speed, 0.02), start=day * 1440, site=site, cell=name)
        write_day(history, day, rows)
    shown = run_weir("history", "check", history, "--all").out
    assert f"normal   {label} at east: " in shown
    assert f"normal   {label} at west: " in shown
    series = of_cells(campaigns(history), RATE)
    assert {one.system: one.cells for one in series} == {
        "east": (("c1", "write"),),
        "west": (("c2", "write"),),
    }
    links = {one.cells[0]: f"LINK TO {one.system}" for one in series}
    write_pages(history, tmp_path, {}, links)
    page = (tmp_path / "history-disk.html").read_text()
    assert [page.count(f"cell in {link}") for link in links.values()] == [1, 1]
    of_one = [[row for row in rows if row["site"] == "east"] for rows in campaigns(history)]
    assert [one.name for one in of_cells(of_one, RATE)] == [label]


def test_a_record_without_a_label_is_named_by_its_columns() -> None:
    rows = [cell(noisy(1, 3), site=site, label=None) for site in ("east", "west")]
    names = [one.name for one in of_cells(rows, RATE)]
    assert [name.rpartition(" at ")[2] for name in names] == ["east", "west"]
    assert all(name.startswith("disk debian ior weir-io ") for name in names)


def test_emulated_storage_is_told_as_that_in_every_form(tmp_path: Path, run_weir: RunWeir) -> None:
    history, (page, junit) = tmp_path / "history", (tmp_path / "page.html", tmp_path / "junit.xml")
    for day in range(12):
        rows = [
            row
            for target, emulated in (("buffer", True), ("disk", False))
            for row in cell(noisy(day, 3), day * 1440, target=target, label=target, emulated=emulated)
        ]
        write_day(history, day, rows)
    names = {"write buffer (debian) (E)": True, "write disk (debian)": False}
    run_weir("history", "check", history, "--all", "--junit", junit)
    printed = run_weir("history", "show", history, "--html", page).out
    for text in (printed, page.read_text(), junit.read_text()):
        assert all(name in text for name in names)
        assert "disk (debian) (E)" not in text
    for action in ("check", "show"):
        found = json.loads(run_weir("history", action, history, "--json").out)
        assert {one["series"]: one["emulated"] for one in found} == names
    first, second = write_pages(history, tmp_path, {}, {})
    assert (first.target, second.target) == ("disk", "buffer (E)")
    assert "<h1>History of buffer (E)</h1>" in (tmp_path / second.file).read_text()


def test_cells_of_one_label_in_a_campaign_are_series_of_their_own(tmp_path: Path) -> None:
    """The label of an imported log has no options: the value of two was that of neither."""
    for day in range(3):
        rows = [
            row
            for name, direct, level in (("c1", False, 1000.0), ("c2", True, 100.0))
            for row in cell(noisy(day, 3, level), start=day * 1440, cell=name, direct=direct)
        ]
        write_day(tmp_path, day, rows)
    series = of_cells(campaigns(tmp_path), RATE)
    label = "write disk POSIX shared 1MiB (debian)"
    assert [one.name for one in series] == [f"{label} direct False", f"{label} direct True"]
    assert [one.cells for one in series] == [(("c1", "write"),), (("c2", "write"),)]
    assert all(one.logs.std() < 0.1 for one in series)


def test_a_study_that_is_added_again_with_more_rounds_counts_its_rounds_once(tmp_path: Path) -> None:
    early = cell(noisy(1, 3))
    late = [row | {"run": row["run"] + 3} for row in cell(noisy(2, 3), start=1440)]
    write(tmp_path / "2026-11-01-bbbbbbbbbbbb" / "records.csv", early)
    write(tmp_path / "2026-11-01-aaaaaaaaaaaa" / "records.csv", [*early, *late])
    assert [len(rows) for rows in campaigns(tmp_path)] == [3, 3]
    (series,) = of_cells(campaigns(tmp_path), RATE)
    assert series.times[1] - series.times[0] == 86400


def test_a_history_without_a_usable_value_is_no_history_without_a_finding(
    tmp_path: Path, run_weir: RunWeir
) -> None:
    """The check passed with an empty line, and show ended with a traceback."""
    write_day(tmp_path, 0, cell(noisy(1, 3), verdict="INVALID"))
    for action in ("check", "show"):
        assert "has no series" in run_weir("history", action, tmp_path, code=3).err
    (page,) = write_pages(tmp_path, tmp_path, {}, {})
    assert page.verdicts == "no value that can be used"
