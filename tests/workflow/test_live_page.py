"""The page without R in a browser: of a study while it is measured, and of logs; wide and on a phone."""

import re
from pathlib import Path

import pytest

from tests.unit.report.rounds import measure, row_of, run_of, small_plan
from tests.workflow.browser import CHROMIUM, film_of, open_page
from weir import cli
from weir.collect.progress import EndedExecution
from weir.report.live import LiveStudy
from weir.report.page import write_page

pytestmark = [
    pytest.mark.slow,
    pytest.mark.skipif(CHROMIUM is None, reason="no chromium to open the page with"),
]
GOLDEN = Path(__file__).resolve().parents[1] / "golden"
WIDE, PHONE = "1280,900", "500,844"
FITS = (
    "document.getElementById('page').append('WIDER ' +"
    " (document.documentElement.scrollWidth - innerWidth) + ' PX')"
)


def shown(folder: Path, size: str, steps: str = "", budget_ms: int = 0) -> str:
    """What report.html of the folder shows, as text."""
    options = [f"--window-size={size}", "--dump-dom"]
    options += [f"--virtual-time-budget={budget_ms}"] if budget_ms else []
    dom = open_page(folder, folder, *options, steps=steps).stdout
    text = re.sub(r"<(script|style).*?</\1>", "", dom, flags=re.DOTALL)
    assert "PAGE ERROR" not in text
    return re.sub(r"\s+", " ", re.sub(r"<[^>]+>", " ", text))


@pytest.fixture
def live(tmp_path: Path) -> LiveStudy:
    """Of recorded rounds; its runs are in no directory."""
    return LiveStudy(small_plan(tmp_path), tmp_path)


def written(live: LiveStudy, folder: Path, **changes: object) -> None:
    facts = live.facts()
    facts["live"] |= changes
    write_page(folder / "report.html", facts)


SOON = {"reload_s": 3600.0}  # not while a test looks at it


def test_each_round_is_seen_and_the_end_stops_it(live: LiveStudy, tmp_path: Path) -> None:
    """The film: before the first round, after one, after all."""
    plan = small_plan(tmp_path)
    written(live, tmp_path, **SOON)
    text = shown(tmp_path, WIDE)
    assert "Measuring 0 of 3 rounds complete, 0 of 24 executions" in text
    assert "Nothing is measured yet: the first round gives the first rates, in about 4.4 s" in text
    assert "No result yet" in text
    assert "Records" not in text
    measure(live, plan, [0])
    written(live, tmp_path, **SOON)
    text = shown(tmp_path, WIDE)
    assert "Measuring 1 of 3 rounds complete, 8 of 24 executions, 32 s (32 s to 32 s) left" in text
    assert "200 one run" in text
    assert "✔ 16 of 16 results proven" in text
    assert "intervals of medians: they need 6 runs of a cell" in text
    assert "n[7-8]" in text
    assert "What mattered in this campaign" not in text, "effects are those of report.html"
    measure(live, plan, [1, 2])
    written(live, tmp_path, over=True, reload_s=1.0, written="2026-01-01T00:00:00+00:00")
    text = shown(tmp_path, WIDE)
    assert "Measured All batches are over" in text
    assert "200 3 runs, 196–208" in text


@pytest.mark.parametrize("emulated", [False, True])
def test_verdicts_of_files_and_directories_are_counted(
    live: LiveStudy, tmp_path: Path, emulated: bool
) -> None:
    """They are no points of transfers, by which the page knows its targets."""
    batch = small_plan(tmp_path).batches[0]
    cell = batch.cells[0]
    row = row_of(cell, 0, "write", item="file", ops_s=900.0, emulated=emulated) | {"access": "create"}
    live.take(EndedExecution(batch, cell, 0, [row], run_of(cell, 0)))
    written(live, tmp_path, **SOON)
    text = shown(tmp_path, WIDE)
    assert "1 of 1 results proven" in text
    assert "No result yet" not in text
    assert ("EMULATED STORAGE (E)" in text) is emulated


STEPS = (("before", "Nothing is measured yet"), ("first", "one run"), ("second", "2 runs"), ("end", "3 runs"))


def test_the_film_of_a_measurement_wide_and_on_a_phone(live: LiveStudy, tmp_path: Path) -> None:
    """Before the first round, after each, and at the end, at 1280 and at 390 px, in one picture."""
    plan = small_plan(tmp_path)
    for number, (step, _) in enumerate(STEPS):
        if number > 0:
            measure(live, plan, [number - 1])
        facts = live.facts()
        facts["live"] |= SOON
        write_page(tmp_path / f"{step}.html", facts)
    picture = tmp_path / "film.png"
    seen = film_of(tmp_path, [step for step, _ in STEPS], picture)
    assert len(seen) == 2 * len(STEPS)
    for step, phrase in STEPS:
        for width in (1280, 390):
            wider, cut, text = seen[f"{step}-{width}"]
            assert phrase in re.sub(r"\s+", " ", text)
            assert max(wider, cut) <= 0, f"{step} at {width} px is to be scrolled to the side"
    assert picture.stat().st_size > 100_000


def test_the_page_loads_itself_again_while_it_is_measured(live: LiveStudy, tmp_path: Path) -> None:
    """After the time of a round, not while somebody uses it, and not without news for long."""
    written(live, tmp_path, **SOON)
    now = "new Date().toISOString()"
    steps = (
        "const page = document.getElementById('page'), loaded = document.getElementById('loaded');"
        "const told = (word) => () => page.append(word + ' ');"
        "reloadWhileMeasured({ written: '2026-01-01T00:00:00+00:00', reload_s: 4 }, told('FORGOTTEN'));"
        "page.append(loaded.textContent + ' ');"
        f"reloadWhileMeasured({{ written: {now}, reload_s: 3600 }}, told('EARLY'));"
        f"reloadWhileMeasured({{ written: {now}, reload_s: 2.5 }}, told('LOADED'));"
        f"const busy = reloadWhileMeasured({{ written: {now}, reload_s: 2 }}, told('IN USE'));"
        "busy();"
    )
    text = shown(tmp_path, WIDE, steps)
    assert "No news since 2026-01-01 00:00:00+00:00" in text
    assert "LOADED" in text
    assert not re.search("FORGOTTEN|EARLY|IN USE", text)


def test_logs_are_shown_with_what_they_prove(tmp_path: Path) -> None:
    logs = [GOLDEN / "ior" / "written-2.10-iterations.txt", GOLDEN / "ior" / "fail-ior-timeout-killed.txt"]
    logs.append(GOLDEN / "mdtest" / "mdtest-branching.txt")
    assert cli.main(["import", *map(str, logs), "--out", str(tmp_path / "records.csv"), "--page"]) == 0
    (tmp_path / "logs.html").rename(tmp_path / "report.html")
    text = shown(tmp_path, PHONE, FITS)
    for head in ("What each log can prove", "Doubtful results", "How to log next time"):
        assert head in text
    assert "srun weir-io ior OPTIONS OF IOR" in text
    assert "output-incomplete" in text
    records = text.rpartition("Records")[2]
    for seen in ("create file", "ior/written-2.10-iterations.txt", "mdtest/mdtest-branching.txt"):
        assert seen in records
    assert int(re.findall(r"WIDER (-?\d+) PX", text)[0]) <= 0
