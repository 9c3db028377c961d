"""report.html as a reader meets it in a browser: answer, proof, filter, sort, a command to copy."""

import csv
import html
import io
import json
import re
from collections.abc import Callable
from functools import cache
from pathlib import Path
from typing import Any

import pytest

from tests.workflow.browser import open_page
from tests.workflow.page_study import answers_of, drawn_study, facts_on, rows
from tests.workflow.report_study import run
from weir.base.units import latency_text, three_digits
from weir.cli import main
from weir.commands.show import read_page
from weir.report.answers import Counts, answers
from weir.report.points import Points
from weir.report.text import lines

pytestmark = pytest.mark.slow
Browse = Callable[..., str]


@pytest.fixture(scope="module")
def study(tmp_path_factory: pytest.TempPathFactory) -> Path:
    return drawn_study(tmp_path_factory)


@pytest.fixture(scope="module")
def browse(study: Path, tmp_path_factory: pytest.TempPathFactory) -> Browse:
    """What the page shows after some steps, as text with tags."""
    scratch = tmp_path_factory.mktemp("browser")

    @cache
    def opened(steps: str = "", size: str = "1280,800") -> str:
        done = open_page(study, scratch, f"--window-size={size}", "--dump-dom", steps=steps)
        shown = done.stdout.split('<main id="page">', 1)[1]
        shown = re.sub(r"<script.*?</script>", "", shown, flags=re.DOTALL)
        assert "PAGE ERROR" not in shown
        return shown

    return opened


def value_of(browse: Browse, expression: str, steps: str = "", size: str = "1280,800") -> Any:
    """What an expression gives on the page after some steps."""
    shows = f"document.getElementById('page').append('TOLD ' + JSON.stringify({expression}) + ' END')"
    return json.loads(html.unescape(browse(f"{steps} {shows}", size).split("TOLD ")[1].split(" END")[0]))


def test_the_first_screen_answers(browse: Browse) -> None:
    shown = browse()
    assert "47 of 48 results proven" in shown
    assert "8 taken on a busy machine" in shown
    assert "1 degraded" in shown
    assert "Beside these 48 of emulated storage." in shown
    assert "1,030" in answers_of(shown)  # the median of six writes of 1 MiB by POSIX
    assert "9,270" not in answers_of(shown)  # emulated storage is never the answer
    assert "1 emulated target (E)" in shown
    assert shown.index('id="answers"') < shown.index('id="records"')


def test_the_page_without_r_has_the_same_answers_and_counts(study: Path) -> None:
    """But for the intervals, and for the order of equals."""
    records = [{name: None if value == "" else value for name, value in row.items()} for row in rows()]
    points, counts = Points(), Counts()
    points.add(records)
    counts.add("all", records)
    facts = facts_on(study)
    kept = ("value", "n", "setting", "verdict", "cell", "size", "alternatives")

    def chosen(some: list[dict[str, Any]]) -> dict[tuple[str, str], Any]:
        return {
            (one["target"], one["access"]): [
                [one[name] and [one[name].get(key) for key in kept] for name in ("best", "small")],
                sorted((row["api"], row["value"], row["n"]) for row in one["interfaces"]),
                one["others"],
            ]
            for one in some
        }

    assert chosen(answers(points)) == chosen(facts["answers"])
    assert counts.verdicts() == facts["verdicts"] | {"proofs": []}
    assert [(one["rule"], one["real"]) for one in counts.doubted()] == [
        (one["rule"], one["real"]) for one in facts["doubted"]
    ]
    shown = {(one["cell"], one["access"]): (one["median"], one["n"]) for one in facts["points"]}
    assert {(one["cell"], one["access"]): (one["median"], one["n"]) for one in points.facts()} == shown


@pytest.mark.parametrize("size", ["1280,800", "500,844"])
def test_answers_proof_and_chart_need_no_scrolling(browse: Browse, size: str) -> None:
    """Chromium opens no window narrower than 500 px; the layout of 390 px is that of 500."""
    steps = (
        "const ends = ['proof', 'answers', 'chart']"
        ".map((id) => document.getElementById(id).getBoundingClientRect())"
        ".map((box, index) => Math.round(index === 2 ? box.top : box.bottom));"
    )
    wider = "document.documentElement.scrollWidth - innerWidth"
    ends, wider_px = value_of(browse, f"[ends, {wider}]", steps, size)
    width, height = map(int, size.split(","))
    assert max(ends) <= height
    assert wider_px <= 0, f"wider than {width} px"


# Ranges of charts, in MiB/s: within a factor, over decades, one value.
RANGES = [
    [500, 2000],
    [1300, 1300],
    [0.31, 0.39],
    [900, 1150],
    [1, 40],
    [3, 12000],
    [1e-3, 1e6],
    [90, 400000],
]


def test_ticks_and_symbols_have_room_on_a_phone(browse: Browse) -> None:
    steps = (
        "const box = document.createElement('div'); document.body.append(box); box.style.width = '358px';"
        f"const seen = {RANGES}.map(([low, high]) => {{"
        " const scale = scaleOf([{ value: low }, { value: high }]);"
        " const chart = withAxis(element('div', { class: 'chart' }), scale); box.append(chart);"
        " const wide = chart.querySelector('.axis').getBoundingClientRect().width;"
        " const labels = [...chart.querySelectorAll('.axis span')].map((one) => one.getBoundingClientRect());"
        " const gaps = labels.slice(1).map((one, index) => one.left - labels[index].right);"
        " const edge = Math.min(scale.at(low), 100 - scale.at(high)) * 150 / 100;"
        " return [labels.length, Math.min(...gaps, 99), edge, wide]; });"
    )
    found = value_of(browse, "seen", steps, "500,844")
    assert len(found) == len(RANGES)
    for shown, (labels, gap, edge, wide) in zip(RANGES, found, strict=True):
        assert wide >= 150
        assert 1 <= labels <= 5, shown
        assert gap >= 2, f"labels of {shown} collide"
        assert edge >= 7, f"a symbol of {shown} is cut by the edge"


def test_a_setting_of_several_lines_is_told_from_the_next_one(browse: Browse) -> None:
    steps = (
        "const chart = element('div', { class: 'chart wide' });"
        " document.getElementById('page').append(chart);"
        " const long = 'POSIX, shared file, sequential, 100 KiB, 2 processes per node, '.repeat(4);"
        " const all = [1, 2, 3, 4].map(() => element('span', { class: 'setting' }, long));"
        " all.forEach((one) => chart.append(one, ...[1, 2, 3].map((at) => element('span', {}, String(at)))));"
        " const box = (one) => { const of = document.createRange(); of.selectNodeContents(one);"
        " return of.getBoundingClientRect(); };"
        " const gaps = all.slice(1).map((one, at) => box(one).top - box(all[at]).bottom);"
    )
    for size in ("1400,900", "500,844"):
        gaps = value_of(browse, "gaps", steps, size)
        assert len(gaps) == 3, size
        assert min(gaps) >= 4, (size, gaps)


def with_another_study(browse: Browse, name: str, records: list[dict[str, str]]) -> str:
    """The part of the page that compares the study with that one."""
    text = io.StringIO()
    table = csv.DictWriter(text, records[0])
    table.writeheader()
    table.writerows(records)
    shown = browse(f"addStudy({json.dumps(name)}, {json.dumps(text.getvalue())})")
    return str(shown.split('id="compared"', 1)[1].split('id="records"', 1)[0])


def test_records_of_another_study_are_set_beside(browse: Browse, study: Path) -> None:
    """The disk of this study in another one, 30 % faster; one setting is new there, and one has two cells."""
    kept = [row for row in csv.DictReader((study / "records.csv").open()) if row["target"] == "disk"]
    for row in kept:
        row["bw_mib_s"] = str(1.3 * float(row["bw_mib_s"]))
        row["target"], row["label"] = "scratch", 'a "quoted", label'
        if row["cell"] == "disk-MPIIO-16384":
            row["nn"] = "7"
    twice = [row | {"cell": "other"} for row in kept if row["cell"] == "disk-MPIIO-1048576"]
    shown = with_another_study(browse, "lab, records.csv", [*kept, *twice])
    assert "4 settings were measured alike in both" in shown, "16 KiB and 1 MiB by POSIX, written and read"
    found = re.findall(r"lab, records.csv: ×([\d.]+); ([^<]+)<", shown)
    assert {factor for factor, _ in found} == {"1.30"}
    assert {told for _, told in found} == {"no run of one lies among those of the other"}
    assert '<option value="buffer">' in shown
    assert '<option value="scratch" selected' in shown
    assert "has no usable record" in browse("addStudy('notes.csv', 'a,b\\n1,2\\n')")


def test_emulated_storage_of_another_study_stands_last_and_is_marked(browse: Browse, study: Path) -> None:
    kept = [
        row | {"target": f"their {row['target']}"} for row in csv.DictReader((study / "records.csv").open())
    ]
    shown = with_another_study(browse, "lab", sorted(kept, key=lambda row: row["target"] == "their disk"))
    options = re.findall(r'<option value="[^"]*"( selected="[^"]*")?>([^<]*)</option>', shown)
    assert [(name, bool(chosen)) for chosen, name in options] == [
        *(("disk", True), ("buffer (E)", False)),
        *(("their disk", True), ("their buffer (E)", False)),
    ]


def test_doubts_count_real_storage_only(browse: Browse) -> None:
    shown = re.sub(r"<[^>]+>", " ", browse().split('class="doubts"', 1)[1].split("</dl>", 1)[0])
    assert re.search(r"\b8 of 48 +results were taken while the machine was busy", shown)


TIES = (716.5, 0.5, 0.125, 1234500.0, 99.95, 12.25, 1e-3, 2345.0)
SMALL = "0.00412, 0.0996, 0.41, 0.9996, 1.004, 1.02, 9.996"


@pytest.fixture(scope="module")
def in_print() -> list[list[str]]:
    """Both as R prints them."""
    load = "source('analysis/load.R'); load_analysis('analysis')"
    code = f"cat(rate_words(c{TIES}), '\\n'); cat(vapply(c({SMALL}), plain_factor, ''))"
    return [line.split() for line in run("Rscript", "-e", f"{load}; {code}").stdout.splitlines()]


def test_a_tie_is_rounded_alike_in_print_page_and_terminal(browse: Browse, in_print: list[list[str]]) -> None:
    page = value_of(browse, f"{list(TIES)}.map(rate)")
    assert page == [three_digits(value) for value in TIES]
    assert in_print[0] == page


def test_the_records_are_sorted_by_size_and_what_has_no_value_stands_last(browse: Browse) -> None:
    """By descending medians invalid points stood first, and a target ost10 before ost2."""
    made = "Object.assign({}, facts.points[0], {emulated: false, target, median})"
    points = f"[['ost10', 5], ['ost2', null], ['ost9', 7]].map(([target, median]) => ({made}))"
    sorts = "[['median', true], ['median', false], ['target', false]]"
    each = (
        "([sort, down]) => { Object.assign(state, {sort, down}); return chosen().map((one) => one.target); }"
    )
    found = value_of(browse, f"{sorts}.map({each})", f"facts.points = {points};")
    assert found == [["ost9", "ost10", "ost2"], ["ost10", "ost9", "ost2"], ["ost2", "ost9", "ost10"]]


def test_no_number_of_the_page_is_rounded_to_nothing_or_to_another_unit(
    browse: Browse, in_print: list[list[str]]
) -> None:
    """Random instead of sequential transfers gave a factor of 0.00, a clear effect of 1.004 read as none;
    999.7 µs are 1 ms in print."""
    found = value_of(browse, f"[[{SMALL}].map(factor), [9.06, 999.4, 999.7, 999600].map(duration)]")
    durations = [latency_text(value) for value in (9.06, 999.4, 999.7, 999600)]
    factors = ["0.00412", "0.0996", "0.41", "0.9996", "1.004", "1.02", "10"]
    assert found == [factors, durations]
    assert in_print[1] == factors


def rows_of(shown: str) -> list[str]:
    return re.findall(r'<tr class="point[^>]*>(.*?)</tr>', shown, re.DOTALL)


def test_records_can_be_filtered_and_sorted(browse: Browse) -> None:
    assert len(rows_of(browse())) == 16
    filtered = rows_of(
        browse("const box = document.getElementById('filter-access'); box.value = 'write';"
               "box.dispatchEvent(new Event('change'))")
    )  # fmt: skip
    assert len(filtered) == 8
    assert all(">read<" not in row for row in filtered)
    rising = rows_of(browse("const head = document.getElementById('sort-median'); head.click();"))
    values = [float(re.findall(r">([\d,]+)<", row)[1].replace(",", "")) for row in rising[:8]]
    assert values == sorted(values)


def test_a_cell_shows_its_runs_its_latencies_and_a_command_to_copy(browse: Browse) -> None:
    shown = browse("document.querySelector('tr.point').click()")
    assert "runs (MiB/s):" in shown
    runs, latencies = shown.split('class="views"', 1)[1].split('class="latency"', 1)
    assert runs.count("<circle") == 6
    assert "6 runs, MiB/s" in runs
    # Of all six runs: 6 x 90 operations in the first class, none in the second, 0 + 1 + .. + 5 in the third.
    assert "latency of 555 operations" in latencies
    assert "more than 4 µs, up to 8 µs: 540 operations (97.3 %)" in latencies
    assert "more than 8 µs, up to 16 µs: 0 operations (0 %)" in latencies
    assert "more than 16 µs, up to 32 µs: 15 operations" in latencies
    emulated = browse("document.querySelector('tr.point.emulated').click()")
    assert 'class="latency"' not in emulated, "its tool keeps no histogram"
    assert 'first run: <a href="../runs/disk-POSIX-' in shown
    copied = browse("document.querySelector('.next button').click()")
    assert 'data-copied="make report' in copied


def test_from_the_page_of_a_site_to_the_raw_output_of_a_cell(study: Path, tmp_path: Path) -> None:
    """Two clicks: the study at the cell, and its first run."""
    index = tmp_path / "index.html"
    assert main(["site", str(study.parent), "--out", str(index)]) == 0
    fragments = re.findall(r'href="synthetic/report.html(#[^"]+)"', index.read_text())
    assert "#cell-disk-POSIX-1048576-read" in fragments
    opened = [
        open_page(study, tmp_path, "--dump-dom", fragment=one).stdout.split('id="points"', 1)[1]
        for one in ("#cell-disk-POSIX-1048576-read", "#cell-of-another-study-read")
    ]
    sources = [re.findall(r'first run: <a href="\.\./(runs/[^"]+)"', one) for one in opened]
    # A damaged link opens the page, too.
    assert 'id="points"' in open_page(study, tmp_path, "--dump-dom", fragment="#%").stdout
    assert sources == [["runs/disk-POSIX-1048576/000/summary.json"], []]
    assert (study.parent / sources[0][0]).with_name("run.json").is_file()


def test_a_hover_tells_the_runs_and_the_verdict(browse: Browse) -> None:
    shown = browse("document.querySelector('.chart svg').dispatchEvent(new Event('mouseenter'))")
    tip = shown.split('id="tip"', 1)[1]
    assert "n = 6" in tip
    assert "VALID" in tip
    assert "cell disk-POSIX" in tip
    assert "runs: 1,000, 1,010" in tip


def test_a_click_keeps_the_tip_and_its_command_can_be_copied(browse: Browse, study: Path) -> None:
    """The command is that of the run file beside the record's output."""
    click = "document.querySelector('.chart svg').dispatchEvent(new MouseEvent('click', {bubbles: true}));"
    kept = browse(click + "document.querySelector('#tip button').click();").split('id="tip"', 1)[1]
    assert 'class="kept"' in kept
    assert 'data-copied="mpirun -np 2 weir-io ior' in kept
    closed = browse(click + "dispatchEvent(new KeyboardEvent('keydown', {key: 'Escape'}));")
    assert 'style="display: none' in closed.split('id="tip"', 1)[1][:120]


def test_keys_move_through_the_records(browse: Browse) -> None:
    press = "new KeyboardEvent('keydown', {key: '%s', bubbles: true})"
    shown = browse(
        "document.querySelector('tr.point').focus();"
        f"document.activeElement.dispatchEvent({press % 'ArrowDown'});"
        f"document.activeElement.dispatchEvent({press % 'Enter'});"
    )
    first, second = re.findall(r'<tr class="point.*?</tr>(<tr class="detail)?', shown, re.DOTALL)[:2]
    assert (first, bool(second)) == ("", True)


def test_figures_have_titles_and_what_does_not_apply_is_listed_once(browse: Browse) -> None:
    shown = browse().split('id="figures"', 1)[1].split('id="records"', 1)[0]
    drawn, absent = shown.split('id="absent"', 1)
    assert drawn.count('id="figure-') == drawn.count("<h3>") > 2
    assert absent.count("Scaling with nodes") == 1
    assert "Scaling with nodes" not in drawn


def test_the_page_is_small_and_asks_for_nothing(study: Path) -> None:
    text = (study / "report.html").read_text()
    assert len(text) < 2_000_000
    assert re.findall(r"<(?:script|link|img)[^>]*(?:src|href)=[\"']?https?:", text) == []


def test_the_terminal_says_the_same(study: Path) -> None:
    text = "\n".join(lines(read_page(study / "page.json")))
    assert "47 of 48 results proven, 0 unproven, 1 degraded, 0 invalid; 8 taken on a busy machine" in text
    assert re.search(r"disk +write +best 1,030 MiB/s \[", text)
    assert "  buffer " not in text
