"""The pages of the reproduced publications: boxes of their tokens, and that text, tables and map agree."""

import re
from collections.abc import Callable
from functools import cache

import pytest

from tests.workflow.pdf_boxes import Page, captions_of, pages_of
from tests.workflow.printed_publications import DEFAULTS, printed, printed_archive, printed_by_the_workflow
from tests.workflow.report_study import Printed

pytestmark = pytest.mark.slow

STUDIES = ("ddn-lustre-2018", "mistral", "io500", "ime-paper")


@pytest.fixture(scope="module")
def printed_study(tmp_path_factory: pytest.TempPathFactory) -> Callable[[str], Printed]:
    """Each study is drawn and printed once."""

    @cache
    def study(name: str) -> Printed:
        if name == "ddn-lustre-2018":
            return printed_archive(printed_by_the_workflow(tmp_path_factory))
        return printed(tmp_path_factory.mktemp(name), name)

    return study


@pytest.fixture(params=STUDIES)
def study(request: pytest.FixtureRequest, printed_study: Callable[[str], Printed]) -> Printed:
    return printed_study(request.param)


@pytest.fixture
def archive(printed_study: Callable[[str], Printed]) -> Printed:
    return printed_study("ddn-lustre-2018")


@pytest.fixture
def measured(printed_study: Callable[[str], Printed]) -> Printed:
    return printed_study("ime-paper")


def test_no_tokens_stand_on_each_other_in_the_margin_or_at_the_foot(study: Printed) -> None:
    assert study.warnings == []
    assert "??" not in study.arguments
    for page in pages_of(study.pdf):
        assert page.overlaps() == [], page.number
        assert page.outside(margin_mm=20) == [], page.number
        assert page.run_together() == [], page.number
        assert page.above_foot > 2, page.number


def test_the_foot_of_a_page_has_its_number_alone(study: Printed) -> None:
    assert [[token.text for token in page.foot] for page in pages_of(study.pdf)] == [
        [str(number)] for number in range(1, len(study.pages) + 1)
    ]


def test_an_absent_part_leaves_no_double_space(study: Printed) -> None:
    """A sentence about a part that the study lacks is gone with its space: the next is as near as any."""
    for page in pages_of(study.pdf):
        for one, other in zip(page.tokens, page.tokens[1:], strict=False):
            if one.text.endswith(".") and other.text in ("Figure", "Table") and one.top == other.top:
                assert other.left - one.right < 3.0, (page.number, one.text, other.text)


def test_no_page_is_less_than_a_third_full(study: Printed) -> None:
    pages = pages_of(study.pdf)
    assert len(pages) > 1
    assert [page.number for page in pages if page.filled_to < page.height / 3] == []


def test_no_page_before_the_last_has_a_gap_at_its_end(study: Printed) -> None:
    pages = pages_of(study.pdf)[:-1]
    assert [(page.number, round(page.white_at_end, 2)) for page in pages if page.white_at_end > 0.25] == []


def test_the_list_of_what_the_archive_cannot_show_is_not_torn_by_figures(archive: Printed) -> None:
    begun = next(
        page for page in archive.pages if re.search(r"(?m)^ *\d+ +What these data cannot show", page)
    )
    listed = begun.split("What these data cannot show", 1)[1]
    items = re.findall(r"• (POSIX against MPI-IO|Random|Short phases|Whole files|Stripes)", listed)
    assert len(items) == 5
    assert "Figure" not in listed.split("• Stripes", 1)[0]


def test_no_page_has_a_white_band_between_its_lines(study: Printed) -> None:
    assert [page.number for page in pages_of(study.pdf) if page.widest_band > 20] == []


def test_every_figure_and_table_is_mentioned_beside_its_caption(study: Printed) -> None:
    captions = captions_of(study.pages)
    assert len(captions) > 3
    for kind, number, caption in captions:
        # A figure over several pages is mentioned by its first.
        if not re.search(r"\((?!1 of)\d+ of \d+:", caption):
            told = re.findall(rf"\b(?:{kind}|{kind[:3]}\.)\s{number}\b", study.arguments)
            assert len(told) > 1, (kind, number)


def test_the_first_page_tells_where_its_words_are_explained(study: Printed) -> None:
    first = re.sub(r"\s+", " ", study.pages[0])
    told = re.search(r"Proven, unproven, degraded: Section (\d+), page (\d+)", first)
    assert told is not None
    assert re.search(rf"(?m)^ *{told[1]} +How it was measured", study.pages[int(told[2]) - 1])


def test_figures_and_tables_are_numbered_as_they_appear(study: Printed) -> None:
    captions = captions_of(study.pages)
    for kind in ("Figure", "Table"):
        numbers = [number for of, number, _ in captions if of == kind]
        assert numbers == list(range(1, len(numbers) + 1)), kind


def test_captions_have_at_most_three_sentences(study: Printed) -> None:
    for file in sorted(study.folder.glob("*/*.tex")):
        for caption in re.findall(r"\\caption\{(.*)\}(?:\\label|$)", file.read_text(), re.MULTILINE):
            # The program that measured is a source, and no sentence.
            told = re.sub(r"\(\d of \d: [^)]*\)| Measured by .*$", "", caption)
            sentences = re.split(r"(?<=[.]) (?=[A-Z(])", told)
            assert len(sentences) <= 3, (file.name, sentences)


def test_the_first_table_maps_the_publication_to_the_pages_of_ours(study: Printed) -> None:
    first = next(text for kind, number, text in captions_of(study.pages) if (kind, number) == ("Table", 1))
    assert first.startswith("Every figure and table of the publication")
    map_of = study.pages[0]
    references = re.findall(r"(Figure|Table) (\d+), page (\d+)", map_of)
    assert references
    for kind, number, page in references:
        assert re.search(rf"(?m)^ *{kind} {number}\. ", study.pages[int(page) - 1]), (kind, number, page)
    assert "not here: " in map_of


def test_the_archive_has_what_is_missing_with_its_reason_and_the_suite_that_measures_it(
    archive: Printed,
) -> None:
    text = archive.arguments
    for item in ("Figure 1", "Figure 2", "Figure 3", "Figure 4a", "Figure 4b", "Figure 5", "Figure 6"):
        assert re.search(rf"{item}\b", text), item
    assert "no record of IME’s" in text
    assert "suite ime-paper, emulated (E)" in re.sub(r"\s+", " ", _column_text(archive, "measured", "by"))


def test_the_archive_has_the_forms_of_the_slides_and_of_two_other_talks(archive: Printed) -> None:
    map_of = "\n".join(archive.pages[:2])
    for item in ("IOR random", "Figures: transfer size", "Figures: scaling", "Figures: throughput"):
        assert re.search(rf"{item}.*Figure \d+, page \d+", map_of), item
    assert re.search(r"Table: best settings.*Table \d+, page \d+", map_of)
    compared = _page_with(archive, "IOR, random, write", "IOR, random, read")
    assert "IOR, sequential" not in compared, "no panel without points"
    assert archive.arguments.count("hold no NetCDF-Bench and no IOR in sequential order") == 1
    assert "no records\n" not in compared
    assert _page_with(archive, "Size of one transfer", "8 processes per node")
    assert _page_with(archive, "Number of processes")
    assert re.search(r"W1 +W2 +W3 +R1 +R2 +R3 +avg[.] write +avg[.] read +WNode +RNode", archive.arguments)
    # The first row of Mistral's columns, as the logs have it: one node, eight processes, 10 MiB.
    assert re.search(r"5,130 +5,460 +5,550 +974 +3,080 +4,530 .* 1 +8 +2 +10 MiB", archive.arguments)
    single = re.sub(r"\s+", " ", _page_with(archive, "Throughput in MiB/s"))
    assert "All accesses are in random order" in single
    assert "Order in the file" not in single, "a key of one entry"


def _page_with(study: Printed, *labels: str) -> str:
    """The text of the page whose figure has these labels."""
    found = [page for page in study.pages if all(re.search(rf"(?m)^ *.*{label}", page) for label in labels)]
    pages = [page for page in found if "Every figure and table of the publication" not in page]
    assert pages, labels
    return pages[-1]


def test_one_storage_alone_has_the_radar_of_the_talk(printed_study: Callable[[str], Printed]) -> None:
    study = printed_study("io500")
    chart = _page_with(study, "ior hard write", "mdtest easy stat", "Lustre [(]72 sets[)]")
    for series in ("IME (8 sets)", "BeeGFS (11 sets)", "Spectrum Scale (17 sets)", "example"):
        assert series in chart, series
    assert re.search(r"Figure: radar chart.*Figure \d+, page \d+", "\n".join(study.pages))


def test_the_table_of_the_acceptance_has_read_and_write_of_a_type_in_one_row(
    printed_study: Callable[[str], Printed],
) -> None:
    text = printed_study("mistral").arguments
    assert re.search(r"type +layout +N ?× ?P +read +of peak +write +of peak", text)
    assert re.search(r"PnetCDF +shared +168 ?× ?6 +77,200\S* +33 % +36,200\S* +16 %", text)


def _column_text(study: Printed, *head: str) -> str:
    """The tokens below the head of the last column of the map."""
    page: Page = pages_of(study.pdf)[0]
    pairs = zip(page.tokens, page.tokens[1:], strict=False)
    at = next(first for first, second in pairs if (first.text, second.text) == head)
    below = [token for token in page.tokens if token.left >= at.left - 1 and token.top > at.top]
    return " ".join(token.text for token in sorted(below, key=lambda token: (round(token.top), token.left)))


@pytest.mark.parametrize("name", ["ddn-lustre-2018", "ime-paper"])
def test_text_and_table_count_the_same_claims(name: str, printed_study: Callable[[str], Printed]) -> None:
    study = printed_study(name)
    undecided = study.arguments.count("? undecided") - study.arguments.count("contradicted, ? undecided")
    stated = re.search(r"(\d+) stay undecided", study.arguments)
    assert stated is not None
    assert int(stated[1]) == undecided > 0


def test_no_abstract_has_an_effect_that_is_undecided(measured: Printed) -> None:
    abstract = measured.arguments.split("1 Claims", 1)[0]
    assert "The FUSE mount is slower" not in abstract
    assert "In the median the mount reaches" not in abstract, "of three rounds two are degraded"
    assert (
        "In random order the native interface has" not in abstract or "× contradicted" in measured.arguments
    )


def test_settings_in_which_no_point_differs_are_not_printed(measured: Printed) -> None:
    settings = [f"{name} {value}".replace("_", " ").lower() for name, value in DEFAULTS.items()]
    assert [setting for setting in settings if setting in measured.arguments.lower()] == []


def test_what_would_decide_a_claim_counts_the_rounds_that_ran(measured: Printed) -> None:
    table = (measured.folder / "tables/claims.csv").read_text()
    assert '"2 rounds that are not degraded, of 3 that ran"' in table


def test_effects_of_cells_that_ran_once_decide_no_claim_and_say_so(archive: Printed) -> None:
    assert "over pairs of cells with fewer than three rounds, which decides no claim" in archive.arguments
    assert "Of 50 claims these records decide 0; 8 stay undecided" in archive.arguments


def test_an_archive_is_not_told_as_if_weir_had_measured_it(printed_study: Callable[[str], Printed]) -> None:
    for name in ("ddn-lustre-2018", "mistral", "io500"):
        text = printed_study(name).arguments
        for untrue in ("Workflow and batches", "measured by cells of weir", "as the measurement found them"):
            assert untrue not in text, (name, untrue)
        assert re.search(r"[\d,]+ of [\d,]+ records are unproven", text), name
    assert "follow each other in one run" not in printed_study("io500").arguments


def test_marks_beside_values_are_explained_in_their_table(study: Printed) -> None:
    for file in sorted((study.folder / "tables").glob("*.tex")):
        text = file.read_text()
        caption = "".join(re.findall(r"\\caption\{.*", text))
        for mark, meaning in ((r"\rlap{$^\circ$}", "unproven"), (r"\rlap{$^\dagger$}", "degraded")):
            assert mark not in text or meaning in caption, (file.name, meaning)


def test_no_interval_of_a_claim_is_wider_than_a_reader_can_use(measured: Printed) -> None:
    text = (measured.folder / "tables/claims.tex").read_text()
    for low, high in re.findall(r"undecided.*?\(([0-9.]+) to ([0-9.]+)\)", text):
        assert float(high) < 10.5 * float(low) or float(low) == 0, (low, high)


def test_an_archive_names_its_experiments_and_tells_single_runs_once_a_figure(archive: Printed) -> None:
    for old in ("experiment output", "[also", "n = 1 run. A single run"):
        assert old not in archive.arguments
    assert "reads again, 30 s" in archive.arguments
    assert "single runs" in archive.arguments


def test_emulated_storage_comes_last_in_the_table_of_best_and_mean(measured: Printed) -> None:
    lines = (measured.folder / "tables/best-mean.csv").read_text().splitlines()
    emulated = [line.rsplit(",", 1)[1] for line in lines[1:]]
    assert emulated == sorted(emulated)
    assert "TRUE" in emulated


def test_what_is_not_here_for_one_reason_has_one_line_for_each_publication(archive: Printed) -> None:
    rows = (archive.folder / "tables/publication.tex").read_text().split("\n")
    absent = [reason for row in rows for reason in re.findall(r"& not here: ([^&\\]*)", row)]
    assert len(absent) < 14
    assert max(map(absent.count, absent)) <= 2, "two publications"
    data = (archive.folder / "tables/publication.csv").read_text()
    assert data.count("no record of NetCDF-Bench is public") == 5


def test_no_column_of_the_claims_has_dashes(archive: Printed) -> None:
    table = (archive.folder / "tables/claims.tex").read_text()
    assert "& --" not in table
    assert {"these records", "printed values"} <= set(re.findall(r"cite\{\w+\}: ([a-z ]+)\}", table))


def test_a_percentage_is_that_of_the_sizes_printed_beside_it(archive: Printed) -> None:
    text = re.sub(r"\s+", " ", archive.arguments)
    found = re.findall(r"requested ([\d.]+) GiB, moved ([\d.]+) GiB \(([\d.]+) %\)", text)
    assert found
    for requested, moved, percent in found:
        assert f"{100 * float(moved) / float(requested):.2f}" == percent


def test_terms_are_explained_where_the_text_first_has_them(printed_study: Callable[[str], Printed]) -> None:
    explained = {
        "ddn-lustre-2018": (
            "IME, DDN’s burst buffer: flash storage",
            "stripe count in it is the number of storage targets",
            "one round, in which each configuration (a cell) ran once",
            "stonewall (the time after which IOR ends a phase",
        ),
        "mistral": ("over how many storage targets Lustre spreads a file (its stripes)",),
        "io500": ("The stonewall, the time after which", "IME among them is DDN’s burst buffer"),
    }
    for name, explanations in explained.items():
        text = re.sub(r"\s+", " ", printed_study(name).arguments)
        assert [told for told in explanations if told not in text] == [], name
        assert "no value in" not in text, name


def test_writes_and_reads_have_the_same_marks_in_all_figures(archive: Printed) -> None:
    for name in ("effects", "curves-transfer-size", "curves-processes"):
        drawn = (archive.folder / f"figures/{name}.svg").read_text()
        marks = re.findall(r"<(circle|polygon|rect) [^>]*stroke: (#0072B2|#D55E00)", drawn)
        assert set(marks) == {("circle", "#D55E00"), ("polygon", "#0072B2")}, name


def test_ime_has_the_same_mark_among_the_submissions_and_in_the_radar(
    printed_study: Callable[[str], Printed],
) -> None:
    for name in ("io500-submissions", "io500-radar-published"):
        drawn = (printed_study("io500").folder / f"figures/{name}.svg").read_text()
        assert set(re.findall(r"<(circle|polygon|rect) [^>]*fill: #E9A820", drawn)) == {"polygon"}, name


# The numbers on tiles stand on the colour of their tile.
_WITH_TILES = ("best-settings", "settings-by-nodes", "size-interface")


def test_text_in_figures_has_a_contrast_that_can_be_read(study: Printed) -> None:
    drawn = [path for path in study.folder.glob("figures/*.svg") if path.stem not in _WITH_TILES]
    inks = {ink for path in drawn for ink in re.findall(r"<text [^>]*fill: (#[0-9A-F]{6})", path.read_text())}
    assert inks
    assert {ink: round(_contrast_on_white(ink), 2) for ink in inks if _contrast_on_white(ink) < 4.5} == {}


def _contrast_on_white(colour: str) -> float:
    """As WCAG 2 defines it."""
    parts = [int(colour[at : at + 2], 16) / 255 for at in (1, 3, 5)]
    red, green, blue = (one / 12.92 if one <= 0.04045 else ((one + 0.055) / 1.055) ** 2.4 for one in parts)
    return 1.05 / (0.2126 * red + 0.7152 * green + 0.0722 * blue + 0.05)


def test_pages_that_look_alike_do_not_exist(study: Printed) -> None:
    captions = [text for _, _, text in captions_of(study.pages)]
    alike = [re.sub(r"\d of \d", "", text) for text in captions]
    assert len(set(alike)) == len(alike)
