"""All captures of IOR and the logs of the 2018 campaign, where they lie beside the checkout."""

import csv
import re
from collections.abc import Sequence
from pathlib import Path

import pytest

from tests.conftest import ROOT, beside
from tests.golden.captures import text_of
from weir.audit import RunFacts, Subject, judge
from weir.audit.judge import verdict_columns
from weir.collect.imported_files import Facts, read_facts
from weir.collect.importing import import_files
from weir.collect.parsed_runs import messages_of_row
from weir.records.model import Parsed, Row
from weir.tools import tools

# Good runs that are not VALID, and why that is right.
DEFENDED = {
    "ior-ime-mock.txt": {"sync-not-applied"},  # IOR drops -e for IME, with a warning
    "ior-ime-mock.json": {"sync-not-applied"},
}
# Captures of seconds and of a few MiB, read back from the page cache: these findings are right for most.
SMALL = {"", "phase-too-short", "read-after-write"}
# Named ior-*, without results: help, a dry run, a crash, details of ranks, warnings whose table is elsewhere.
NO_RESULTS = {
    "ior-dryrun.txt",
    "ior-help.txt",
    "ior-perop-0-00000.csv",
    "ior-posix-random-zz.json",
    "ior-rankdetails.csv",
    "ior-summaryfile-csv-stdout.txt",
    "ior-summaryfile-stdout.txt",
    "io500-ior-easy-write.csv",
}


def verdicts(parsed: Parsed, run: RunFacts | None) -> list[Row]:
    judged = []
    for index, row in enumerate(parsed.rows):
        known = row | {"tool": "ior", "program": parsed.program, "tool_version": parsed.tool_version}
        subject = Subject(known, row["observed"], messages_of_row(parsed, index), parsed.complete, None, run)
        judged.append(known | verdict_columns(judge(subject)))
    return judged


def read_index(folder: Path) -> dict[str, str]:
    """Exit code of each capture, '-' where there is none."""
    lines = (folder / "INDEX.tsv").read_text().splitlines()
    return {line.split("\t")[0]: line.split("\t")[1] for line in lines if "\t" in line}


def both_ways(capture: Path, exit_code: str, folder: Path) -> Sequence[tuple[str, list[Row]]]:
    """As the output of a run of ours with its exit code, and as a log of which nothing else is known."""
    tool = tools()["ior"]
    output = folder / "stdout"
    output.write_text(text_of(capture))
    known = exit_code.lstrip("-").isdigit()
    run = RunFacts(int(exit_code), exit_code == "124", 3.0, None) if known else None
    logs: Sequence[Parsed] = tool.parse_log(output.read_text())  # type: ignore[attr-defined]
    return [
        ("run", verdicts(tool.parse({"stdout": output}), run)),
        ("log", [row for parsed in logs for row in verdicts(parsed, None)]),
    ]


@pytest.mark.slow
def test_every_capture_of_ior(tmp_path: Path) -> None:
    """A failed one has no number or an INVALID one; a good one has no finding, or a defended one."""
    samples = beside("samples")
    exit_codes = read_index(samples)
    wrong = []
    names = [
        path.name for path in samples.iterdir() if re.match(r"(fail-|io500-)?ior-.*(?<!\.stderr)$", path.name)
    ]
    for name in sorted(names):
        for way, rows in both_ways(samples / name, exit_codes.get(name, "-"), tmp_path):
            if name.startswith("fail-"):
                good = all(row["verdict"] == "INVALID" for row in rows)
            else:
                reasons = {reason for row in rows for reason in row["reasons"].split(";")} - SMALL
                good = reasons == DEFENDED.get(name, set()) and bool(rows) != (name in NO_RESULTS)
            if not good:
                wrong.append((name, way, len(rows), {(row["verdict"], row["reasons"]) for row in rows}))
    assert len(names) > 100
    assert wrong == []


@pytest.mark.slow
def test_logs_of_2018_agree_with_the_table() -> None:
    """120 logs of IOR 3.0.1 give the rows of the published table, number by number."""
    logs = sorted(beside("reference/ior-3.0.1").iterdir())
    imported = import_files(logs, Facts())
    assert imported.without_results == {}
    assert len(imported.rows) == 720
    with (ROOT / "reference" / "ddn-lustre-2018.csv").open(newline="") as stream:
        table = [row for row in csv.DictReader(stream) if row["campaign"] == "output"]
    key = ("api", "access", "nn", "ppn", "xfer_bytes", "iteration")
    published = {tuple(row[name] for name in key): row for row in table}
    for row in imported.rows:
        other = published[tuple(str(row[name]) for name in key)]
        for name in ("block_bytes", "stonewall_s", "open_s", "io_s", "close_s", "total_s", "bw_mib_s"):
            assert row[name] == float(other[name]), (row["source"], name)
        assert row["moved_bytes"] == int(other["moved_bytes"] or row["requested_bytes"])
        assert (row["layout"], row["order"]) == (other["layout"], other["order"])


@pytest.mark.slow
def test_logs_of_2018_are_judged_like_the_table() -> None:
    logs = sorted(beside("reference/ior-3.0.1").iterdir())
    facts = read_facts(ROOT / "reference" / "ddn-lustre-2018.yaml")
    table = import_files([ROOT / "reference" / "ddn-lustre-2018.csv"], facts).rows
    key = ("api", "access", "nn", "ppn", "xfer_bytes", "iteration")
    of_table = {tuple(row[name] for name in key): row for row in table if row["experiment"] == "output"}
    for row in import_files(logs, Facts()).rows:
        same = of_table[tuple(row[name] for name in key)]
        # Stripes are in the logs only.
        reasons = [reason for reason in row["reasons"].split(";") if reason not in ("", "stripes-differ")]
        assert reasons == [reason for reason in same["reasons"].split(";") if reason]


@pytest.mark.parametrize("name", ["ddn-lustre-2018.csv", "mistral-defaults.csv", "io500-submissions.csv"])
def test_reference_is_what_was_given(name: str) -> None:
    assert (ROOT / "reference" / name).read_bytes() == (beside("reference") / name).read_bytes()


def test_every_published_value_that_was_given_is_kept() -> None:
    """More were read off the papers since."""
    ours, given = (
        (folder / "published.csv").read_text().splitlines()
        for folder in (ROOT / "reference", beside("reference"))
    )
    assert ours[0] == given[0]
    assert [line for line in ours if line in set(given)] == given
