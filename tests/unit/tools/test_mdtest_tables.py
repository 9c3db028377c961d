"""Tables of every mdtest since 1.9, with and without the lines before them. The numbers are made up."""

import re
from pathlib import Path

import pytest

from tests.unit.imported import cells_of, rows_of
from weir.collect.imported_files import Facts, is_refused, kind_of
from weir.collect.importing import import_files
from weir.records.model import Parsed
from weir.tools import tools
from weir.tools.mdtest.table import parsed_table

DATE = "-- started at 07/02/2020 12:46:19 --\n\n"
V1 = """\
mdtest-1.9.3 was launched with 4 total task(s) on 2 node(s)
Command line used: /opt/mdtest -C -t -F -w 3901 -e 3901 -d /scratch/tree -n 500
Path: /scratch

4 tasks, 2000 files

SUMMARY: (of 1 iterations)
   Operation                      Max            Min           Mean        Std Dev
   ---------                      ---            ---           ----        -------
   File creation     :       1234.500       1234.500       1234.500          0.000
   File stat         :          0.000          0.000          0.000          0.000
   Tree creation     :        917.720        917.720        917.720          0.000

-- finished at 07/02/2020 12:55:46 --
"""
V3 = """\
mdtest-3.3.0+dev was launched with 4 total task(s) on 2 node(s)
Command line used: ./mdtest '-n' '500' '-u' '-L' '-F' '-T' '-d' '/scratch/tree' '-a' 'posix'
4 tasks, 2000 files

SUMMARY rate: (of 1 iterations)
   Operation                      Max            Min           Mean        Std Dev
   ---------                      ---            ---           ----        -------
   File stat                 :      81877.750      81877.675      81877.721          0.019
   File create (stonewall)   :             NA             NA     120614.383             NA

SUMMARY time: (of 1 iterations)
   Operation                      Max            Min           Mean        Std Dev
   File stat                 :          0.024          0.024          0.024          0.000
-- finished at 07/02/2020 12:55:46 --
"""


def runs(text: str) -> list[Parsed]:
    return list(tools()["mdtest"].parse_log(text))


@pytest.mark.parametrize(
    ("head", "began"), [(DATE, "2020-07-02T12:46:19"), ("", None), (DATE.replace("07/02", "2.7."), None)]
)
def test_version_1_9(head: str, began: str | None) -> None:
    (run,) = runs(head + V1)
    (row,) = run.rows
    assert row["began"] == began
    assert (run.program, run.tool_version, run.complete) == ("mdtest", "1.9.3", True)
    assert (row["access"], row["item"], row["ops_s"], row["ops"]) == ("create", "file", 1234.5, 2000)
    assert (row["nn"], row["ppn"], row["xfer_bytes"], row["directories"]) == (2, 2, 3901, "shared")


@pytest.mark.parametrize("head", [DATE, ""])
def test_version_3(head: str) -> None:
    (run,) = runs(head + V3)
    (row,) = run.rows
    assert (row["access"], row["ops_s"], row["api"]) == ("stat", 81877.75, "POSIX")
    assert (row["nn"], row["directories"]) == (2, "own")


def test_dashes_that_a_page_made_one() -> None:
    """A line of the end counts with any of them; an argument without any is ignored."""
    text = V3.replace("-- finished at 07/02/2020 12:55:46 --", "- finished at 07/02/2020 12:55:46 -")
    (run,) = runs(text.replace("'-a' 'posix'", "'a' 'DFS' '-d' '/' 'dfs.group' 'daos_server'"))
    assert (run.complete, run.rows[0]["api"]) == (True, "POSIX")


def test_several_runs_in_one_log() -> None:
    assert [run.tool_version for run in runs(DATE + V1 + DATE + V3 + V1)] == ["1.9.3", "3.3.0+dev", "1.9.3"]


def test_directories_of_several_file_systems_are_not_one_cell(tmp_path: Path) -> None:
    """One page, one command but for the directory; a directory beside it is a repetition."""
    page = V3 + V3.replace("/scratch/tree", "/archive/tree") + V3.replace("/scratch/tree", "/scratch/tree2")
    assert cells_of(rows_of(tmp_path, page)) == [0, 1, 0]
    assert cells_of(rows_of(tmp_path, page, Facts(columns={"site": "x", "target": "y"}))) == [0, 0, 0]


@pytest.mark.parametrize("path", ["/mnt/{}", "/mnt/{}/", "/{}", "/media/{}"])
def test_directories_where_file_systems_are_mounted_are_not_one_cell(tmp_path: Path, path: str) -> None:
    """Results in /mnt/fsx and /mnt/nbd were repetitions: their parent is that of all mounts."""
    page = "".join(V3.replace("/scratch/tree", path.format(name)) for name in ("fsx", "nbd"))
    assert cells_of(rows_of(tmp_path, page)) == [0, 1]


def test_what_stands_above_a_block_of_a_page_is_of_the_cell(tmp_path: Path) -> None:
    """One command in one directory, with another option of its mount."""
    blocks = [f"{DATE}{V3.replace('81877', str(at))}" for at in (81877, 71877, 61877)]
    above = ("# NFS", "## nconnect=16", "## nconnect=16\n\nRun 2:")
    page = "\n".join(f"{above[at]}\n\n```\n{block}```\n" for at, block in enumerate(blocks))
    assert cells_of(rows_of(tmp_path, page)) == [0, 1, 1]


def test_variables_before_mdtest_are_of_the_cell(tmp_path: Path) -> None:
    before = ("", "LD_PRELOAD=/lib/lazy.so ", "")
    blocks = (DATE + V3.replace("81877", f"8187{at}") for at in range(len(before)))
    page = "".join(f"$ {one}srun -n 4 ./mdtest -n 500\n{next(blocks)}" for one in before)
    assert cells_of(rows_of(tmp_path, page)) == [0, 1, 0]


def test_files_and_their_rate_give_the_time_of_a_phase(tmp_path: Path) -> None:
    """400 files at 1.2 million a second: 0.33 ms, in which one descheduled rank decides."""
    (row,) = rows_of(tmp_path, V1.replace("1234.500", "1200000").replace("2000 files", "400 files"))
    assert "phase-too-short" in row["reasons"].split(";")
    assert "lasted 0.333 ms" in row["evidence"]
    (row,) = rows_of(tmp_path, V1)
    assert "phase-too-short" not in row["reasons"]


def test_a_table_without_a_header_has_rates_and_nothing_else() -> None:
    (run,) = runs(V1[V1.index("SUMMARY") :])
    (row,) = run.rows
    assert (run.program, run.tool_version, row["ops_s"]) == ("mdtest", "", 1234.5)
    assert (row["nn"], row["ops"], row["requested_ops"]) == (None, None, None)


RANKS = """\
mdtest-4.1.0+dev was launched with 2 total task(s) on 1 node(s)
Command line used: mdtest '-n' '50' '-F' '-i' '2' '--showRankStatistics' '-d' '/scratch/a'
Nodemap: 11
2 tasks, 100 files

SUMMARY rate (in ops/sec): (of 2 iterations)
   Operation     per Rank: Max     Min     Mean      per Iteration: Max     Min     Mean
   ---------     ---     ---     ----     ---     ---     ----
   File creation     91899.737   77758.695   84770.168   178937.884   155057.449   166997.667   16886.017
   File removal     292489.819   276304.611   283956.313   578524.690   546845.372   562685.031   22400.661
   Tree removal     337.814   90.293   214.054   337.814   90.293   214.054   175.024
-- finished at 11/27/2026 08:38:58 --
"""
TIMES = """\
mdtest-4.1.0+dev was launched with 2 total task(s) on 1 node(s)
Command line used: mdtest '-n' '50000' '-F' '-i' '2' '-Z' '-d' '/scratch/b'
2 tasks, 100000 files

SUMMARY time (in ms/op): (of 2 iterations)
   Operation                     Max            Min           Mean        Std Dev
   ---------                     ---            ---           ----        -------
   File creation                   0.625          0.500          0.563          0.000
   File stat                       0.000          0.000          0.000          0.000
   Tree removal                    0.003          0.003          0.003          0.000
-- finished at 11/27/2026 08:39:00 --
"""


def test_rates_of_single_ranks_are_not_those_of_the_iterations() -> None:
    (run,) = runs(RANKS)
    assert run.complete
    assert [(row["access"], row["iteration"], row["ops_s"], row["ops"]) for row in run.rows] == [
        ("create", 0, 178937.884, 100),
        ("create", 1, 155057.449, 100),
        ("remove", 0, 578524.69, 100),
        ("remove", 1, 546845.372, 100),
    ]


@pytest.mark.parametrize("title", ["SUMMARY time (in ms/op):", "SUMMARY time:"])
def test_times_in_place_of_rates(title: str) -> None:
    """They are seconds of the whole phase in every version, whatever the title of 4.1 tells."""
    (run,) = runs(TIMES.replace("SUMMARY time (in ms/op):", title))
    assert [(row["access"], row["total_s"], row["ops"], row["ops_s"]) for row in run.rows] == [
        ("create", 0.625, 100000, 160000),
        ("create", 0.5, 100000, 200000),
    ]
    assert all(row["observed"]["all_results"] for row in run.rows)


def test_rates_count_where_times_stand_below_them() -> None:
    (run,) = runs(RANKS.replace("-- finished", TIMES[TIMES.index("SUMMARY") :]))
    assert {row.get("total_s") for row in run.rows} == {None}
    assert len(run.rows) == 4


def test_other_text_is_none_of_mdtest() -> None:
    assert runs("SUMMARY: (of 1 iterations)\nnothing else\n") == []


def test_the_third_iteration_follows_from_the_mean(tmp_path: Path) -> None:
    values = ("1234.500       1234.500       1234.500", "9000.000       3000.000       5000.000")
    rows = rows_of(tmp_path, V1.replace("of 1 iterations", "of 3 iterations").replace(*values))
    assert [row["ops_s"] for row in rows] == [9000, 3000, 3000]
    assert [("mean-of-iterations" in row["notes"]) for row in rows] == [False, False, True]


def test_the_table_of_weir_io_tells_what_was_requested() -> None:
    own, one = (parsed_table(text) for text in (f"weir-io {V1}", V1))
    assert own == one
    assert own.requested["items"] == 2000


VERBOSE = """\
mdtest-1.9.3 was launched with 16 total task(s) on 2 node(s)
Command line used: ./mdtest "-v" "-I" "32" "-z" "0" "-b" "0" "-F" "-C" "-i" "{iterations}"
16 tasks, 512 files
{lines}
SUMMARY rate: (of {iterations} iterations)
   Operation                      Max            Min           Mean        Std Dev
   ---------                      ---            ---           ----        -------
   File creation     :        {table}          0.005
   Tree creation     :        704.333        132.891        473.477        188.476
-- finished at 05/01/2019 15:55:46 --
"""
LINE = "V-1:   File creation     :          {seconds:.3f} sec,        {rate:.3f} ops/sec"
MIXED = "532.120        532.101        532.114"


def verbose(rates: list[float], table: str, iterations: int | None = None) -> Parsed:
    lines = "\n".join(LINE.format(rate=rate, seconds=512 / rate) for rate in rates)
    (run,) = runs(VERBOSE.format(iterations=iterations or len(rates), lines=lines, table=table))
    return run


@pytest.mark.parametrize("rates", [[516.496, 499.049, 532.12, 511.5], [499.049, 532.12]])
def test_lines_of_iterations_are_rates_of_their_own(rates: list[float]) -> None:
    rows = verbose(rates, MIXED).rows
    assert [(row["iteration"], row["ops_s"]) for row in rows] == list(enumerate(rates))
    assert {row["observed"]["mean_of"] for row in rows} == {1}


@pytest.mark.parametrize("iterations", [2, 3, 10])
def test_the_best_iteration_is_not_all_of_them(iterations: int) -> None:
    """mdtest of IOR 3.2.0 confuses the iterations of its ranks: its table has the best alone."""
    (row,) = verbose([], MIXED, iterations).rows
    assert (row["ops_s"], row["observed"]["best_of"]) == (532.12, iterations)


def test_a_table_whose_iterations_differ_has_each() -> None:
    rows = verbose([], "532.120        399.049        465.585", 2).rows
    assert [row["ops_s"] for row in rows] == [532.12, 399.049]
    assert not any(row["observed"].get("best_of") for row in rows)


def test_lines_of_version_4_are_those_of_the_items_of_one_rank() -> None:
    line = "V-1: Rank   0 Line  1435   File creation     :          9.999 sec,        {rate:.3f} ops/sec"
    table = "532.120        399.049        465.585"
    for part, values in ((1, [400.0, 450.0, 499.0, 532.12]), (16, [465.585])):
        lines = "\n".join(line.format(rate=rate / part) for rate in (400.0, 450.0, 499.0, 532.12))
        text = VERBOSE.replace("mdtest-1.9.3", "mdtest-4.1.0").format(iterations=4, lines=lines, table=table)
        assert [row["ops_s"] for row in runs(text)[0].rows] == values


def test_the_order_of_iterations_is_that_of_their_lines() -> None:
    """A table of two has the greatest and the least: the quicker iteration was first, and was the second."""
    rows = verbose([96.639, 104.022], "104.022         96.640        100.331").rows
    assert [(row["ops_s"], row["iteration"]) for row in rows] == [(96.64, 0), (104.022, 1)]
    rows = verbose([99.0, 81.591, 90.0], "96.000         84.000         90.100").rows
    assert [row["ops_s"] for row in rows] == [96.0, 84.0, 90.3]  # the line is that of the first rank alone
    assert [bool(row["observed"].get("derived")) for row in rows] == [False, False, True]
    (alone,) = verbose([81.591], "84.712         84.712         84.712").rows
    assert alone["ops_s"] == 84.712  # of one iteration the table has all ranks, the line the first one


def test_lines_of_fewer_iterations_are_not_taken() -> None:
    (row,) = verbose([516.496, 532.12], "532.120        399.049        465.585", 10).rows
    assert (row["ops_s"], row["observed"]["mean_of"]) == (465.585, 10)


def test_a_page_that_quotes_two_tables_alone_has_both(tmp_path: Path) -> None:
    """The second one was lost, and their commands told nothing apart."""
    first = V1[V1.index("Command") : V1.index("Path")] + V1[V1.index("SUMMARY") :]
    second = first.replace("1234.5", "2345.6").replace("/scratch", "/archive")
    rows = rows_of(tmp_path, f"Without the patch:\n{first}\nWith the patch:\n{second}\nThanks,\n")
    assert [row["ops_s"] for row in rows] == [1234.5, 2345.6]
    assert rows[0]["cell"] != rows[1]["cell"]


def test_the_banner_alone_tells_the_tasks() -> None:
    """A mail without the line of the command has it, and its results had no tasks."""
    (run,) = runs(DATE + "".join(line for line in V1.splitlines(True) if not line.startswith("Command")))
    assert [(row["nn"], row["ppn"], row["observed"]["tasks"]) for row in run.rows] == [(2, 2, 4)]
    assert run.rows[0]["ops"] is None  # a stonewall may have ended it


def test_a_table_alone_below_a_whole_run_is_another_run() -> None:
    """A page had the first run with all its lines, and of the second one the table: it was lost."""
    table = V1[V1.index("SUMMARY") :]
    page = f"{DATE}{V1}\nAgain, on the archive:\n\n{table.replace('1234.5', '2345.6')}\n"
    assert [row["ops_s"] for run in runs(page) for row in run.rows] == [1234.5, 2345.6]
    assert [row["nn"] for run in runs(page) for row in run.rows] == [2, None]
    quoted = f"{DATE}{V1}\nWhat it means:\n\nSUMMARY: (of 1 iterations)\n\n{table}\n"
    assert len(runs(quoted)) == 1


def test_a_table_in_two_pages_is_one_result(tmp_path: Path) -> None:
    """It prints no times: a page and its translation had each result twice."""
    more = V1.replace("File stat         :          0.000", "File stat         :      54321.125")
    (tmp_path / "en.md").write_text(more)
    (tmp_path / "zh.md").write_text(f"{DATE}{more}")
    (tmp_path / "other.md").write_text(more.replace("54321.125", "54321.126"))
    (tmp_path / "short.md").write_text(V1)
    names = ("en.md", "zh.md", "other.md", "short.md")
    found = import_files([tmp_path / name for name in names], Facts())
    assert [len(found.rows), len(found.copied)] == [5, 2]
    assert not any("run-replayed" in row["reasons"] for row in found.rows)


def test_a_page_that_quotes_its_log_again_has_one_run() -> None:
    """An explanation below a log repeats its lines one by one."""
    table = V3[V3.index("SUMMARY rate") : V3.index("   File create (stonewall)")]
    quoted = V3.replace(V3[V3.index("SUMMARY rate") : V3.index("-- finished")], table)
    other = quoted.replace("81877.", "71877.")
    assert len(runs(DATE + V3 + "What it means:\n" + DATE + quoted)) == 1
    assert len(runs(DATE + V3 + DATE + other)) == 2


def test_a_quote_that_a_page_lost_hides_no_option() -> None:
    """Every word of the command kept its quotes then: a directory for each task was one for all."""
    columns = [
        [(row["directories"], row["ops_s"]) for run in runs(text) for row in run.rows]
        for text in (V3, V3.replace("'-T'", "'-T "))
    ]
    assert columns[0] == columns[1]
    assert columns[0][0][0] == "own"


def test_four_numbers_of_ranks_before_three_of_iterations() -> None:
    """A version of December 2020: the greatest rate was a deviation, the least one the greatest."""
    head, _, table = V3.replace("(of 1 ", "(of 3 ").partition("   Operation")
    columns = (
        "   Operation         per Rank:      Max   Min  Mean  Std Dev     per Iteration: Max    Min   Mean\n"
    )
    line = "   File stat                 :  133349.335  15240.973  63062.865  35579.914  45577.003  15240.973"
    text = f"{head}{columns}{line}  34399.616\n   File removal  :  1.0  1.0  1.0  0.0  2.0  2.0  2.0\n"
    (run,) = runs(text + table[table.index("SUMMARY time") :])
    rates = [row["ops_s"] for row in run.rows if row["access"] == "stat"]
    assert rates == [45577.003, 15240.973, pytest.approx(3 * 34399.616 - 45577.003 - 15240.973)]


def test_decimal_commas_of_a_locale() -> None:
    """The Java behind the interface to HDFS sets one: a log was refused as one without a timed result."""
    table = V1[V1.index("   File creation") : V1.index("\n\n-- finished")]
    (run,) = runs(DATE + V1.replace(table, table.replace(".", ",")))
    assert [(row["access"], row["ops_s"]) for row in run.rows] == [("create", 1234.5)]
    thousands = table.replace("1234.500", "1,234").replace(" 0.000", "1,234").replace("917.720", "1,234")
    assert not [row for one in runs(DATE + V1.replace(table, thousands)) for row in one.rows]


def test_a_mail_breaks_the_rows_of_a_table() -> None:
    """Its lines end after 72 characters: the last number of each row stands alone, in a locale, too."""
    broken = V1.replace("          0.000\n", "\n         0.000\n").replace("Mean        Std", "Mean\n Std")
    for text in (broken, re.sub(r"(\d)\.(\d{3})$", r"\1,\2", broken, flags=re.MULTILINE)):
        (run,) = runs(DATE + text)
        assert [(row["access"], row["ops_s"]) for row in run.rows] == [("create", 1234.5)]


@pytest.mark.parametrize(
    ("text", "kind"),
    [
        ("{}", "rows of mdtest without their title, which are not read (use all that it prints)"),
        ("$ grep creation *\n{}{}", "rows of mdtest without their title, which are not read"),
        ("# A\n\n## B\n\n```\n{}```\n", "a text about mdtest"),
        ("# A\n\n## B\n\nFile creation: 3 of 4 tests pass.\n", ""),
    ],
)
def test_rows_without_their_title_are_named(text: str, kind: str) -> None:
    """A thread quotes them, or what a search found: nothing told that they are of mdtest."""
    row = "   File creation     :        428.100        428.100        428.100          0.000\n"
    assert kind_of(text.replace("{}", row)).startswith(kind)
    assert bool(kind) == bool(kind_of(text.replace("{}", row)))
    assert is_refused(kind_of(text.replace("{}", row))) == kind.startswith("rows")
